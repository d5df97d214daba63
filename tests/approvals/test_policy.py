"""Who has to agree: stages, voices, amounts, and what an administrator says instead."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import Group, User

from approvals import policy, routing
from approvals.errors import AlreadyDecided
from approvals.models import Approval, Outcome, PolicyOverride, Vote
from taskboard.errors import BadInput, NotAllowed
from taskboard.models import Checkpoint, Kind
from taskboard.outcomes import Above, Policy, Stage
from tests.approvals.answers import answer, sweep
from tests.conftest import logged_in, make_person
from tests.factories import make_approval

TWO = Policy(then=(Stage("Administrators"),))


@pytest.fixture
def second(manager: User) -> User:
    return make_person("second", "Managers")


def test_one_group_is_asked_after_the_other(manager: User, admin: User) -> None:
    asked = make_approval(policy=TWO)
    with pytest.raises(NotAllowed, match="Only members of “Managers”"):
        answer(asked, admin)
    answer(asked, manager)
    asked.refresh_from_db()
    assert (asked.status, asked.stage, asked.group_name) == ("open", 1, "Administrators")
    assert answer(asked, admin).status == "approved"
    rights = Vote.objects.order_by("pk").values_list("stage", "given_with")
    assert list(rights) == [(0, "member of Managers"), (1, "member of Administrators")]


def test_passed_on_to_one_person_it_still_goes_to_the_whole_next_group(
    manager: User, second: User, admin: User
) -> None:
    asked = make_approval(policy=TWO)
    routing.pass_on_to_person(asked.pk, manager, second, "she knows")
    answer(asked, second)
    assert answer(asked, admin).status == "approved"


def test_each_group_has_a_window_of_its_own(manager: User) -> None:
    asked = make_approval(policy=Policy(then=(Stage("Administrators"),), window=timedelta(hours=2)))
    was = asked.expires_at
    answer(asked, manager)
    asked.refresh_from_db()
    assert asked.expires_at
    assert asked.visible_at
    assert was
    assert asked.expires_at > was
    assert asked.expires_at - asked.visible_at == timedelta(hours=2)


def test_nobody_answers_for_two_groups(manager: User) -> None:
    manager.groups.add(Group.objects.get(name="Administrators"))
    asked = make_approval(policy=TWO)
    answer(asked, manager)
    with pytest.raises(AlreadyDecided, match="already answered"):
        answer(asked, manager)


def test_the_voices_of_one_group_do_not_count_in_the_next(manager: User, second: User, admin: User) -> None:
    asked = make_approval(policy=Policy(needed=2, then=(Stage("Administrators", 2),)))
    answer(asked, manager)
    answer(asked, second)
    assert answer(asked, admin).status == "open"
    assert answer(asked, make_person("other", "Administrators")).status == "approved"


def test_what_the_first_group_said_still_counts_when_the_second_is_late(manager: User, admin: User) -> None:
    asked = make_approval(policy=Policy(then=(Stage("Nobody"),), escalate_to="Administrators"))
    answer(asked, manager)
    Approval.objects.update(expires_at=asked.requested_at)
    sweep()
    following = Approval.objects.get(predecessor=asked)
    assert (following.stage, following.group_name) == (1, "Administrators")
    assert following.votes.get().user_name == "manager"
    assert answer(following, admin).status == "approved"


def test_without_a_veto_as_many_noes_are_needed_as_yeses(manager: User, second: User) -> None:
    asked = make_approval(policy=Policy(needed=2, veto=False))
    assert answer(asked, manager, "reject", "no").status == "open"
    assert answer(asked, make_person("third", "Managers")).status == "open"
    assert answer(asked, second, "reject", "no").status == "rejected"


@pytest.mark.parametrize(("amount", "groups"), [("99", 1), ("100", 1), ("100.000001", 2), (None, 2)])
def test_an_amount_above_a_threshold_adds_a_group(db: None, amount: str | None, groups: int) -> None:
    above = Policy(above=(Above(Decimal(100), "Administrators"),))
    assert len(make_approval(policy=above, amount_usd=amount).stages) == groups


def test_a_number_cannot_be_raised_past_a_threshold_with_the_answer(manager: User) -> None:
    above = Policy(above=(Above(500, "Administrators"),))  # type: ignore[arg-type]
    asked = make_approval(policy=above, amount_usd="100", editable=("pay",))
    with pytest.raises(BadInput, match="cannot be raised here"):
        answer(asked, manager, edited={"pay": 10_000})
    assert answer(asked, manager, edited={"pay": 90}).status == "approved"


def test_several_people_agree_to_the_same_action_only(manager: User) -> None:
    asked = make_approval(policy=Policy(needed=2), editable=("pay",))
    with pytest.raises(BadInput, match="the same action"):
        answer(asked, manager, edited={"pay": 90})


def test_no_window_is_longer_than_thirty_days(db: None) -> None:
    asked = make_approval(policy=Policy(window=timedelta(days=400)))
    assert asked.expires_at
    assert asked.expires_at - asked.requested_at == timedelta(days=30)


def test_an_administrators_word_takes_the_place_of_the_workflows(manager: User) -> None:
    said: dict[str, Any] = {"needed": 2, "then_group": "Administrators", "window_hours": 3}
    row = PolicyOverride.objects.create(workflow="asking", step="pay", version=4, **said)
    asked = make_approval()
    assert [stage["needed"] for stage in asked.stages] == [2, 1]
    assert asked.policy["override"] == {"id": row.pk, "version": 4}
    assert asked.policy_sha256 == policy.version(asked.policy)
    assert asked.expires_at
    assert asked.expires_at - asked.requested_at == timedelta(hours=3)


def test_a_question_that_was_asked_keeps_its_policy(manager: User) -> None:
    asked = make_approval()
    PolicyOverride.objects.create(workflow="asking", step="pay", needed=5)
    assert answer(asked, manager).status == "approved"


def form(**over: str) -> dict[str, str]:
    return {"workflow": "asking", "step": "pay", "then_needed": "1", "needed": "2", **over}


def test_it_is_written_in_the_admin_and_its_version_grows(admin: User) -> None:
    client, address = logged_in(admin), "/admin/approvals/policyoverride/"
    assert client.post(f"{address}add/", form()).status_code == 302
    row = PolicyOverride.objects.get()
    assert client.post(f"{address}{row.pk}/change/", form(needed="3")).status_code == 302
    row.refresh_from_db()
    assert (row.needed, row.version, row.changed_by_name) == (3, 2, "admin")


@pytest.mark.parametrize(
    ("over", "sentence"),
    [
        ({"workflow": "nope"}, "There is no such workflow"),
        ({"step": "nope"}, "Its steps are: look, pay."),
        ({"group": "Managrs"}, "There is no group with this name."),
        ({"above_usd": "5"}, "Give both the amount and the group"),
        ({"window_hours": "9999"}, "less than or equal to 720"),
        ({"needed": "0"}, "greater than or equal to 1"),
    ],
)
def test_a_slip_in_it_is_refused(admin: User, over: dict[str, str], sentence: str) -> None:
    answered = logged_in(admin).post("/admin/approvals/policyoverride/add/", form(**over))
    assert sentence in answered.content.decode()
    assert not PolicyOverride.objects.exists()


def test_managers_cannot_write_policies(manager: User) -> None:
    manager.is_staff = True
    manager.save()
    assert logged_in(manager).get("/admin/approvals/policyoverride/add/").status_code == 403


@pytest.mark.parametrize(
    ("outcome", "voices", "veto", "means"),
    [
        (Outcome.APPROVE, 1, True, ""), (Outcome.APPROVE, 2, True, Outcome.APPROVE),
        (Outcome.REJECT, 1, True, Outcome.REJECT), (Outcome.REJECT, 1, False, ""),
        (Outcome.REJECT, 2, False, Outcome.REJECT), (Outcome.CHANGES, 1, False, Outcome.CHANGES),
    ],
)  # fmt: skip
def test_what_an_answer_means(outcome: str, voices: int, veto: bool, means: str) -> None:
    assert policy.meaning({"veto": veto}, [{"group": "A", "needed": 2}], 0, outcome, voices) == means


def test_the_journal_says_that_a_voice_did_not_decide_yet(manager: User) -> None:
    asked = make_approval(policy=TWO)
    answer(asked, manager)
    row = Checkpoint.objects.get(task=asked.task, kind=Kind.DECIDED)
    assert (row.data["decides"], row.data["next"]) == (False, "Administrators")
