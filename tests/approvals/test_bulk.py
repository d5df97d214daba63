"""One answer to many questions: the same rules for each, what is left out is said, and each has its result."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone

from approvals import bulk, decisions
from approvals.models import Approval, ApprovalQuerySet, BulkDecision, BulkDecisionRow, Handling, Vote
from approvals.telling import sweep
from approvals.views import bulk as bulk_views
from taskboard.errors import BadInput, NotAllowed, NotFound, WrongState
from tests.conftest import logged_in, make_person
from tests.factories import make_approval, make_asking_step

pytestmark = pytest.mark.django_db(transaction=True)


def everything() -> ApprovalQuerySet:
    return Approval.objects.order_by("pk")  # type: ignore[return-value]


def carry_out(draft: BulkDecision) -> BulkDecision:
    bulk.carry_on(draft.pk, seconds=60)
    draft.refresh_from_db()
    return draft


def statuses() -> list[str]:
    return list(everything().values_list("status", flat=True))


def make_many(number: int) -> list[Approval]:
    """Questions of one task, written as rows: asking thousands one by one would take its time."""
    first = make_approval()
    times = {
        "requested_at": first.requested_at,
        "visible_at": first.visible_at,
        "expires_at": first.expires_at,
    }
    told = {
        name: getattr(first, name)
        for name in ("action", "payload", "payload_sha256", "policy", "consequence")
    }
    rows = [Approval(task=first.task, group_name="Managers", **told, **times) for _ in range(number - 1)]
    return [first, *Approval.objects.bulk_create(rows)]


def test_nothing_happens_before_it_is_confirmed(manager: User) -> None:
    make_approval()
    draft = bulk.choose(manager, "approve", everything())
    bulk.carry_on(draft.pk)
    assert statuses() == ["open"]


def test_each_question_is_answered_and_has_its_result(manager: User) -> None:
    for _ in range(3):
        make_approval()
    done = carry_out(bulk.begin(bulk.choose(manager, "approve", everything()).pk, manager))
    assert statuses() == ["approved"] * 3
    assert (done.total, done.done, done.refused) == (3, 3, 0)
    assert done.finished_at
    assert set(done.rows.values_list("result", flat=True)) == {"done"}
    assert set(Handling.objects.values_list("way", flat=True)) == {"bulk"}


def test_more_than_can_be_answered_at_once_are_refused(
    manager: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "MOST", 2)
    make_many(3)
    with pytest.raises(BadInput, match="These are 3 questions; at most 2"):
        bulk.choose(manager, "approve", everything())
    assert not BulkDecision.objects.exists()


def test_a_no_needs_a_reason_and_each_keeps_it(manager: User) -> None:
    make_approval()
    draft = bulk.choose(manager, "reject", everything())
    with pytest.raises(BadInput, match="Say why"):
        bulk.begin(draft.pk, manager, "  ")
    carry_out(bulk.begin(draft.pk, manager, "wrong month"))
    assert Approval.objects.get().reason == "wrong month"


def test_what_a_person_may_not_decide_is_left_out_with_the_reason(manager: User) -> None:
    make_approval(created_by=manager)
    make_approval(consequence="", payload={})
    make_approval(after="long\n" * 2000)
    make_approval()
    draft = bulk.choose(manager, "approve", everything())
    told = list(draft.rows.filter(result="excluded").values_list("told", flat=True))
    assert [words.split()[0] for words in told] == ["You", "Nothing", "It"]
    assert carry_out(bulk.begin(draft.pk, manager)).done == 1
    assert statuses() == ["open", "open", "open", "approved"]


def test_one_that_changed_after_the_choice_is_left_alone(manager: User) -> None:
    first = make_approval()
    second = make_approval(make_asking_step())
    draft = bulk.begin(bulk.choose(manager, "approve", everything()).pk, manager)
    make_approval(first.step, payload={"pay": 900})
    decisions.decide(second.pk, make_person("quick", "Managers"), "approve", "", second.payload_sha256)
    done = carry_out(draft)
    told = list(done.rows.values_list("result", "told"))
    assert [result for result, _told in told] == ["refused", "refused"]
    assert "The proposal changed" in told[0][1]
    assert "quick approved this on" in told[1][1]
    assert Approval.objects.filter(status="open", payload__pay=900).exists()


def test_more_than_a_thousand_are_chosen_on_the_server(manager: User) -> None:
    make_many(1200)
    client = logged_in(manager)
    answer: Any = client.post(
        reverse("approvals:bulk_choose"), {"all": "1", "show": "mine", "outcome": "reject"}
    )
    assert answer.status_code == 302
    plan = client.get(answer.url).content.decode()
    assert "Reject: 1,200 questions" in plan
    asked = ",".join(str(pk) for pk in everything().values_list("pk", flat=True))
    ticked: Any = client.post(reverse("approvals:bulk_choose"), {"questions": asked, "outcome": "reject"})
    assert ticked.status_code == 302
    draft = BulkDecision.objects.latest("pk")
    assert draft.rows.count() == 1200


def test_a_worker_that_stopped_goes_on_behind_the_last_answer(manager: User) -> None:
    for _ in range(3):
        make_approval()
    draft = bulk.begin(bulk.choose(manager, "approve", everything()).pk, manager)
    bulk.carry_on(draft.pk, seconds=0)
    assert Vote.objects.count() == 1
    BulkDecision.objects.update(busy_until=timezone.now() + timedelta(minutes=1))
    bulk.carry_on(draft.pk)
    assert Vote.objects.count() == 1
    assert bulk.abandoned(timezone.now() + timedelta(minutes=2)) == [draft.pk]
    sweep.look(timezone.now())
    BulkDecision.objects.update(busy_until=None)
    assert carry_out(draft).done == 3


def test_who_lost_the_right_meanwhile_answers_nothing_more(manager: User) -> None:
    make_approval()
    draft = bulk.begin(bulk.choose(manager, "approve", everything()).pk, manager)
    manager.groups.clear()
    assert "may not do this any more" in carry_out(draft).stopped_why
    assert statuses() == ["open"]


def test_the_rest_can_be_cancelled(manager: User) -> None:
    make_approval()
    draft = bulk.begin(bulk.choose(manager, "approve", everything()).pk, manager)
    bulk.cancel(draft, manager)
    assert carry_out(draft).cancelled_at
    assert statuses() == ["open"]
    with pytest.raises(WrongState):
        bulk.cancel(draft, manager)


def test_it_is_confirmed_once_and_by_its_maker(manager: User, operator: User) -> None:
    make_approval()
    draft = bulk.choose(manager, "approve", everything())
    with pytest.raises(NotFound):
        bulk.begin(draft.pk, make_person("other", "Managers"))
    with pytest.raises(NotAllowed):
        bulk.begin(draft.pk, operator)
    bulk.begin(draft.pk, manager)
    with pytest.raises(WrongState):
        bulk.begin(draft.pk, manager)


def test_the_pages_ask_first_and_then_tell_of_each(manager: User) -> None:
    mine, barred = make_approval(), make_approval(created_by=manager)
    client = logged_in(manager)
    chosen: Any = client.post(
        reverse("approvals:bulk_choose"), {"question": [mine.pk, barred.pk], "outcome": "reject"}
    )
    plan = client.get(chosen.url).content.decode()
    assert "Reject 1 question" in plan
    assert "You started this task" in plan
    pk = BulkDecisionRow.objects.first().bulk_id  # type: ignore[union-attr]
    begin = reverse("approvals:bulk_begin", args=[pk])
    refused: Any = client.post(begin, {"reason": ""})
    assert refused.status_code == 422
    assert "Say why" in refused.content.decode()
    assert client.post(begin, {"reason": "no"}).status_code == 302
    bulk.carry_on(pk, seconds=60)
    page = client.get(chosen.url).content.decode()
    assert "1 of 1 answered" in page
    assert client.get(reverse("approvals:bulk_progress", args=[pk])).status_code == 200


def test_all_that_match_are_those_of_the_search_and_no_others(manager: User) -> None:
    wanted, _other = make_approval(action="Pay the rent"), make_approval(action="Pay the baker")
    said = {"all": "1", "show": "mine", "q": "rent", "outcome": "approve"}
    assert logged_in(manager).post(reverse("approvals:bulk_choose"), said).status_code == 302
    assert list(BulkDecisionRow.objects.values_list("approval", flat=True)) == [wanted.pk]


def test_results_are_paged_by_the_last_row_seen(manager: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk_views, "PER_PAGE", 2)
    make_many(3)
    done = carry_out(bulk.begin(bulk.choose(manager, "approve", everything()).pk, manager))
    client, address = logged_in(manager), reverse("approvals:bulk", args=[done.pk])
    first: Any = client.get(address)
    assert ([row.position for row in first.context["rows"]], first.context["after"]) == ([1, 2], 2)
    then: Any = client.get(address, {"after": "2"})
    assert ([row.position for row in then.context["rows"]], then.context["after"]) == ([3], None)


def test_nothing_ticked_is_said_and_a_draft_is_private(manager: User, operator: User) -> None:
    client = logged_in(manager)
    assert client.post(reverse("approvals:bulk_choose"), {"outcome": "approve"}).status_code == 422
    make_approval()
    draft = bulk.choose(manager, "approve", everything())
    assert logged_in(operator).get(reverse("approvals:bulk", args=[draft.pk])).status_code == 404
    assert logged_in(operator).post(reverse("approvals:bulk_choose"), {"all": "1"}).status_code == 403
