"""The pages of the workflows: what is declared, what administrators said instead, which versions run."""

from typing import Any

import pytest
from django.core import checks as django_checks
from django.db import connection
from django.test.utils import CaptureQueriesContext

from approvals.models import PolicyOverride
from taskboard import checks, registry, workflow
from taskboard.engine import deploys
from taskboard.models import TaskStatus, WorkflowVersion
from tests.conftest import logged_in
from tests.factories import NOW, make_finished_task, make_task

pytestmark = pytest.mark.django_db


def data(person: Any, name: str = "seo-audit") -> Any:
    return logged_in(person).get(f"/workflows/{name}.json").json()


def page(person: Any, name: str = "seo-audit") -> str:
    response = logged_in(person).get(f"/workflows/{name}/")
    assert response.status_code == 200
    return str(response.content.decode())


def test_every_workflow_has_its_page(operator: Any) -> None:
    overview = logged_in(operator).get("/workflows/").content.decode()
    for spec in workflow.registered():
        assert f"/workflows/{spec.name}/" in overview
        shown = page(operator, spec.name)
        for step in spec.steps:
            assert f"<code>{step}</code>" in shown


def test_the_navigation_leads_to_it(operator: Any, manager: Any, admin: Any, outsider: Any) -> None:
    for person in (operator, manager, admin):
        assert 'href="/workflows/"' in logged_in(person).get("/").content.decode()
    assert logged_in(outsider).get("/workflows/").status_code == 403
    assert logged_in(outsider).get("/workflows/seo-audit.json").status_code == 403


def test_an_unknown_one_is_told_so(operator: Any) -> None:
    response = logged_in(operator).get("/workflows/gone/")
    assert response.status_code == 404
    assert "No code of this installation declares the workflow gone" in response.content.decode()
    assert logged_in(operator).get("/workflows/gone.json").status_code == 404


def test_it_tells_steps_limits_and_parameters(operator: Any) -> None:
    told, spec = data(operator), workflow.get("seo-audit")
    steps = {step["step"]: step for step in told["steps"]}
    assert list(steps) == list(spec.steps)
    for name, step in spec.steps.items():
        assert (steps[name]["writes"], steps[name]["retries"]) == (step.writes, step.retry.times)
    assert told["version"] == spec.version
    assert [one["name"] for one in told["parameters"]] == list(spec.params.base_fields if spec.params else ())


def test_rules_of_administrators_are_shown_at_their_step(operator: Any) -> None:
    PolicyOverride.objects.create(
        workflow="asking", step="pay", group="Operators", needed=2, window_hours=5, changed_by_name="anna"
    )
    PolicyOverride.objects.create(workflow="asking", step="", veto=False, changed_by_name="bob")
    told = data(operator, "asking")
    rules = {step["step"]: step["rules"] for step in told["steps"]}
    assert rules["pay"] == ["Asked of Operators.", "2 have to agree.", "5 hours to answer."]
    assert told["budget_rules"] == ["As many noes are needed as yeses."]
    shown = page(operator, "asking")
    assert "Asked of Operators." in shown
    assert "anna" in shown


def test_rules_that_nobody_can_follow_are_warnings(operator: Any) -> None:
    PolicyOverride.objects.create(workflow="asking", step="gone", group="Managers")
    texts = [
        finding["text"] for finding in data(operator, "asking")["findings"] if finding["level"] == "warning"
    ]
    assert texts[:2] == [
        "A rule is set for the step gone, which the workflow does not have.",
        "The rule for gone asks the group Managers, in which there is nobody.",
    ]
    assert "Warning:" in page(operator, "asking")


def test_versions_are_told_with_the_open_tasks_that_follow_them(operator: Any) -> None:
    spec = workflow.get("linear")
    deploys.keep(spec)
    WorkflowVersion.objects.create(workflow="linear", version="older", seen_at=NOW)
    make_task(workflow="linear", workflow_version=spec.version)
    make_task(workflow="linear", workflow_version="older", status=TaskStatus.PAUSED)
    make_task(workflow="linear", workflow_version="never seen")
    make_finished_task(workflow="linear", workflow_version="older")
    versions = {one["version"]: one for one in data(operator, "linear")["versions"]}
    assert {name: one["open"] for name, one in versions.items()} == {
        spec.version: 1,
        "older": 1,
        "never seen": 1,
    }
    assert [name for name, one in versions.items() if one["current"]] == [spec.version]
    assert data(operator, "linear")["open_tasks"] == 3
    assert "2 open tasks began with an earlier version" in page(operator, "linear")


def test_open_tasks_of_no_workflow_are_told(operator: Any) -> None:
    make_task(workflow="long-gone")
    overview = logged_in(operator).get("/workflows/").content.decode()
    assert "long-gone" in overview
    assert {"workflow": "long-gone", "open_tasks": 1} in logged_in(operator).get("/workflows.json").json()[
        "not_declared"
    ]


def test_what_was_changed_about_the_keeping_time_is_shown(operator: Any, admin: Any) -> None:
    spec = workflow.get("linear")
    registry.policy.change("linear", admin, 7, "Less is needed")
    assert data(operator, "linear")["keep_for_days"] == 7
    assert data(operator, "linear")["declared_keep_for_days"] == spec.keep_for.days


def test_the_bundled_workflow_gives_no_warning() -> None:
    spec = workflow.get("seo-audit")
    assert [finding for finding in checks.findings(spec) if finding.is_warning] == []
    told = [message.obj for message in django_checks.run_checks(tags=["workflows"])]
    assert "seo-audit" not in told


def test_the_page_asks_as_much_for_many_tasks_as_for_few(operator: Any) -> None:
    client = logged_in(operator)

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            client.get("/workflows/linear/")
        return len(captured)

    make_task(workflow="linear")
    few = queries()
    for number in range(20):
        make_task(workflow="linear", workflow_version=f"v{number}")
    assert queries() == few
