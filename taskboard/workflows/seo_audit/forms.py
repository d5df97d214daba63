"""What a person chooses when starting an audit, at the browser or on the command line."""

from decimal import Decimal

from django import forms
from django.conf import settings
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from taskboard.errors import BadInput
from taskboard.workflows.seo_audit.source_check import check_source
from taskboard.workflows.seo_audit.sources import SAMPLE

NOT_NEGATIVE = _("Give 0 or more.")


class SeoAuditForm(forms.Form):
    """The parameters of a task. `browser` is set for a person at a browser, who may name fewer sources."""

    browser = False
    advanced = ("owner_mail",)

    source = forms.CharField(
        label=_("Source"),
        initial=SAMPLE,
        max_length=1_000_000,
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
        help_text=_(
            "“sample” for the bundled site, a folder with HTML pages, a sitemap (file or address), or"
            " addresses, one per line."
        ),
        error_messages={
            "required": _("Say which site to audit: a folder, a sitemap, addresses, or “sample”.")
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
        error_messages={
            "invalid": _("Give a whole number of pages, 0 or more."),
            "required": _("Give a whole number of pages, 0 or more."),
            "min_value": NOT_NEGATIVE,
        },
    )
    crawl_delay = forms.DecimalField(
        label=_("Crawl delay"),
        initial=Decimal(0),
        min_value=0,
        max_value=300,
        max_digits=9,
        decimal_places=3,
        help_text=_("Seconds to wait before each page."),
        error_messages={
            "invalid": _("Give a number of seconds, for example 0.5."),
            "required": _("Give a number of seconds, for example 0.5."),
            "min_value": NOT_NEGATIVE,
        },
    )
    price_per_page = forms.DecimalField(
        label=_("Price per page"),
        initial=Decimal(0),
        min_value=0,
        max_value=10_000,
        max_digits=11,
        decimal_places=6,
        help_text=_("What diagnosing one page costs, in US dollars."),
        error_messages={
            "invalid": _("Give an amount in US dollars, for example 0.02."),
            "required": _("Give an amount in US dollars, for example 0.02."),
            "min_value": NOT_NEGATIVE,
        },
    )
    owner_mail = forms.EmailField(
        label=_("Page owner"),
        initial="site-owner@example.com",
        required=False,
        help_text=_("Who is told about tickets, where a page names no author. Empty: nobody."),
        error_messages={"invalid": _("Give one e-mail address, for example site-owner@example.com.")},
    )

    def clean_source(self) -> str:
        """Paths become absolute: a worker runs in another folder."""
        try:
            return check_source(self.cleaned_data["source"], browser=self.browser)
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
