"""Changes asked for of many questions at once: one text, which each step that made a proposal reads."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from approvals import bulk
from approvals.models import Approval, BulkDecision
from taskboard.errors import BadInput
from taskboard.gates import gate
from taskboard.lifecycle import changing
from tests.approvals.test_bulk import carry_out, everything, statuses
from tests.conftest import logged_in
from tests.factories import make_approval, make_asking_step

pytestmark = pytest.mark.django_db(transaction=True)
TEXT = "Name the customer in each of them"


def test_each_gets_the_text_and_its_result(manager: User) -> None:
    for _ in range(3):
        make_approval()
    draft = bulk.begin(bulk.choose(manager, "changes", everything()).pk, manager, TEXT)
    assert carry_out(draft).done == 3
    assert statuses() == ["changes_requested"] * 3
    assert set(Approval.objects.values_list("reason", "verdict")) == {(TEXT, "changes")}


def test_it_needs_words(manager: User) -> None:
    make_approval()
    draft = bulk.choose(manager, "changes", everything())
    with pytest.raises(BadInput, match="Say what should be changed"):
        bulk.begin(draft.pk, manager, " ")


def test_long_ones_can_be_sent_back_and_those_without_a_step_are_left_out(manager: User) -> None:
    make_approval(after="line\n" * 2000)
    step = make_asking_step()
    with changing(step.task_id, "test") as change:
        gate().ask_for_budget(change, 5_000_000)
    draft = bulk.choose(manager, "changes", everything())
    results = list(draft.rows.values_list("result", "told"))
    assert [result for result, _told in results] == ["pending", "excluded"]
    assert "nobody could change it" in results[1][1]


def test_the_pages_ask_for_the_text(manager: User) -> None:
    asked = make_approval()
    client = logged_in(manager)
    inbox = client.get(reverse("approvals:inbox")).content.decode()
    assert 'form="pick"' in inbox
    assert 'name="outcome" value="changes"' in inbox
    chosen: Any = client.post(
        reverse("approvals:bulk_choose"), {"question": [asked.pk], "outcome": "changes"}
    )
    plan = client.get(chosen.url).content.decode()
    assert "proposed anew by its step" in plan
    assert "What should be changed" in plan
    begin = reverse("approvals:bulk_begin", args=[BulkDecision.objects.get().pk])
    refused: Any = client.post(begin, {"reason": ""})
    assert (refused.status_code, "Say what should be changed" in refused.content.decode()) == (422, True)
    assert client.post(begin, {"reason": TEXT}).status_code == 302
