"""The step that opens tickets, and the list of them."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from taskboard.models import Task
from taskboard.outcomes import Absent, Done, Found, GiveUp, NotVerified, Skip, Verified
from taskboard.workflows.seo_audit import tickets
from taskboard.workflows.seo_audit.diagnosis import diagnose
from taskboard.workflows.seo_audit.names import plain_address
from tests.seo_audit.peer import TrackerPeer, serving
from tests.seo_audit.steps import Ctx, html, indexed, make_folder

pytestmark = pytest.mark.django_db


@pytest.fixture
def task(tmp_path: Path, settings: Any) -> Task:
    settings.TASKBOARD_VAR = tmp_path / "var"
    settings.TASKBOARD_TRACKER_URL = ""
    return indexed(make_folder(tmp_path / "site", {"a.html": html(body="")}))


def ticket_ctx(task: Task) -> Ctx:
    ctx = Ctx(task, "a.html", "create_ticket")
    ctx.outputs["diagnose"] = diagnose(ctx).outputs
    return ctx


def test_a_ticket_is_found_by_its_key_and_verified(task: Task) -> None:
    ctx = ticket_ctx(task)
    assert tickets.find(None, ctx) == Absent()
    outcome = tickets.create(ctx)
    assert isinstance(outcome, Done)
    assert tickets.create(ctx) == outcome
    assert tickets.find(None, ctx) == Found("T-1", "Ticket T-1", {"ticket": "T-1"})
    assert isinstance(tickets.verify(None, ctx, outcome), Verified)


def test_another_ticket_under_the_key_is_not_ours(task: Task) -> None:
    ctx = ticket_ctx(task)
    outcome = tickets.create(ctx)
    assert isinstance(outcome, Done)
    assert isinstance(tickets.verify(None, ctx, Done(external_id="T-9")), NotVerified)
    ctx.outputs["diagnose"]["findings"] = []
    assert isinstance(tickets.verify(None, ctx, outcome), NotVerified)


def test_a_page_with_nothing_to_mend_gets_no_ticket(task: Task) -> None:
    ctx = ticket_ctx(task)
    ctx.outputs["diagnose"]["ticket"] = False
    assert isinstance(tickets.create(ctx), Skip)


def test_a_refusal_ends_the_item_with_the_trackers_words(task: Task, settings: Any) -> None:
    peer = TrackerPeer()
    peer.mode = "refuse"
    with serving(peer) as settings.TASKBOARD_TRACKER_URL:
        outcome = tickets.create(ticket_ctx(task))
    assert outcome == GiveUp("The tracker refused the ticket: The project is closed.")


def test_the_effect_is_named_by_page_and_faults(task: Task) -> None:
    ctx = ticket_ctx(task)
    key = tickets.effect_key(None, ctx)
    assert key == f"ticket:{task.params['source']}/a.html#{','.join(codes(ctx))}"
    ctx.outputs["diagnose"]["findings"][0]["text"] = "another number of them"
    assert tickets.effect_key(None, ctx) == key
    ctx.outputs["diagnose"]["findings"].pop()
    assert tickets.effect_key(None, ctx) != key


def codes(ctx: Ctx) -> list[str]:
    return sorted(finding["code"] for finding in ctx.outputs["diagnose"]["findings"])


@pytest.mark.parametrize(
    "address", ["https://Example.org/a?b=c#top", "https://example.org:443/a?b=c", "HTTPS://example.org/a?b=c"]
)
def test_one_address_has_one_spelling(address: str) -> None:
    assert plain_address(address) == "https://example.org/a?b=c"


def test_where_there_is_no_ticket_there_is_no_effect(task: Task) -> None:
    ctx = ticket_ctx(task)
    ctx.outputs["diagnose"]["ticket"] = False
    assert tickets.effect_key(None, ctx) == ""


def test_a_ticket_of_an_earlier_audit_may_have_another_title(task: Task) -> None:
    ctx = ticket_ctx(task)
    outcome = tickets.create(ctx)
    assert isinstance(outcome, Done)
    ctx.outputs["diagnose"]["findings"][0]["text"] = "another number of them"
    assert isinstance(tickets.verify(None, ctx, outcome), NotVerified)
    ctx.adopted = True
    assert isinstance(tickets.verify(None, ctx, outcome), Verified)


def test_the_list_is_one_json_value(task: Task) -> None:
    ctx = ticket_ctx(task)
    tickets.create(ctx)
    out = StringIO()
    call_command("tickets", "--json", stdout=out)
    (ticket,) = json.loads(out.getvalue())
    assert (ticket["id"], ticket["key"], ticket["title"]) == ("T-1", ctx.idempotency_key, tickets.title(ctx))
    call_command("tickets", stdout=out)
    assert ctx.idempotency_key in out.getvalue()


def test_the_list_says_when_tickets_go_elsewhere(task: Task, settings: Any) -> None:
    settings.TASKBOARD_TRACKER_URL = "https://tracker.example"
    with pytest.raises(CommandError, match=r"Tickets go to https://tracker\.example"):
        call_command("tickets")
