"""How decisions are made is shown to managers in sum, and by name to administrators alone."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone

from approvals import bulk, decisions, oversight
from approvals.models import Approval, Handling, Vote
from taskboard.models import PurgeRecord
from tests.conftest import logged_in, make_person
from tests.factories import make_approval

pytestmark = pytest.mark.django_db(transaction=True)
PAGE = reverse("approvals:oversight")


def answered(who: User, after: timedelta, looked: timedelta | None = None, outcome: str = "approve") -> None:
    """An answer that came so long after the question could be seen, and after so long a look at it."""
    asked = make_approval()
    reason = "no" if outcome == "reject" else ""
    decisions.decide(asked.pk, who, outcome, reason, asked.payload_sha256)
    said = Vote.objects.get(approval=asked)
    Approval.objects.filter(pk=asked.pk).update(visible_at=said.at - after)
    if looked is not None:
        Handling.objects.create(vote=said, way="page", shown_at=said.at - looked)


def figures(user: User) -> oversight.Report:
    return oversight.report(user, 30, timezone.now())


def test_it_counts_time_glances_noes_bulk_and_expiry(manager: User) -> None:
    answered(manager, timedelta(minutes=1), timedelta(seconds=2))
    answered(manager, timedelta(minutes=3), timedelta(seconds=20))
    answered(manager, timedelta(hours=9), outcome="reject")
    make_approval()
    expired = Approval.objects.filter(status="open")
    draft = bulk.choose(manager, "approve", expired)  # type: ignore[arg-type]
    bulk.begin(draft.pk, manager)
    bulk.carry_on(draft.pk, seconds=60)
    lapsed = make_approval()
    Approval.objects.filter(pk=lapsed.pk).update(status="expired", closed_at=timezone.now())
    told = figures(manager)
    assert (told.all.answers, told.all.timed, told.all.glances) == (4, 2, 1)
    assert (told.all.glance_share, told.all.together_share, told.all.no_share) == (50, 25, 25)
    assert (told.expired, told.closed, told.expired_share) == (1, 5, 20)
    assert told.all.median is not None
    assert timedelta(minutes=1) <= told.all.median <= timedelta(minutes=3)
    assert sum(count for _label, count in told.waits) == 4
    assert sum(sum(counts.values()) for _day, counts in told.days) == 5


def test_it_says_how_much_was_purged_and_no_longer_counts(manager: User, admin: User) -> None:
    answered(manager, timedelta(minutes=1))
    task = Approval.objects.get().task
    page = logged_in(manager).get(PAGE)
    assert (page.context["report"].all.answers, page.context["report"].purged_tasks) == (1, 0)
    now = timezone.now()
    for ended in (now, now - timedelta(days=40)):
        PurgeRecord.objects.create(
            public_id=task.public_id, workflow=task.workflow, goal=task.goal, created_by_name="ops",
            created_at=ended, finished_at=ended, purged_at=now, purged_by="admin", completed=True,
            counts={"rows": {"approvals.approval": 1, "taskboard.task": 1}},
        )  # fmt: skip
    Approval.objects.all().delete()
    page = logged_in(manager).get(PAGE)
    assert "1 task that ended in this time was purged since, with 1 question" in page.content.decode()
    assert page.context["report"].all.answers == 0


def test_what_is_older_than_the_period_does_not_count(manager: User) -> None:
    answered(manager, timedelta(minutes=1))
    Vote.objects.update(at=timezone.now() - timedelta(days=31))
    assert figures(manager).all.answers == 0


def test_names_are_for_administrators_only(manager: User, admin: User) -> None:
    answered(make_person("quickfinger", "Managers"), timedelta(minutes=1), timedelta(seconds=1))
    assert [one.name for one in figures(admin).people] == ["quickfinger"]
    assert figures(manager).people == []
    assert "quickfinger" in logged_in(admin).get(PAGE).content.decode()
    assert "quickfinger" not in logged_in(manager).get(PAGE).content.decode()


def test_the_page_draws_and_operators_do_not_see_it(manager: User, operator: User) -> None:
    assert "Nothing was decided" in logged_in(manager).get(PAGE).content.decode()
    answered(manager, timedelta(minutes=1))
    page = logged_in(manager).get(PAGE, {"days": "7"}).content.decode()
    assert page.count('<svg class="plot"') == 2
    assert 'class="plot-approved"' in page
    assert logged_in(operator).get(PAGE).status_code == 403
    assert logged_in(manager).get(PAGE, {"days": "x"}).status_code == 200


def test_an_answer_from_a_page_keeps_when_its_card_was_shown(manager: User) -> None:
    asked = make_approval()
    client = logged_in(manager)
    page = client.get(asked.get_absolute_url()).content.decode()
    mark = page.split('name="shown" value="')[1].split('"')[0]
    form = {"outcome": "approve", "digest": asked.payload_sha256, "shown": mark}
    client.post(reverse("approvals:decide", args=[asked.pk]), form)
    kept = Handling.objects.get(vote__approval=asked)
    assert kept.way == "page"
    assert kept.shown_at is not None
    assert timedelta(0) <= kept.vote.at - kept.shown_at < timedelta(minutes=5)


@pytest.mark.parametrize("mark", ["", "forged", "another"])
def test_a_mark_that_is_not_ours_says_nothing(manager: User, mark: str) -> None:
    asked = make_approval()
    sent = oversight.shown_mark(asked.pk + 1) if mark == "another" else mark
    form: dict[str, Any] = {"outcome": "approve", "digest": asked.payload_sha256, "shown": sent}
    logged_in(manager).post(reverse("approvals:decide", args=[asked.pk]), form)
    assert Handling.objects.get(vote__approval=asked).shown_at is None
