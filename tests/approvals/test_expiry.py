"""No answer in time: a state of its own, without a deciding person."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.utils import timezone

from approvals import decisions, expiry
from approvals.models import Approval, ApprovalStatus
from taskboard.errors import NotAllowed
from taskboard.gates import gate
from taskboard.models import Checkpoint, Kind
from taskboard.outcomes import Policy
from tests.factories import make_approval, make_asking_step


def overdue(**policy: Any) -> Approval:
    asked = make_approval(policy=Policy(window=timedelta(minutes=1), **policy))
    Approval.objects.filter(pk=asked.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    return asked


def sweep() -> int:
    return gate().expire(timezone.now()) + gate().collect(timezone.now())


def test_it_goes_to_the_next_group_with_a_window_of_its_own(db: None) -> None:
    asked = overdue(escalate_to="Administrators")
    assert sweep() == 1
    asked.refresh_from_db()
    following = asked.successor
    assert (asked.status, asked.decided_by, asked.decided_at, asked.verdict) == ("expired", None, None, "")
    assert (following.status, following.group_name, following.payload) == (
        "open",
        "Administrators",
        asked.payload,
    )
    assert following.expires_at > timezone.now()
    assert asked.step
    assert asked.step.status == "waiting_approval"


def test_it_is_journaled_as_expired_not_as_decided(db: None) -> None:
    asked = overdue()
    sweep()
    kinds = list(Checkpoint.objects.filter(task=asked.task).values_list("kind", flat=True))
    assert kinds.count(Kind.EXPIRED) == 1
    assert kinds.count(Kind.ASKED) == 2
    assert Kind.DECIDED not in kinds


def test_the_group_it_went_to_decides(admin: User) -> None:
    overdue()
    sweep()
    following = Approval.objects.get(status=ApprovalStatus.OPEN)
    assert decisions.decide(following.pk, admin, "approve", "", following.payload_sha256).decided_by == admin


def test_it_counts_as_a_no_only_where_the_policy_says_so(db: None) -> None:
    asked = overdue(on_expiry="reject")
    sweep()
    asked.refresh_from_db()
    assert asked.step
    assert asked.step.status == "rejected"
    assert (asked.status, asked.decided_by_name) == ("expired", "")
    assert "Nobody answered in time" in asked.step.error


def test_it_counts_as_a_yes_only_where_the_policy_says_so(db: None) -> None:
    asked = overdue(on_expiry="approve")
    sweep()
    asked.refresh_from_db()
    assert asked.step
    assert (asked.step.status, asked.step.action) == ("pending", asked.payload)
    seal = gate().seal(asked.step)
    assert asked.status == "expired"
    assert seal
    assert seal.action_sha256 == asked.step.action_sha256


@pytest.mark.parametrize("on_expiry", ["", "no such thing"])
def test_an_unknown_policy_fails_closed(db: None, on_expiry: str) -> None:
    asked = overdue(on_expiry=on_expiry)
    sweep()
    assert asked.step
    assert asked.step.status == "waiting_approval"
    assert Approval.objects.filter(predecessor=asked, status="open").exists()


def test_who_only_reads_closes_none_that_is_overdue(outsider: User, operator: User) -> None:
    asked = overdue(on_expiry="reject")
    outsider.user_permissions.add(Permission.objects.get(codename="view_approval"))
    with pytest.raises(NotAllowed, match="may close one"):
        expiry.close(asked.pk, outsider)
    assert Approval.objects.get(pk=asked.pk).status == "open"
    assert expiry.close(asked.pk, operator)


def test_all_overdue_ones_are_closed_in_one_round(db: None) -> None:
    task = make_asking_step().task
    for _ in range(250):
        make_approval(make_asking_step(task), policy=Policy(on_expiry="reject"))
    Approval.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert expiry.expire_overdue(timezone.now()) == 250
    assert not Approval.objects.filter(status=ApprovalStatus.OPEN).exists()


def test_one_that_is_in_time_or_held_is_left_open(db: None) -> None:
    make_approval()
    Approval.objects.filter(pk=overdue().pk).update(held=True)
    assert sweep() == 0
