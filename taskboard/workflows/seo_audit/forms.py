"""What a person chooses when starting an audit, at the browser or on the command line."""

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from taskboard.errors import BadInput, UnfitItems
from taskboard.workflows.seo_audit.source_check import check_source
from taskboard.workflows.seo_audit.sources import SAMPLE

if TYPE_CHECKING:
    from django_stubs_ext import StrPromise

WHERE = _("“sample” for the bundled site, the address of a sitemap, or addresses, one per line.")
WHERE_WITH_FOLDERS = _(
    "“sample” for the bundled site, a folder with HTML pages, a sitemap (file or address), or addresses, one"
    " per line."
)
SECONDS = _("Give a number of seconds from 0 to 300, for example 0.5.")
AMOUNT = _("Give an amount in US dollars from 0 to 10000, for example 0.02.")
PAGES = _("Give a whole number of pages from 0 to 1000000.")


def _faults(sentence: "StrPromise") -> dict[str, "StrPromise"]:
    """One sentence for all that can be wrong with a number."""
    kinds = (
        "invalid",
        "required",
        "min_value",
        "max_value",
        "max_digits",
        "max_decimal_places",
        "max_whole_digits",
    )
    return dict.fromkeys(kinds, sentence)


def _number(inputmode: str) -> forms.TextInput:
    """A number field of the browser drops a comma and empties itself when it cannot read its text."""
    return forms.TextInput(attrs={"inputmode": inputmode})


class SeoAuditForm(forms.Form):
    """The parameters of a task. `browser` is set for a person at a browser, who may name fewer sources."""

    browser = False
    unfit: UnfitItems | None = None
    """The addresses in the source that cannot be used, for telling the lines of a sheet."""
    advanced = ("owner_mail",)
    sheet = "source"

    source = forms.CharField(
        label=_("Source"),
        initial=SAMPLE,
        max_length=1_000_000,
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
        error_messages={
            "required": _("Say which site to audit: “sample”, a sitemap, or addresses."),
            "max_length": _(
                "The list of addresses is too long. Give a part of it, or the address of a sitemap."
            ),
        },
    )
    approve_over = forms.IntegerField(
        label=_("Ask a manager from"),
        initial=20,
        min_value=0,
        max_value=1_000_000,
        help_text=_(
            "A change to a page that at least so many other pages link to needs a manager's approval."
        ),
        widget=_number("numeric"),
        error_messages=_faults(PAGES),
    )
    crawl_delay = forms.DecimalField(
        label=_("Crawl delay"),
        initial=Decimal(0),
        min_value=0,
        max_value=300,
        max_digits=9,
        decimal_places=3,
        help_text=_("Seconds from one page to the next, for each worker process."),
        widget=_number("decimal"),
        error_messages=_faults(SECONDS),
    )
    price_per_page = forms.DecimalField(
        label=_("Price per page"),
        initial=Decimal(0),
        min_value=0,
        max_value=10_000,
        max_digits=11,
        decimal_places=6,
        help_text=_("What diagnosing one page costs, in US dollars."),
        widget=_number("decimal"),
        error_messages=_faults(AMOUNT),
    )
    owner_mail = forms.EmailField(
        label=_("Page owner"),
        initial="site-owner@example.com",
        required=False,
        help_text=_("Who is told about tickets, where a page names no author. Empty: nobody."),
        error_messages={"invalid": _("Give one e-mail address, for example site-owner@example.com.")},
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["source"].help_text = WHERE_WITH_FOLDERS if settings.TASKBOARD_SOURCES else WHERE

    def clean_source(self) -> str:
        """Paths become absolute: a worker runs in another folder."""
        try:
            return check_source(self.cleaned_data["source"], browser=self.browser)
        except UnfitItems as error:
            self.unfit = error
            raise forms.ValidationError(list(error.faults)) from error
        except BadInput as error:
            raise forms.ValidationError(error.message) from error

    @property
    def suggestions(self) -> dict[str, list[tuple[str, str]]]:
        """Sources to choose from with one click: the sample, and the folders that a browser may name."""
        return {
            "source": [
                (SAMPLE, gettext("The sample site")),
                *((str(f), str(f)) for f in settings.TASKBOARD_SOURCES),
            ]
        }
