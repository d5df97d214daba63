"""A purge takes exactly what was shown, or says what changed and does nothing; a second person where one is asked."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from taskboard import hints, lifecycle
from taskboard.errors import BadInput, NotAllowed, WrongState
from taskboard.models import AuditEntry, Kind, PurgePlan, PurgePlanTask, PurgeRecord, Task
from taskboard.retention import batches, consent, expiry, hold, plans, purge, search_holds
from taskboard.retention.plans import PlanChanged
from taskboard.retention.preview import Preview, preview
from tests.conftest import make_person
from tests.factories import make_finished_task, make_item
from tests.retention_rows import make_full_task

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def sent(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The messages to the workers."""
    messages: list[Any] = []
    monkeypatch.setattr(hints, "soon", lambda *job, **_options: messages.append(job))
    return messages


@pytest.fixture
def two_people(settings: Any) -> tuple[User, User]:
    settings.TASKBOARD_PURGE_SECOND_PERSON = True
    ann, bob = (make_person(name, "Administrators") for name in ("ann", "bob"))
    return User.objects.get(pk=ann.pk), User.objects.get(pk=bob.pk)


def planned(by: Any = "admin") -> PurgePlan:
    return plans.make(by, expiry.expired(timezone.now()))


def outcomes(plan: PurgePlan) -> list[tuple[str, str]]:
    return list(plan.tasks.values_list("public_id", "outcome"))


def test_a_plan_says_what_would_go_and_what_was_left_out() -> None:
    first, second = make_full_task(), make_finished_task()
    held = make_finished_task(on_hold=True, hold_reason="Audit")
    plan = planned()
    assert outcomes(plan) == [(first.public_id, "planned"), (second.public_id, "planned")]
    assert Preview.recorded(plan.tasks.get(position=1).seen) == preview(first)
    assert plan.sums["rows"]["taskboard.task"] == 2
    assert plan.kept == [{"task": held.public_id, "why": "It is on hold: Audit"}]
    assert (plan.state, len(plan.digest), Task.objects.filter(held=True).count()) == ("shown", 64, 0)


def test_nothing_to_purge_is_said() -> None:
    with pytest.raises(BadInput, match="None of these tasks"):
        planned()


def test_what_was_shown_is_what_goes(sent: list[Any]) -> None:
    task = make_full_task()
    plan = consent.begin(planned(), "admin")
    assert (plan.state, sent) == ("running", [("taskboard.purge",)])
    purge.carry_on(seconds=60)
    plan.refresh_from_db()
    assert (plan.state, outcomes(plan)) == ("done", [(task.public_id, "purged")])
    record = PurgeRecord.objects.get()
    assert (record.plan, record.counts["rows"]) == (plan, plan.sums["rows"])


def test_what_came_meanwhile_is_not_purged_with_it() -> None:
    shown = make_finished_task()
    plan = planned()
    later = make_finished_task()
    consent.begin(plan, "admin")
    purge.carry_on(seconds=60)
    assert list(Task.objects.all()) == [later]
    assert PurgeRecord.objects.get().public_id == shown.public_id


def changes() -> dict[str, Any]:
    def more_journal(task: Task) -> None:
        with lifecycle.changing(task.pk, "ops") as change:
            change.record(Kind.NOTE, data={"text": "Look"})

    return {
        "checkpoints 1 → 2": more_journal,
        "is on hold": lambda task: hold.hold(task.pk, "admin", "Audit"),
        "holds everything that matches": lambda task: search_holds.add("admin", task.public_id, "Audit"),
        "is gone": lambda task: purge.purge_task(task.pk, "admin"),
        "Its purge has begun already": lambda task: purge.begin(task.pk, "admin"),
        "items 0 → 1": make_item,
        "was changed": lambda task: Task.objects.filter(pk=task.pk).update(version=99),
    }


@pytest.mark.parametrize("sentence", list(changes()))
def test_what_changed_is_said_and_nothing_is_done(sentence: str) -> None:
    task, other = make_finished_task(), make_finished_task()
    plan = planned()
    changes()[sentence](task)
    begun = PurgeRecord.objects.count()
    with pytest.raises(PlanChanged, match=sentence):
        consent.begin(plan, "admin")
    plan.refresh_from_db()
    other.refresh_from_db()
    assert (plan.state, other.held, PurgeRecord.objects.count()) == ("shown", False, begun)


@pytest.mark.parametrize("sentence", list(changes()))
def test_a_change_between_look_and_lock_is_seen_too(monkeypatch: pytest.MonkeyPatch, sentence: str) -> None:
    task = make_finished_task()
    plan = planned()
    monkeypatch.setattr(consent, "differences", lambda *_: [])
    changes()[sentence](task)
    with pytest.raises(PlanChanged, match=task.public_id):
        consent.begin(plan, "admin")
    assert PurgePlan.objects.get(pk=plan.pk).begun_at is None


def test_a_plan_that_was_tampered_with_is_refused() -> None:
    make_finished_task()
    plan = planned()
    PurgePlan.objects.filter(pk=plan.pk).update(digest="0" * 64)
    plan.refresh_from_db()
    with pytest.raises(PlanChanged, match="digest"):
        consent.begin(plan, "admin")


def test_it_begins_once() -> None:
    make_finished_task()
    plan = planned()
    consent.begin(plan, "admin")
    with pytest.raises(WrongState, match="decided already"):
        consent.begin(plan, "admin")
    assert PurgeRecord.objects.count() == 1


