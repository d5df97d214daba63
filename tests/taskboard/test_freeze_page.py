"""The page of the outside systems, the banner on every page, the command."""

import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from taskboard import freeze
from taskboard.models import Freeze
from tests import frozen_workflows  # noqa: F401 registers them
from tests.conftest import logged_in
from tests.factories import make_item, make_step, make_task

pytestmark = pytest.mark.django_db
PAGE = "/systems/"


def page(person: Any, address: str = PAGE) -> str:
    return logged_in(person).get(address).content.decode()


def test_it_shows_every_system_with_what_writes_to_it(manager: Any) -> None:
    shown = page(manager)
    assert all(f">{name}</h2>" in shown for name in ("desk", "post", "tracker", "mail", "site"))
    assert "Create ticket" in shown
    assert "/freeze/" not in shown


def test_the_navigation_leads_everybody_to_it(operator: Any, manager: Any) -> None:
    assert all(f'href="{PAGE}"' in page(person, "/") for person in (operator, manager))


def test_an_operator_freezes_and_every_page_says_so(operator: Any, manager: Any) -> None:
    client = logged_in(operator)
    assert client.post(f"{PAGE}desk/freeze/", {"reason": "It is <moved>"}).status_code == 302
    for address in (PAGE, "/", "/activity/"):
        shown = page(manager, address)
        assert "desk is frozen by ops: nothing is written to it." in shown
        assert "It is &lt;moved&gt;" in shown
    assert "/systems/desk/thaw/" not in page(operator)


def test_an_administrator_thaws_it(operator: Any, admin: Any) -> None:
    freeze.freeze("desk", operator, "It is moved")
    assert "/systems/desk/thaw/" in page(admin)
    logged_in(admin).post(f"{PAGE}desk/thaw/", {"reason": "It is back"})
    shown = page(admin)
    assert "is frozen by" not in shown
    assert "It is back" in shown


@pytest.mark.parametrize("act", ["freeze", "thaw"])
def test_looking_changes_nothing_and_managers_may_not(manager: Any, admin: Any, act: str) -> None:
    assert logged_in(admin).get(f"{PAGE}desk/{act}/").status_code == 405
    assert logged_in(manager).post(f"{PAGE}desk/{act}/", {"reason": "No"}).status_code == 403
    assert Client().post(f"{PAGE}desk/{act}/").status_code == 302
    assert not Freeze.objects.exists()


def test_a_reason_is_asked_for(operator: Any) -> None:
    answer = logged_in(operator).post(f"{PAGE}desk/freeze/", {"reason": " "})
    assert (answer.status_code, b"Say why" in answer.content) == (422, True)


def test_item_and_task_say_what_they_wait_for(operator: Any) -> None:
    task = make_task(workflow="outside")
    item = make_item(task, "a")
    make_step(item, "send")
    freeze.freeze("desk", operator, "It is moved")
    assert "Waits: desk is frozen by ops. It is moved" in page(operator, f"/tasks/{task.public_id}/items/a/")
    assert "Steps wait until this is thawed: desk." in page(operator, f"/tasks/{task.public_id}/")


def test_scripts_read_it(operator: Any) -> None:
    freeze.freeze("desk", operator, "It is moved")
    told = json.loads(page(operator, "/systems.json"))
    (desk,) = [one for one in told["systems"] if one["system"] == "desk"]
    assert (desk["frozen"]["by"], desk["frozen"]["reason"], desk["waiting"]) == ("ops", "It is moved", [])
    assert {"workflow": "outside", "step": "send"} in desk["written_by"]


def test_monitoring_is_told(operator: Any, client: Client) -> None:
    freeze.freeze("desk", operator, "It is moved")
    frozen = client.get("/readyz").json()["frozen"]
    assert (frozen["desk"]["by"], frozen["desk"]["seconds"] >= 0) == ("ops", True)


def test_the_commands_do_the_same(operator: Any, admin: Any, capsys: Any) -> None:
    call_command("freeze", "desk", "--reason", "It is moved", "--as", "ops")
    assert "desk: frozen by ops" in capsys.readouterr().out
    call_command("freeze", "--json")
    told = {one["system"]: one for one in json.loads(capsys.readouterr().out)}
    assert (told["desk"]["frozen"], told["post"]["frozen"]) == (True, False)
    with pytest.raises(CommandError, match="right"):
        call_command("thaw", "desk", "--as", "ops")
    call_command("thaw", "desk", "--as", "admin")
    assert not Freeze.objects.open().exists()
