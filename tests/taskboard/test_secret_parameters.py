"""A secret parameter: the step gets it, and nobody else ever sees it."""

import gzip
import hashlib
import io
import json
import logging
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings as django_settings
from django.core.management import call_command
from django.urls import reverse

from config.logs import Json, Lines
from taskboard import encryption, existing, secret_params
from taskboard.document.export import of
from taskboard.engine import work
from taskboard.errors import BadInput
from taskboard.models import Artifact, Step, Task, TaskSecret
from taskboard.retention import archive
from taskboard.start import start_task
from taskboard.steering import secret
from tests import secret_workflows  # noqa: F401 registers them
from tests.conftest import logged_in
from tests.workflows import World

pytestmark = pytest.mark.django_db(transaction=True)
CANARY = 'canary "7b/£1+x" end'
WAYS = (CANARY, json.dumps(CANARY)[1:-1], "canary%20%227b%2F", "canary+%227b%2F", "7b/£1", "7b/\\u00a31")
"""As it is, as JSON writes it, as addresses write it, and parts of it that nothing else holds."""


def leaks(text: str) -> list[str]:
    return [way for way in WAYS if way in text]


def run(user: Any, **params: Any) -> Task:
    task = start_task("confidential", {"token": CANARY, **params}, user=user)
    for _round in range(3):
        Step.objects.filter(task=task).update(due_at=None)
        work.until_idle(task.pk)
    task.refresh_from_db()
    return task


def everything_stored() -> str:
    rows = [vars(row) for model in apps.get_models() for row in model._base_manager.all()]
    return "\n".join(str(value) for row in rows for value in row.values())


def test_the_step_gets_the_real_value(operator: Any) -> None:
    task = run(operator)
    assert task.status == "completed", Step.objects.filter(task=task).values("name", "status", "error")
    assert World().texts() == [hashlib.sha256(CANARY.encode()).hexdigest()]


def test_the_database_holds_it_only_encrypted(operator: Any) -> None:
    task = run(operator)
    assert leaks(everything_stored()) == []
    row = TaskSecret.objects.get(task=task)
    assert encryption.unseal(row.sealed) == CANARY
    assert task.params["token"] == secret_params.mark("token", CANARY)
    assert "••••••" in Step.objects.get(task=task, name="leak").summary


def test_files_and_logs_do_not_hold_it(operator: Any, caplog: Any) -> None:
    with caplog.at_level(logging.DEBUG):
        run(operator)
    told = [formatter.format(record) for record in caplog.records for formatter in (Json(), Lines())]
    assert any("using ••••••" in line for line in told)
    files = [path.read_bytes() for path in Path(django_settings.TASKBOARD_VAR).rglob("*") if path.is_file()]
    assert any(b"token=" in content for content in files)
    for text in [*told, *(content.decode(errors="replace") for content in files)]:
        assert leaks(text) == []


def test_no_page_and_no_download_shows_it(operator: Any, admin: Any) -> None:
    task = run(operator, place="ask")
    client = logged_in(admin)
    admin.groups.add(*operator.groups.all())
    artifact = Artifact.objects.get(task=task)
    name = {"public_id": task.public_id}
    addresses = [reverse(f"taskboard:{page}", kwargs=name) for page in (
        "task", "task_json", "journal", "journal_json", "journal_file", "state", "state_file", "brief", "brief_file",
        "items_csv", "items_json",
    )]  # fmt: skip
    addresses += [
        reverse("taskboard:item", args=[task.public_id, "item_001"]),
        reverse("taskboard:artifact", args=[task.public_id, artifact.pk]),
        "/", "/activity/", "/attention/", "/approvals/", f"/tasks.json?q={task.public_id}",
        reverse("admin:taskboard_task_change", args=[task.pk]),
        reverse("admin:taskboard_tasksecret_change", args=[TaskSecret.objects.get(task=task).pk]),
    ]  # fmt: skip
    for address in addresses:
        answer = client.get(address)
        assert answer.status_code == 200, address
        content = b"".join(answer.streaming_content) if answer.streaming else answer.content
        assert leaks(content.decode()) == [], address