def test_a_second_administrator_has_to_agree(two_people: tuple[User, User]) -> None:
    ann, bob = two_people
    task = make_full_task()
    plan = consent.begin(planned(ann), ann)
    assert (plan.state, Task.objects.get(pk=task.pk).held) == ("asked", False)
    with pytest.raises(NotAllowed, match="yourself"):
        consent.agree(plan, ann)
    assert consent.agree(plan, bob).state == "running"
    purge.carry_on(seconds=60)
    record = PurgeRecord.objects.get()
    assert (record.purged_by, record.agreed_by, record.completed) == ("ann", "bob", True)


def test_whoever_may_not_purge_cannot_agree(two_people: tuple[User, User], operator: Any) -> None:
    make_finished_task()
    plan = consent.begin(planned(two_people[0]), two_people[0])
    with pytest.raises(NotAllowed, match="only administrators"):
        consent.agree(plan, User.objects.get(pk=operator.pk))


def test_who_asked_cannot_agree_under_another_name_or_with_a_new_account(
    two_people: tuple[User, User],
) -> None:
    ann, _bob = two_people
    make_finished_task()
    plan = consent.begin(planned(ann), ann)
    ann.username = "anne"
    with pytest.raises(NotAllowed, match="asked for this purge yourself"):
        consent.agree(plan, ann)
    ann.delete()
    with pytest.raises(NotAllowed, match="asked for this purge yourself"):
        consent.agree(plan, User.objects.get(pk=make_person("ann", "Administrators").pk))


def test_nobody_agrees_to_what_was_not_asked(two_people: tuple[User, User]) -> None:
    ann, bob = two_people
    make_finished_task()
    with pytest.raises(WrongState, match="Nobody has asked"):
        consent.agree(planned(ann), bob)


def test_consent_is_to_what_was_shown(two_people: tuple[User, User]) -> None:
    ann, bob = two_people
    task = make_finished_task()
    plan = consent.begin(planned(ann), ann)
    hold.hold(task.pk, ann, "Audit")
    with pytest.raises(PlanChanged, match="on hold"):
        consent.agree(plan, bob)


def test_a_no_is_final_and_says_why(two_people: tuple[User, User]) -> None:
    ann, bob = two_people
    make_finished_task()
    plan = consent.begin(planned(ann), ann)
    with pytest.raises(BadInput, match="Say why"):
        consent.refuse(plan, bob, " ")
    assert consent.refuse(plan, bob, "Not before the audit").state == "refused"
    for late in (lambda: consent.agree(plan, bob), lambda: consent.refuse(plan, bob, "x")):
        with pytest.raises(WrongState, match="decided already"):
            late()
    assert Task.objects.filter(held=True).count() == 0


def test_cancelled_what_has_not_begun_stays_and_what_has_begun_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "MOST", 2)
    first, second = make_full_task(), make_full_task()
    plan = consent.begin(planned(), "admin")
    record = PurgeRecord.objects.get(public_id=first.public_id)
    assert not purge.carry_out(record, until=0)  # the archive, and one batch
    assert consent.cancel(plan, "admin") == 1
    assert Task.objects.get(pk=second.pk).held is False
    PurgeRecord.objects.update(busy_until=None)
    purge.carry_on(seconds=60)
    plan.refresh_from_db()
    assert outcomes(plan) == [(first.public_id, "purged"), (second.public_id, "kept")]
    assert (plan.state, plan.finished_at is None) == ("cancelled", False)
    with pytest.raises(WrongState, match="over already"):
        consent.cancel(plan, "admin")


def test_a_cancelled_plan_whose_records_are_still_there_lets_its_tasks_go() -> None:
    """The web process died between the two."""
    task = make_finished_task()
    plan = consent.begin(planned(), "admin")
    PurgePlan.objects.filter(pk=plan.pk).update(cancelled_at=timezone.now())
    purge.carry_on(seconds=60)
    task.refresh_from_db()
    assert (task.held, outcomes(plan)) == (False, [(task.public_id, "kept")])
    assert not purge.is_abandoned(timezone.now())


def test_every_act_is_in_the_audit_log(two_people: tuple[User, User]) -> None:
    ann, bob = two_people
    make_finished_task()
    consent.refuse(consent.begin(planned(ann), ann), bob, "Not now")
    consent.cancel(consent.agree(consent.begin(planned(ann), ann), bob), bob)
    consent.agree(consent.begin(planned(ann), ann), bob)
    purge.carry_on(seconds=60)
    asked = ["ann purge_planned", "ann purge_asked"]
    assert [f"{row.actor} {row.action}" for row in AuditEntry.objects.order_by("pk")] == [
        *asked, "bob purge_refused", *asked, "bob purge_agreed", "bob purge_cancelled", *asked, "bob purge_agreed",
        "ann purge",
    ]  # fmt: skip


def test_old_previews_that_came_to_nothing_are_forgotten() -> None:
    make_finished_task()
    old = planned()
    PurgePlan.objects.filter(pk=old.pk).update(created_at=timezone.now() - 2 * plans.FORGOTTEN_AFTER)
    planned()
    assert not PurgePlan.objects.filter(pk=old.pk).exists()
    assert not PurgePlanTask.objects.filter(plan=old.pk).exists()
