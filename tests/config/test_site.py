"""The real web process, seen by a real browser."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from django.contrib.auth import get_user_model

pytestmark = pytest.mark.browser


def test_it_answers(site: str) -> None:
    assert httpx.get(f"{site}/healthz", timeout=60).text == "ok\n"


def test_static_files_arrive_whole(site: str) -> None:
    assert "--primary" in httpx.get(f"{site}/static/admin/css/base.css").text


def test_the_admin_works_under_the_policy(browse: Callable[..., Any], transactional_db: None) -> None:
    boss = get_user_model().objects.create_superuser("boss", password="correct horse battery")
    page = browse(boss)
    page.goto("/admin/auth/user/add/")
    assert page.locator("#id_username").is_visible()
    assert page.faults == []
