"""SEC-07: whatever a name, note or error holds, every page, part, message and file shows it as text."""

import json
import re
from collections.abc import Iterator

import pytest
from django.contrib.admin.utils import quote
from django.contrib.auth.base_user import AbstractBaseUser
from django.urls import reverse
from django.utils.html import escape

from approvals.models import Approval
from taskboard import attention, attention_taken
from taskboard.live import Channel
from taskboard.models import (
    Artifact,
    BulkJob,
    BulkResult,
    Comment,
    Instruction,
    Item,
    ItemStatus,
    Risk,
    Step,
    StepStatus,
    Task,
)
from taskboard.views.regions import look
from tests.conftest import logged_in, make_person
from tests.factories import NOW, make_approval, make_asking_step, make_item, make_step, make_task

NASTY = '"><img src=x onerror=alert(1)><svg onload=alert(1)>{{7*7}}</script><script>alert(1)</script>'
WORDS = ("goal", "reason", "says", "created_by_name", "last_checkpoint", "brief_note")
LIVE = re.compile(r"<(?:img src=x|svg onload|script>alert)|\b49\b</|hx-confirm=[^\"']")


@pytest.fixture
def task(operator: AbstractBaseUser) -> Task:
    """A task whose every text means harm."""
    task = make_task(workflow="asking", plan=[NASTY], **dict.fromkeys(WORDS, NASTY[:150]))
    item = make_item(task, NASTY, label=NASTY, status=ItemStatus.FAILED)
    told = dict.fromkeys(("summary", "error", "external_id", "verified_how", "error_class"), NASTY[:100])
    make_step(item, "look", status=StepStatus.FAILED, started_at=NOW, finished_at=NOW, **told)
    odd = make_item(task, f"{NASTY}2", status=ItemStatus.BLOCKED)
    make_step(odd, "look", status=StepStatus.UNKNOWN, started_at=NOW, idempotency_key=NASTY, **told)
    Artifact.objects.create(
        task=task, item=item, name=NASTY, place=NASTY, media_type=NASTY[:90], created_at=NOW
    )
    Comment.objects.create(task=task, item=item, author_name=NASTY, text=NASTY, at=NOW)
    Risk.objects.create(task=task, text=NASTY, raised_by=NASTY, raised_at=NOW)
    Instruction.objects.create(task=task, position=1, text=NASTY, added_by=NASTY, added_at=NOW)
    job = BulkJob.objects.create(
        task=task, action="retry", by_name=NASTY, reason=NASTY, created_at=NOW, total=1
    )
    BulkResult.objects.create(job=job, position=1, item_key=NASTY, outcome="failed", told=NASTY)
    step = make_asking_step(task)
    words = dict.fromkeys(("consequence", "target", "before", "after"), NASTY)
    evidence = [{"label": NASTY, "text": NASTY}]
    make_approval(step, action=NASTY, payload={NASTY: NASTY}, evidence=evidence, **words)
    return Task.objects.get(pk=task.pk)


def pages(task: Task) -> Iterator[str]:
    base, item = task.get_absolute_url(), Item.objects.get(task=task, key=NASTY)
    approval, job = Approval.objects.get(), BulkJob.objects.get()
    parts = [
        f"{base}parts/{name}/" for name in ("state", "summary", "says", "plan", "questions", "checkpoints")
    ]
    mine = [
        "",
        "journal/",
        f"journal/?q={NASTY}",
        "brief/",
        "state/",
        f"bulk/{job.pk}/",
        "bulk/?action=retry&all=1",
    ]
    yield from [
        "/",
        f"/?q={NASTY}",
        f"/items/?q={NASTY[:20]}",
        "/activity/",
        "/attention/",
        item.get_absolute_url(),
    ]
    yield from [
        *(base + one for one in mine),
        f"{base}?text={NASTY}",
        f"{base}?step={NASTY}&at=failed",
        *parts,
    ]
    yield from ["/approvals/?show=open", f"/approvals/?q={NASTY}", f"/approvals/{approval.pk}/"]


def test_pages_and_parts(operator: AbstractBaseUser, task: Task) -> None:
    client = logged_in(operator)
    for address in pages(task):
        answer = client.get(address.replace("#", "%23"))
        assert answer.status_code == 200, address
        html = answer.content.decode()
        assert not LIVE.search(html), f"{address}: {LIVE.search(html)}"
        assert "script-src 'self'" in answer["Content-Security-Policy"]
        assert "unsafe" not in answer["Content-Security-Policy"]


def test_the_title_of_a_page(operator: AbstractBaseUser, task: Task) -> None:
    html = logged_in(operator).get(task.get_absolute_url()).content.decode()
    (title,) = re.findall("<title>(.*?)</title>", html, re.DOTALL)
    assert "<" not in title


@pytest.mark.parametrize(
    "name", ["task", "step", "item", "comment", "risk", "artifact", "bulkjob", "checkpoint"]
)
def test_the_admin(admin: AbstractBaseUser, task: Task, name: str) -> None:
    client, model = logged_in(admin), Task._meta.apps.get_model("taskboard", name)
    one = reverse(f"admin:taskboard_{name}_change", args=[quote(model.objects.first().pk)])
    for address in (reverse(f"admin:taskboard_{name}_changelist"), one):
        answer = client.get(address)
        assert answer.status_code == 200, address
        assert not LIVE.search(answer.content.decode())


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("kind", ["task", "items", "item", "row", "list", "bulk", "attention"])
def test_what_the_stream_sends(
    transactional_db: None, operator: AbstractBaseUser, task: Task, kind: str
) -> None:
    rests = {"item": Item.objects.filter(task=task).first(), "bulk": BulkJob.objects.first()}
    rest = rests.get(kind)
    of = 0 if kind in ("list", "attention") else task.pk
    channel = Channel(kind, of, rest.pk if rest else 0, "en", "UTC", "")
    regions = look({channel: None})[channel].regions
    assert any(regions.values())
    for html in regions.values():
        assert not LIVE.search(html if isinstance(html, str) else "".join(part for _name, part in html))


def test_a_message_in_the_corner_names_whoever_was_first(operator: AbstractBaseUser, task: Task) -> None:
    unknown = Step.objects.get(status=StepStatus.UNKNOWN)
    key, first = attention.key_of_step(unknown), make_person(NASTY[:150], "Operators")
    attention_taken.take(first, "step", key)  # type: ignore[arg-type]
    fields, htmx = {"kind": "step", "key": key}, {"HX-Request": "true"}
    answer = logged_in(operator).post("/attention/take/", fields, headers=htmx)
    assert answer.status_code == 409
    assert "has it already" in answer.content.decode()
    assert not LIVE.search(answer.content.decode())


def test_a_refused_form_repeats_what_was_sent(operator: AbstractBaseUser) -> None:
    client = logged_in(operator)
    refused = client.post("/tasks/new/seo-audit/", {"source": NASTY, "limit_usd": NASTY, "goal": NASTY})
    assert refused.status_code == 422
    assert escape(NASTY) in refused.content.decode()
    assert not LIVE.search(refused.content.decode())


def test_json_is_json_and_nothing_else(operator: AbstractBaseUser, task: Task) -> None:
    answer = logged_in(operator).get(f"/tasks/{task.public_id}.json")
    assert answer["Content-Type"] == "application/json"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert json.loads(answer.content)["goal"] == NASTY[:150]
