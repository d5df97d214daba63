"""Data for the tests of the admin: a row in every table, also in those that hang on no task."""

from typing import Any

from approvals.models import Absence, PolicyOverride
from taskboard import workflow
from taskboard.engine import deploys
from taskboard.models import (
    ApiToken,
    Freeze,
    Heartbeat,
    HoldRule,
    Installation,
    LoginPause,
    Profile,
    PurgePlan,
    PurgePlanTask,
    RetentionPolicy,
    SignOn,
)
from taskboard.retention import purge
from tests.factories import NOW, make_finished_task
from tests.retention_rows import make_full_task


def make_everything(admin: Any) -> None:
    """A row in every table."""
    make_full_task()
    purge.purge_task(make_finished_task().pk, "admin")
    Heartbeat.objects.create(owner="worker-1", role="worker", started_at=NOW, seen_at=NOW)
    Profile.objects.create(user=admin)
    deploys.keep(workflow.get("linear"))
    PolicyOverride.objects.create(workflow="linear", step="look")
    Absence.objects.create(user=admin, substitute=admin, since=NOW, until=NOW, set_by_name="admin")
    Installation.objects.get_or_create(mark="1", defaults={"alive_at": NOW})
    by, on, off = {"owner_name": "admin"}, {"created_at": NOW}, {"expires_at": NOW}
    RetentionPolicy.objects.create(workflow="linear", days=7, set_by_name="admin", set_at=NOW)
    HoldRule.objects.create(search="example.com", time_zone="UTC", reason="Dispute", **by, **on)
    plan = PurgePlan.objects.create(by_name="admin", digest="0" * 64, **on)
    PurgePlanTask.objects.create(plan=plan, position=1, public_id="task_20260917_0001", goal="Audit")
    Freeze.objects.create(system="tracker", reason="Maintenance", frozen_by="admin", frozen_at=NOW)
    LoginPause.objects.create(place="192.0.2.7", last_at=NOW, until=NOW)
    SignOn.objects.create(user=admin, issuer="https://id.example.org", subject="1", first_at=NOW, last_at=NOW)
    ApiToken.objects.create(user=admin, name="nightly", beginning="tb_abc", digest="0" * 64, **on, **off)
