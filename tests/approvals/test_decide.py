"""One person's answer: accepted, or refused with a sentence."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from approvals import decisions
from approvals.errors import AlreadyDecided, Changed, Expired, ReasonMissing
from approvals.models import Approval, Vote
from taskboard.errors import BadInput, NotAllowed, NotFound
from taskboard.gates import gate
from taskboard.models import Checkpoint, Kind
from taskboard.outcomes import Policy
from tests.conftest import make_person
from tests.factories import make_approval


def decide(
    asked: Approval, who: User, outcome: str = "approve", reason: str = "", **over: object
) -> Approval:
    digest = str(over.pop("digest", asked.payload_sha256))
    return decisions.decide(asked.pk, who, outcome, reason, digest, **over)  # type: ignore[arg-type]


def test_it_keeps_who_what_when_and_with_which_right(manager: User) -> None:
    decided = decide(make_approval(), manager, reason="looks right")
    decided.refresh_from_db()
    assert (decided.status, decided.verdict, decided.reason) == ("approved", "approve", "looks right")
    assert (decided.decided_by, decided.decided_by_name) == (manager, "manager")
    assert decided.decided_with == "member of Managers"
    assert decided.decided_sha256 == decided.payload_sha256
    assert decided.decided_at == decided.closed_at is not None


def test_it_is_journaled_with_id_digest_and_reason(manager: User) -> None:
    asked = decide(make_approval(), manager, "reject", "too dear")
    row = Checkpoint.objects.get(task=asked.task, kind=Kind.DECIDED)
    assert (row.actor, row.data["approval"], row.data["digest"]) == (
        "manager",
        asked.pk,
        asked.payload_sha256,
    )
    assert (row.data["outcome"], row.data["reason"]) == ("reject", "too dear")


def test_the_second_is_told_who_what_and_when(manager: User) -> None:
    asked = decide(make_approval(), manager)
    with pytest.raises(
        AlreadyDecided, match=r"manager approved this on \d+ \w+ 20\d\d, \d\d:\d\d:\d\d UTC\."
    ):
        decide(asked, make_person("late", "Managers"), "reject", "no")
    assert Vote.objects.count() == 1


def test_the_starter_is_refused(manager: User) -> None:
    with pytest.raises(NotAllowed, match="You started this task"):
        decide(make_approval(created_by=manager), manager)
    assert not Vote.objects.exists()


def test_the_starter_may_decide_where_the_policy_says_so(manager: User) -> None:
    asked = make_approval(created_by=manager, policy=Policy(starter_may_decide=True))
    decided = decide(asked, manager)
    assert decided.decided_by == manager
    assert decided.decided_with == "member of Managers, who also started the task"


def test_a_rejection_needs_a_reason(manager: User) -> None:
    asked = make_approval()
    with pytest.raises(ReasonMissing, match="Say why"):
        decide(asked, manager, "reject", "  \n")
    assert not Vote.objects.exists()


def test_another_word_than_approve_or_reject_is_refused(manager: User) -> None:
    with pytest.raises(BadInput, match="approve or reject"):
        decide(make_approval(), manager, "maybe")


def test_after_the_deadline_nobody_can_decide_though_no_sweep_has_run(manager: User) -> None:
    asked = make_approval()
    Approval.objects.update(expires_at=timezone.now() - timedelta(minutes=5))
    with pytest.raises(Expired, match="time to answer is over"):
        decide(asked, manager)
    asked.refresh_from_db()
    assert (asked.status, asked.shown_status, asked.decided_by) == ("open", "expired", None)


def test_an_old_page_cannot_approve_a_new_proposal(manager: User) -> None:
    first = make_approval()
    second = make_approval(first.step, payload={"pay": 200})
    with pytest.raises(AlreadyDecided, match="The proposal changed"):
        decide(first, manager)
    with pytest.raises(Changed, match="read it again"):
        decide(second, manager, digest=first.payload_sha256)
    second.refresh_from_db()
    assert second.status == "open"


def test_an_action_changed_in_the_database_is_void_and_asked_again(manager: User) -> None:
    asked = make_approval()
    Approval.objects.update(payload={"pay": 10_000, "to": "page_001"})
    with pytest.raises(Changed, match="no longer fits its seal"):
        decide(asked, manager)
    asked.refresh_from_db()
    assert (asked.status, asked.step.status) == ("void", "pending")  # type: ignore[union-attr]
    assert not Vote.objects.exists()


@pytest.mark.parametrize("loss", ["group", "active", "right", "gone"])
def test_a_right_that_was_taken_away_meanwhile_counts(manager: User, loss: str) -> None:
    asked = make_approval()
    if loss == "group":
        manager.groups.clear()
    elif loss == "active":
        User.objects.filter(pk=manager.pk).update(is_active=False)
    elif loss == "right":
        manager.groups.get().permissions.clear()
    else:
        User.objects.filter(pk=manager.pk).delete()
    with pytest.raises(NotAllowed):
        decide(asked, manager)
    assert not Vote.objects.exists()


def test_an_administrator_decides_only_where_the_policy_names_them(admin: User) -> None:
    with pytest.raises(NotAllowed, match="Only members of “Managers”"):
        decide(make_approval(), admin)
    assert decide(make_approval(policy=Policy(group="Administrators")), admin).decided_by == admin


def test_as_many_as_the_policy_says_have_to_agree(manager: User) -> None:
    asked = decide(make_approval(policy=Policy(needed=2)), manager)
    asked.refresh_from_db()
    assert (asked.status, asked.votes.count()) == ("open", 1)
    with pytest.raises(AlreadyDecided, match="already answered"):
        decide(asked, manager)
    assert decide(asked, make_person("second", "Managers")).status == "approved"


def test_a_single_no_decides(manager: User) -> None:
    asked = make_approval(policy=Policy(needed=3))
    assert decide(asked, manager, "reject", "never").status == "rejected"


def test_an_edit_has_a_digest_of_its_own_and_both_versions_are_kept(manager: User) -> None:
    asked = make_approval(editable=("pay",))
    decided = decide(asked, manager, edited={"pay": 90})
    decided.refresh_from_db()
    assert (decided.payload["pay"], decided.decided_payload) == (100, {"pay": 90, "to": asked.item_key})
    assert decided.decided_sha256 != decided.payload_sha256 == asked.payload_sha256
    seal = decided.step and gate().seal(decided.step)
    assert seal
    assert (seal.action["pay"], seal.action_sha256) == (90, decided.decided_sha256)


def test_an_edited_text_is_not_left_empty(manager: User) -> None:
    asked = make_approval(editable=("title",), payload={"title": "Tea and cups"})
    with pytest.raises(BadInput, match="The edited text is empty"):
        decide(asked, manager, edited={"title": " "})


def test_a_field_that_is_not_editable_cannot_be_changed(manager: User) -> None:
    with pytest.raises(BadInput, match="to: This field cannot be changed"):
        decide(make_approval(editable=("pay",)), manager, edited={"to": "me"})


def test_the_name_of_a_deleted_user_stays(manager: User) -> None:
    asked = decide(make_approval(), manager)
    manager.delete()
    asked.refresh_from_db()
    assert (asked.decided_by, asked.decided_by_name, asked.votes.get().user_name) == (
        None,
        "manager",
        "manager",
    )


def test_a_question_that_is_not_there_is_said_so(manager: User) -> None:
    with pytest.raises(NotFound, match="no such question"):
        decisions.decide(12345, manager, "approve")
