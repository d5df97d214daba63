"""The permanent record of a question: asked = approved = executed."""

import re
from datetime import timedelta
from html import unescape

from django.contrib.auth.models import User
from django.utils import timezone

from approvals import decisions, resumer
from approvals.expiry import expire_overdue
from approvals.models import Approval
from taskboard.models import Step
from tests.approvals.answers import answer
from tests.conftest import logged_in
from tests.factories import make_approval


def page(user: User, asked: Approval) -> str:
    return unescape(logged_in(user).get(asked.get_absolute_url()).content.decode())


def decided(manager: User, outcome: str = "approve") -> Approval:
    asked = make_approval()
    return decisions.decide(asked.pk, manager, outcome, "because it is right", asked.payload_sha256)


def run(asked: Approval, **fields: object) -> None:
    now = timezone.now()
    done = {
        "status": "done",
        "started_at": now,
        "finished_at": now,
        "verified_at": now,
        "verified_how": "reads back",
    }
    Step.objects.filter(pk=asked.step_id).update(**{**done, **fields})


def test_it_shows_three_equal_digests_once_the_step_has_run(manager: User, operator: User) -> None:
    asked = decided(manager)
    resumer.pick_up(asked.pk)
    run(asked)
    shown = page(operator, asked)
    assert shown.count(f">{asked.payload_sha256}<") >= 3
    assert "The same" in shown
    for word in ("because it is right", "Picked up", "The step began", "reads back", "member of Managers"):
        assert word in shown


def test_the_answer_that_closed_it_is_one_line_of_what_happened(manager: User) -> None:
    asked = make_approval()
    decisions.decide(asked.pk, manager, "reject", "too early", asked.payload_sha256, undo_seconds=60)
    decisions.take_back(asked.pk, manager)
    decisions.decide(asked.pk, manager, "approve", "because it is right", asked.payload_sha256)
    happened = page(manager, asked).partition('id="history"')[2]
    assert [happened.count(words) for words in ("because it is right", "Approved", "too early")] == [1, 1, 1]
    assert "(taken back)" in happened
    assert happened.index("Taken back") < happened.index("because it is right")


def test_it_says_when_something_else_was_executed(manager: User) -> None:
    asked = decided(manager)
    resumer.pick_up(asked.pk)
    run(asked, action={"pay": 10_000})
    assert "The same" not in page(manager, asked)


def test_the_seal_of_a_skipped_step_claims_no_write(manager: User) -> None:
    asked = make_approval(editable=("pay",))
    answer(asked, manager, edited={"pay": 90})
    resumer.pick_up(asked.pk)
    run(asked, status="skipped")
    shown = page(manager, asked)
    assert "Skipped, nothing was written" in shown
    assert "executed as approved" not in shown
    assert "<strong>Executed</strong>" not in shown


def test_an_edited_answer_says_by_whom_and_what_was_approved_before_what_was_asked(manager: User) -> None:
    asked = make_approval(editable=("pay",), before="Pay 0", after="Pay 100")
    answer(asked, manager, edited={"pay": 90})
    resumer.pick_up(asked.pk)
    run(asked)
    shown = page(manager, asked)
    told = (
        "Edited by manager before approval",
        "What was approved",
        ">90<",
        "as asked, before the edit",
        ">100<",
    )
    assert re.search(".*".join(told), shown, re.DOTALL)
    assert "Also part of the action" not in shown
    assert "The same" not in shown
    assert "Edited, then executed as approved" in shown
    assert "Not the same as asked: manager edited the action." in shown


def test_an_answer_that_was_not_edited_says_nothing_of_an_edit(manager: User) -> None:
    shown = page(manager, decided(manager))
    assert "Edited by" not in shown
    assert "before the edit" not in shown


def test_until_it_is_picked_up_it_says_so_with_its_age(manager: User) -> None:
    asked = decided(manager)
    assert "Decided, not picked up yet" in page(manager, asked)
    resumer.pick_up(asked.pk)
    assert "Decided, not picked up yet" not in page(manager, asked)


def test_past_its_deadline_it_reads_as_expired_at_once(manager: User) -> None:
    asked = make_approval()
    Approval.objects.update(expires_at=timezone.now() - timedelta(minutes=1))
    shown = page(manager, asked)
    assert "Expired" in shown
    assert 'name="outcome"' not in shown


def test_an_expired_one_names_nobody_and_links_its_successor(manager: User) -> None:
    asked = make_approval()
    Approval.objects.update(expires_at=timezone.now() - timedelta(minutes=1))
    expire_overdue(timezone.now())
    following = Approval.objects.get(predecessor=asked)
    shown = page(manager, asked)
    assert "Nobody answered in time" in shown
    assert f'href="{following.get_absolute_url()}"' in shown


def test_a_proposal_that_changed_links_the_new_question(manager: User) -> None:
    first = make_approval()
    second = make_approval(first.step, payload={"pay": 200})
    assert f'href="{second.get_absolute_url()}"' in page(manager, first)
    assert f'href="{first.get_absolute_url()}"' in page(manager, second)


def test_an_approve_on_expiry_is_said_on_the_card(manager: User) -> None:
    asked = make_approval()
    Approval.objects.update(policy={**asked.policy, "on_expiry": "approve"})
    assert "carried out without a person’s yes" in page(manager, asked)


def test_the_name_of_a_deleted_user_stays_on_it(manager: User, operator: User) -> None:
    asked = decided(manager)
    manager.delete()
    assert "manager approved this" in page(operator, asked)


def test_one_that_does_not_exist_is_not_found(manager: User) -> None:
    assert logged_in(manager).get("/approvals/99999/").status_code == 404


def test_after_the_answer_it_refreshes_itself_until_the_step_has_ended(manager: User) -> None:
    asked = decided(manager)
    address = f'hx-get="{asked.get_absolute_url()}record"'
    assert address in page(manager, asked)
    resumer.pick_up(asked.pk)
    run(asked)
    assert address not in page(manager, asked)
    assert "The step began" in logged_in(manager).get(f"{asked.get_absolute_url()}record").content.decode()


def test_who_is_about_to_answer_is_told_that_it_was_settled_elsewhere(manager: User) -> None:
    asked = make_approval()
    address = f"{asked.get_absolute_url()}record?answering=1"
    assert f'hx-get="{address}"' in page(manager, asked)
    assert "Settled meanwhile" not in logged_in(manager).get(address).content.decode()
    decisions.decide(asked.pk, manager, "reject", "No.", asked.payload_sha256)
    told = logged_in(manager).get(address).content.decode()
    assert "Settled meanwhile" in told
    assert "Rejected" in told


def test_the_seal_of_a_rejected_question_says_one_thing(manager: User) -> None:
    shown = page(manager, decided(manager, "reject"))
    assert "<strong>Rejected</strong>" in shown
    assert "<strong>Approved</strong>" not in shown
    assert "has to agree" not in shown


def test_who_comes_too_late_is_told_by_whom_and_when_on_top(manager: User) -> None:
    asked = decided(manager)
    said = {"outcome": "approve", "reason": "", "digest": asked.payload_sha256}
    response = logged_in(manager).post(f"{asked.get_absolute_url()}decide", said)
    assert response.status_code == 409
    shown = response.content.decode()
    assert 'role="alert"' in shown
    assert shown.count("manager approved this on") >= 3  # as a toast, on top, and in the record


def test_a_difference_among_the_evidence_is_drawn_as_one(manager: User) -> None:
    text = "--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n"
    asked = make_approval(evidence=[{"label": "Difference", "text": text}])
    assert "<ins><bdi>+new</bdi></ins>" in page(manager, asked)
