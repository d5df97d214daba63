"""The steps of the SEO audit, in order."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from taskboard.context import Context, Reading
from taskboard.outcomes import Counted, Done, NewItem, Outcome, Retries
from taskboard.workflow import EVERYTHING, EXTERNAL_ID, REPEATABLE, read_step, workflow, write_step
from taskboard.workflows.seo_audit import (
    adding,
    counting,
    diagnosis,
    fixes,
    notices,
    report,
    rewriting,
    tickets,
)
from taskboard.workflows.seo_audit.forms import SeoAuditForm
from taskboard.workflows.seo_audit.reading import read_items
from taskboard.workflows.seo_audit.sources import SAMPLE
from taskboard.workflows.seo_audit.tracker import get_tracker

PLAN = (
    gettext_lazy("Read the site once and diagnose each page."),
    gettext_lazy("Open a ticket for each page that needs mending."),
    gettext_lazy("Tell the owner of the page."),
    gettext_lazy(
        "Put better titles and descriptions into a working copy; a manager approves those of busy pages."
    ),
    gettext_lazy("Give pages that share a title one of their own, after approval, and write the report."),
)


def price(params: Mapping[str, Any]) -> Decimal:
    """What diagnosing one page costs."""
    return Decimal(str(params["price_per_page"]))


@workflow(
    "seo-audit",
    title=gettext_lazy("SEO audit"),
    plan=PLAN,
    params=SeoAuditForm,
    parallel=8,
    max_go_backs=3,
    keep_for=timedelta(days=90),
)
class SeoAudit:
    """Each page is an item."""

    plan_steps = (
        ("diagnose",),
        ("create_ticket",),
        ("notify",),
        ("apply_fix",),
        ("rewrite_titles", "report"),
    )
    measured_by = ("diagnose",)
    measured_as = gettext_lazy("Findings")
    on_instructions = gettext_lazy(
        "This workflow follows fixed rules: instructions are kept and handed to the next step, and change nothing."
    )

    def source(self, params: Mapping[str, Any]) -> str:
        """What an audit is about: the same site may be audited with other limits."""
        return str(params.get("source", ""))

    def measure(self, outputs: Mapping[str, Any]) -> int:
        """How many findings a page has: fewer are better."""
        return len(outputs["diagnose"]["findings"])

    def goal(self, params: Mapping[str, Any]) -> str:
        """One sentence on what the task is for."""
        first, *more = str(params["source"]).splitlines()
        if first == SAMPLE:
            return _("Audit the pages of the bundled sample site")
        place = _("%(first)s and %(count)d more") % {"first": first, "count": len(more)} if more else first
        return _("Audit the pages of %(place)s") % {"place": place}

    def estimate(self, params: Mapping[str, Any]) -> Counted:
        """How many pages the source has."""
        return counting.count(str(params["source"]))

    def items(self, reading: Reading) -> Iterator[NewItem]:
        """The pages of the source, with their rows of the site index."""
        return read_items(reading)

    def named(self, reading: Reading, keys: Sequence[str]) -> Iterator[NewItem]:
        """Pages that people add, by path or address."""
        return adding.named(reading, keys)

    @read_step(label=gettext_lazy("Diagnose"), fresh_for=diagnosis.FRESH_FOR, estimate=price)
    def diagnose(self, ctx: Context) -> Done:
        """Say what is wrong with the page."""
        return diagnosis.diagnose(ctx)

    @write_step(
        label=gettext_lazy("Create ticket"),
        after="diagnose",
        system="tracker",
        find=tickets.find,
        link=get_tracker().link,
        where=get_tracker().where,
        settle_after=get_tracker().arrives_within,
        verify=tickets.verify,
        effect_key=tickets.effect_key,
        by_hand={"ticket": EXTERNAL_ID},
        retry=Retries(times=5),
    )
    def create_ticket(self, ctx: Context) -> Outcome:
        """Open a ticket if the page needs one."""
        return tickets.create(ctx)

    @write_step(
        label=gettext_lazy("Notify"),
        after="create_ticket",
        system="mail",
        find=notices.find,
        where=notices.WHERE,
        verify=notices.verify,
        effect_key=notices.effect_key,
        retry=Retries(times=5),
    )
    def notify(self, ctx: Context) -> Outcome:
        """Tell the owner of the page by mail."""
        return notices.send(ctx)

    @write_step(
        label=gettext_lazy("Apply fix"),
        after="notify",
        system="site",
        approval=fixes.approval,
        find=fixes.find,
        verify=fixes.verify,
        undo=fixes.undo,
        on_go_back="undo",
    )
    def apply_fix(self, ctx: Context) -> Outcome:
        """Put a better title or description into the working copy."""
        return fixes.apply(ctx)

    @write_step(
        label=gettext_lazy("Rewrite duplicate titles"),
        after_all="diagnose",
        system="site",
        approval=rewriting.approval,
        find=rewriting.find,
        verify=rewriting.verify,
        undo=rewriting.undo,
    )
    def rewrite_titles(self, ctx: Context) -> Outcome:
        """Give each page of a group of duplicate titles one of its own."""
        return rewriting.rewrite(ctx)

    @write_step(
        label=gettext_lazy("Report"),
        after_all=EVERYTHING,
        find=REPEATABLE,
        unverified=gettext_noop("The report is kept with its hash when it is stored."),
    )
    def report(self, ctx: Context) -> Outcome:
        """Write down what was found, done, refused and spent."""
        return report.write(ctx)
