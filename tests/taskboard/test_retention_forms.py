"""What administrators do on the Retention pages: holds, keeping times, and a purge from preview to its end."""

import csv
from io import StringIO
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from taskboard import hints
from taskboard.models import AuditEntry, HoldRule, PurgePlan, PurgeRecord, RetentionPolicy, Task
from taskboard.retention import consent, expiry, plans, purge, search_holds
from taskboard.retention.preview import Preview
from tests.conftest import logged_in, make_person
from tests.factories import make_finished_task, make_task
from tests.retention_rows import make_full_task

pytestmark = pytest.mark.django_db
HOLDS = "/retention/holds/"


@pytest.fixture(autouse=True)
def sent(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The messages to the workers."""
    messages: list[Any] = []
    monkeypatch.setattr(hints, "soon", lambda *job, **_options: messages.append(job))
    return messages


@pytest.fixture
def at_admin(admin: Any) -> Client:
    return logged_in(admin)


def text(client: Client, address: str, **query: Any) -> str:
    response = client.get(address, query)
    assert response.status_code == 200
    return response.content.decode()


def plan_of(client: Client, *tasks: Task) -> PurgePlan:
    response = client.post("/retention/purges/make/", {"task": [task.public_id for task in tasks]})
    plan = PurgePlan.objects.latest("pk")
    assert response.headers["Location"] == f"/retention/purges/{plan.pk}/"
    return plan


def act(client: Client, plan: PurgePlan, verb: str, **told: str) -> Any:
    return client.post(f"/retention/purges/{plan.pk}/{verb}/", {"sha256": plan.digest, **told})


def test_a_purge_from_preview_to_record(at_admin: Client, sent: list[Any]) -> None:
    first, second = make_full_task(), make_full_task()
    plan = plan_of(at_admin, first, second)
    page = text(at_admin, f"/retention/purges/{plan.pk}/")
    for sentence in (
        "Purge 2 tasks",
        "4 stored files",
        "s3://reports/draft.md",
        "Site pages",
        "6 effects stay known",
    ):
        assert sentence in page
    assert act(at_admin, plan, "begin").status_code == 302
    assert AuditEntry.objects.latest("pk").action == "purge_begun"
    assert sent == [("taskboard.purge",)]
    assert "A purge of 2 tasks is running." in text(at_admin, "/retention/")
    assert "0 %" in text(at_admin, f"/retention/purges/{plan.pk}/progress/")
    purge.carry_on(seconds=60)
    progress = text(at_admin, f"/retention/purges/{plan.pk}/progress/")
    total = Preview.recorded(plan.sums).total
    assert f"{total:,} of {total:,} rows removed" in progress
    assert "every 2s" not in progress
    logged = AuditEntry.objects.filter(action="purge").values_list("after__rows", flat=True)
    assert sum(logged) == total
    told = at_admin.get(f"/retention/purges/{plan.pk}.json").json()
    assert (told["state"], [one["outcome"] for one in told["tasks"]]) == ("done", ["purged", "purged"])
    assert told["rows"] == plan.sums["rows"]


def test_the_page_is_renewed_as_a_whole_once_the_purge_is_over(at_admin: Client) -> None:
    plan = plan_of(at_admin, make_finished_task())
    act(at_admin, plan, "begin")
    progress = f"/retention/purges/{plan.pk}/progress/"
    assert "HX-Refresh" not in at_admin.get(progress)
    purge.carry_on(seconds=60)
    assert at_admin.get(progress)["HX-Refresh"] == "true"
    page = text(at_admin, f"/retention/purges/{plan.pk}/")
    assert [words for words in ("Cancel the rest", "Planned", progress) if words in page] == []


def test_all_that_expired_can_be_taken_at_once(at_admin: Client) -> None:
    for _ in range(3):
        make_finished_task()
    at_admin.post("/retention/purges/make/", {"all": "1"})
    assert PurgePlan.objects.get().size == 3


def test_a_preview_of_nothing_is_refused(at_admin: Client) -> None:
    held = make_finished_task(on_hold=True, hold_reason="x")
    for chosen in ([], ["task_x"], [held.public_id, make_task().public_id]):
        assert at_admin.post("/retention/purges/make/", {"task": chosen}).status_code == 422
    assert not PurgePlan.objects.exists()


def test_the_preview_is_downloaded_as_a_sheet(at_admin: Client) -> None:
    task = make_full_task(goal="=HYPERLINK(1)")
    plan = plan_of(at_admin, task)
    response: Any = at_admin.get(f"/retention/purges/{plan.pk}.csv")
    rows = list(csv.DictReader(StringIO(b"".join(response.streaming_content).decode())))
    assert [(row["task"], row["taskboard.item"], row["links"]) for row in rows] == [
        (task.public_id, "3", "1")
    ]
    assert not rows[0]["goal"].startswith("=")


def test_what_changed_is_said_on_the_page(at_admin: Client, sent: list[Any]) -> None:
    task = make_finished_task()
    plan = plan_of(at_admin, task)
    search_holds.add("bob", task.public_id, "Lawsuit")
    response = act(at_admin, plan, "begin")
    assert response.status_code == 409
    assert "Lawsuit" in response.content.decode()
    assert (PurgeRecord.objects.count(), sent) == (0, [])


def test_only_what_the_person_saw_can_begin(at_admin: Client) -> None:
    plan = plan_of(at_admin, make_finished_task())
    assert at_admin.post(f"/retention/purges/{plan.pk}/begin/", {"sha256": "0" * 64}).status_code == 409
    assert at_admin.post(f"/retention/purges/{plan.pk}/begin/").status_code == 409
    assert not PurgeRecord.objects.exists()


def test_the_running_purge_is_cancelled_from_its_page(at_admin: Client) -> None:
    task = make_finished_task()
    plan = plan_of(at_admin, task)
    act(at_admin, plan, "begin")
    assert "Cancel the rest" in text(at_admin, f"/retention/purges/{plan.pk}/")
    assert act(at_admin, plan, "cancel").status_code == 302
    assert Task.objects.get().held is False
    assert "Cancelled by admin" in text(at_admin, f"/retention/purges/{plan.pk}/progress/")
    assert act(at_admin, plan, "cancel").status_code == 409


def test_two_administrators_on_the_page(at_admin: Client, settings: Any) -> None:
    settings.TASKBOARD_PURGE_SECOND_PERSON = True
    plan = plan_of(at_admin, make_finished_task())
    address, second = f"/retention/purges/{plan.pk}/", logged_in(make_person("bob", "Administrators"))
    act(at_admin, plan, "begin")
    assert "Another administrator has to agree to it" in text(at_admin, address)
    assert "Agree, archive and purge" not in text(at_admin, address)
    assert act(at_admin, plan, "agree").status_code == 403
    assert "admin asks for a purge of 1 task" in text(second, "/retention/purges/")
    assert "Agree, archive and purge" in text(second, address)
    assert act(second, plan, "refuse", reason="Not before <b>May</b>").status_code == 302
    assert "Not before &lt;b&gt;May" in text(at_admin, address)


def test_a_task_is_held_and_let_go_on_its_page(at_admin: Client) -> None:
    task = make_finished_task()
    keeping = f"/tasks/{task.public_id}/keeping/"
    assert "goes with the next purge" in text(at_admin, keeping)
    address = reverse("taskboard:hold", args=[task.public_id])
    for wrong in (
        {"reason": " "},
        {"reason": "Audit", "until": "soon"},
        {"reason": "Audit", "until": "2020-01-01"},
    ):
        assert at_admin.post(address, wrong).status_code == 422
    assert at_admin.post(address, {"reason": "Audit", "until": "2999-01-31"}).headers["Location"] == keeping
    assert "Audit" in text(at_admin, keeping)
    assert 'value="2999-01-31"' in text(at_admin, keeping)
    assert "It is on hold until 2999-02-01 00:00 UTC: Audit" in text(at_admin, task.get_absolute_url())
    assert at_admin.post(reverse("taskboard:release", args=[task.public_id])).status_code == 302
    assert Task.objects.get().on_hold is False


def test_a_search_is_tried_before_it_holds(at_admin: Client) -> None:
    make_finished_task(goal="Audit example.com/pricing")
    page = text(at_admin, HOLDS, q="example.com/pricing")
    assert "1 task matches now." in page
    assert "Hold these, and those to come" in page
    assert "There is no “color:”" in text(at_admin, HOLDS, q="color:red")
    assert not HoldRule.objects.exists()
    told = {"q": "example.com/pricing", "new-reason": "Price audit", "new-until": "2999-01-31"}
    assert at_admin.post("/retention/holds/add/", told).headers["Location"] == HOLDS
    assert "Price audit" in text(at_admin, HOLDS)
    assert list(expiry.expired(timezone.now())) == []
    assert "Price audit" in text(at_admin, Task.objects.get().get_absolute_url())
    assert at_admin.post(f"/retention/holds/{HoldRule.objects.get().pk}/end/").status_code == 302
    assert at_admin.get("/retention/holds.json").json()["holds"][0]["ended_at"]


def test_a_keeping_time_is_changed_and_given_back(at_admin: Client) -> None:
    address = "/retention/policies/linear/"
    assert at_admin.post(address, {"linear-days": "7", "linear-reason": ""}).status_code == 422
    assert at_admin.post(address, {"linear-days": "-1", "linear-reason": "x"}).status_code == 422
    assert at_admin.post(address, {"linear-days": "7", "linear-reason": "Less room"}).status_code == 302
    assert "Less room" in text(at_admin, "/retention/policies/")
    told = {
        one["workflow"]: one["days"] for one in at_admin.get("/retention/policies.json").json()["workflows"]
    }
    assert told["linear"] == 7
    assert at_admin.post(address, {"drop": "1", "linear-reason": "Enough room"}).status_code == 302
    assert not RetentionPolicy.objects.exists()
    assert at_admin.post("/retention/policies/gone/", {"gone-reason": "x"}).status_code == 404


def test_a_plan_that_is_over_cannot_be_decided_again(at_admin: Client, admin: Any) -> None:
    make_finished_task()
    plan = plans.make(admin, expiry.expired(timezone.now()))
    consent.begin(plan, admin)
    other = logged_in(make_person("second", "Administrators"))
    for verb in ("begin", "agree", "refuse"):
        assert act(other, plan, verb, reason="x").status_code == 409, verb
