"""Calls beyond their time limit: given up by the worker that waits for them, which is alive and says so."""

from collections.abc import Iterable
from datetime import timedelta

from django.utils.translation import gettext_noop

from taskboard import budget
from taskboard.change import Change
from taskboard.engine import record
from taskboard.engine.claim import Claimed, is_mine
from taskboard.engine.endings import Report, TryAgain
from taskboard.engine.record import Ended
from taskboard.engine.strikes import APPROVAL
from taskboard.models import Kind, Step, StepStatus
from taskboard.sentences import NUMBER, Sentence, ngettext_noop

TIME_LIMIT = "TimeLimit"
"""The error class of a step whose calls do not answer in time."""
SECONDS = Sentence(
    *ngettext_noop("No answer within %(number)d second.", "No answer within %(number)d seconds.")
)
MINUTES = Sentence(
    *ngettext_noop("No answer within %(number)d minute.", "No answer within %(number)d minutes.")
)
UNASKED = Sentence(gettext_noop("Working out whether a person must agree (%(approval)s): %(what)s"))


def told(limit: timedelta) -> str:
    """A sentence on a call that took longer."""
    seconds = max(1, round(limit.total_seconds()))
    minutes, rest = divmod(seconds, 60)
    return SECONDS(**{NUMBER: seconds}) if rest else MINUTES(**{NUMBER: minutes})


def give_up(change: Change, hung: Iterable[Claimed], owner: str) -> None:
    """Those that still are this worker's. Nobody holds them any more: an answer still counts until their lease ends,
    then the sweep asks what became of them. An `approval` has no effects, so it is simply called again, as often as
    the step may fail."""
    for one in hung:
        if not is_mine(one.step):
            continue
        why = told(one.spec.time_limit)
        if one.step.status == StepStatus.PENDING:
            again = TryAgain(UNASKED(approval=APPROVAL, what=why), TIME_LIMIT)
            record.record(change, [Ended(one, Report(again))], owner)
        else:
            _let_go(change, one, why)


def _let_go(change: Change, one: Claimed, why: str) -> None:
    step = one.step
    deaths = step.deaths + 1
    Step.objects.filter(pk=step.pk).update(lease_owner="", deaths=deaths)
    limit = one.spec.time_limit.total_seconds()
    data = {"reason": why, "limit_seconds": limit, "deaths": deaths}
    change.record(Kind.INTERRUPTED, item=one.item.key, step=step.name, attempt=step.attempt, data=data)
    budget.settle_lost(change, step, one.item)
