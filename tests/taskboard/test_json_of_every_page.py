"""No page is for people alone: each has its data for scripts."""

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import Group

from approvals.urls import pages as pages_of_approvals
from taskboard.urls import list_of_pages
from tests.addresses import addresses, make_rows
from tests.conftest import logged_in

ELSEWHERE = {"taskboard:state": "the document itself", "approvals:inbox": "/approvals.json"}
"""Pages whose data has a name of its own."""
FILES = ("_json", "_csv", "_file", "_image", ":artifact", ":archive")


def names() -> set[str]:
    """Of all pages and files, not of parts and actions."""
    found = {f"taskboard:{one.name}" for one in list_of_pages}
    return found | {f"approvals:{one.name}" for one in pages_of_approvals}


def test_every_page_has_an_address_for_scripts() -> None:
    known = names()
    assert {one for one in known if not one.endswith(FILES) and f"{one}_json" not in known} == set(ELSEWHERE)


def test_every_page_answers_scripts_at_its_own_address_too(operator: AbstractBaseUser) -> None:
    operator.groups.add(*Group.objects.all())
    rows, client, faults = make_rows(operator), logged_in(operator), []
    for address in addresses():
        if address.name in names() and not address.name.endswith(FILES):
            response = client.get(rows.url(address), headers={"Accept": "application/json"})
            if response["Content-Type"] != "application/json":
                faults.append(f"{address.name}: {response.status_code}")
    assert faults == []