def test_document_and_archive_do_not_hold_it(operator: Any) -> None:
    task = run(operator)
    assert leaks(json.dumps(of(task), ensure_ascii=False, default=str)) == []
    assert leaks(json.dumps(of(task), default=str)) == []
    name = archive.write(task).name
    with archive.storage().open(name, "rb") as file:
        assert leaks(gzip.decompress(file.read()).decode()) == []


def test_the_form_never_shows_it_again(operator: Any) -> None:
    sent = {"items": "x", "place": "here", "token": CANARY, "submit_token": "t"}
    answer = logged_in(operator).post("/tasks/new/confidential/", sent)
    assert (answer.status_code, leaks(answer.content.decode())) == (422, [])
    assert 'type="password"' in answer.content.decode()
    assert leaks(logged_in(operator).get(f"/tasks/new/confidential/?token={CANARY}").content.decode()) == []


def test_a_form_filled_in_like_another_task_takes_no_mark_over(operator: Any) -> None:
    task = start_task("confidential", {"token": CANARY, "place": "there"}, user=operator)
    filled = logged_in(operator).get(f"/tasks/new/confidential/?again={task.public_id}")
    initial = filled.context["params"].initial
    assert (initial["place"], "token" in initial) == ("there", False)


def test_the_mark_is_no_secret(operator: Any) -> None:
    task = run(operator)
    with pytest.raises(BadInput, match="mark that stands for a secret"):
        start_task("confidential", {"token": task.params["token"]}, user=operator)


def test_another_secret_is_the_same_work_and_told_as_changed(operator: Any) -> None:
    first = start_task("confidential", {"token": CANARY}, user=operator)
    there = existing.look("confidential", {"token": "another secret"}, first.created_at)
    assert there.task == first
    second = start_task("confidential", {"token": "another secret"}, user=operator)
    address = f"/tasks/{second.public_id}/compare/?with={first.public_id}"
    shown = logged_in(operator).get(address).content.decode()
    assert "Secret parameters that have changed: token." in shown


def test_without_the_key_the_step_says_what_to_do(operator: Any, settings: Any) -> None:
    task = start_task("confidential", {"token": CANARY}, user=operator)
    settings.SECRET_KEY = "another key " * 6
    for _round in range(12):
        Step.objects.filter(task=task).update(due_at=None)
        work.until_idle(task.pk)
    step = Step.objects.get(task=task)
    assert (step.status, World().keys()) == ("failed", [])
    assert "The secret parameter token is not kept in this installation" in step.error
    settings.SECRET_KEY_FALLBACKS = [django_settings.SECRET_KEY]


def test_an_older_key_still_opens_it(operator: Any, settings: Any) -> None:
    task = start_task("confidential", {"token": CANARY}, user=operator)
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another key " * 6
    assert secret_params.reveal(task)["token"] == CANARY


def test_a_task_is_given_another_one(operator: Any, monkeypatch: Any) -> None:
    task = start_task("confidential", {"token": CANARY}, user=operator)
    monkeypatch.setattr("sys.stdin", io.StringIO("the new one\n"))
    call_command("setsecret", task.public_id, "token", "--as", "ops", stdout=io.StringIO())
    task.refresh_from_db()
    assert secret_params.reveal(task)["token"] == "the new one"
    assert task.params["token"] == secret_params.mark("token", "the new one")
    with pytest.raises(BadInput, match="no such secret"):
        secret.replace(task, operator, "place", "x")


def test_a_command_reads_it_from_a_file(operator: Any, tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "token").write_text(f"{CANARY}\n")
    call_command("starttask", "confidential", "--secret", f"token={tmp_path / 'token'}", "--as", "ops")
    task = Task.objects.get(public_id=capsys.readouterr().out.split()[-1])
    assert secret_params.reveal(task)["token"] == CANARY
