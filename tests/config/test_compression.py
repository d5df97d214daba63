"""Pages are packed for the wire; a first visit stays light, a second one lighter."""

import gzip
import re
from pathlib import Path

import brotli
import pytest
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.staticfiles import finders
from django.test import Client

from tests.conftest import logged_in
from tests.factories import make_item, make_step, make_task

FIRST_VISIT, SECOND_VISIT = 80_000, 15_000
FILES = re.compile(r'(?:src|href)="/static/([^"#?]+)')


def big_page(person: AbstractBaseUser) -> tuple[Client, str]:
    task = make_task(workflow="linear", says="hello")
    for _ in range(120):
        make_step(make_item(task), "look")
    return logged_in(person), task.get_absolute_url()


@pytest.mark.parametrize(("asked", "given"), [("gzip, deflate, br", "br"), ("gzip, deflate", "gzip")])
def test_a_page_is_packed_as_the_browser_likes_it(operator: AbstractBaseUser, asked: str, given: str) -> None:
    response = logged_in(operator).get("/", headers={"Accept-Encoding": asked})
    unpack = {"br": brotli.decompress, "gzip": gzip.decompress}[given]
    assert response["Content-Encoding"] == given
    assert "Accept-Encoding" in response["Vary"]
    assert int(response["Content-Length"]) == len(response.content)
    assert b"<h1" in unpack(response.content)


def test_who_does_not_ask_gets_it_plain(operator: AbstractBaseUser) -> None:
    assert "Content-Encoding" not in logged_in(operator).get("/").headers


def test_visits_are_light(operator: AbstractBaseUser) -> None:
    """Static files are packed best and kept by the browser, so a second visit is the page alone."""
    client, address = big_page(operator)
    page = client.get(address, headers={"Accept-Encoding": "br"}).content
    assert len(page) < SECOND_VISIT
    named = set(FILES.findall(brotli.decompress(page).decode()))
    assert len(named) > 15
    files = [finders.find(re.sub(r"\.[0-9a-f]{12}(?=\.)", "", name)) for name in named]
    assert all(files)
    assert len(page) + sum(len(brotli.compress(Path(str(file)).read_bytes())) for file in files) < FIRST_VISIT
