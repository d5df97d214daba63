"""Fixtures for all tests: people, a database that can be emptied, real processes, a real browser."""

from tests.environment import missing  # first: it sets what Django reads when models are imported

# isort: split
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.base_user import AbstractBaseUser
from django.db import connection, transaction
from django.test import Client

from taskboard.journal import journal_unlocked
from tests.browser import Browser, executable
from tests.processes import Processes, answers, free_port, until

# Made by migrations; a test that empties the database leaves them to the next.
KEPT = {"auth_group", "auth_group_permissions", "auth_permission", "django_content_type"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The slow ones first: none of them shall be what all the others wait for at the end."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


@pytest.fixture(autouse=True, scope="session")
def _flush() -> Iterator[None]:
    """Emptying the database must get past the trigger that guards the journal."""
    operations = type(connection.ops)
    sql_flush, execute = operations.sql_flush, operations.execute_sql_flush

    def keep(self: Any, style: Any, tables: list[str], **options: Any) -> list[str]:
        return sql_flush(self, style, [name for name in tables if name not in KEPT], **options)

    def unlocked(self: Any, statements: list[str]) -> None:
        with transaction.atomic(), journal_unlocked():
            execute(self, statements)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(operations, "sql_flush", keep)
        patch.setattr(operations, "execute_sql_flush", unlocked)
        yield


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, settings: Any) -> None:
    """Mail, tickets and results are written as in a fresh installation, but each test has its own folder."""
    settings.TASKBOARD_VAR = tmp_path / "var"
    settings.STORAGES = settings.STORAGES | {
        name: {**settings.STORAGES[name], "OPTIONS": {"location": str(tmp_path / "var" / name)}}
        for name in ("artifacts", "archives")
    }
    settings.EMAIL_BACKEND = "taskboard.mail.FileBackend"
    settings.EMAIL_FILE_PATH = str(tmp_path / "mail")


# --- People ---------------------------------------------------------------------------------------


def make_person(name: str, group: str = "", **fields: Any) -> AbstractBaseUser:
    fields = {"email": f"{name}@example.org", "password": "correct horse battery", **fields}
    person = get_user_model().objects.create_user(name, **fields)
    if group:
        person.groups.add(apps.get_model("auth", "Group").objects.get(name=group))
    return person


@pytest.fixture
def operator(db: None) -> AbstractBaseUser:
    return make_person("ops", "Operators")


@pytest.fixture
def manager(db: None) -> AbstractBaseUser:
    return make_person("manager", "Managers")


@pytest.fixture
def admin(db: None) -> AbstractBaseUser:
    return make_person("admin", "Administrators", is_staff=True)


@pytest.fixture
def outsider(db: None) -> AbstractBaseUser:
    """Logged in, but in no group."""
    return make_person("outsider")


def logged_in(person: AbstractBaseUser) -> Client:
    client = Client()
    client.force_login(person, backend="django.contrib.auth.backends.ModelBackend")
    return client


# --- Real processes -------------------------------------------------------------------------------


def database_url() -> str:
    """The address of the test database, for processes that we start."""
    now = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{now['NAME']}"
    password = f":{now['PASSWORD']}" if now["PASSWORD"] else ""
    return f"postgresql://{now['USER']}{password}@{now['HOST']}:{now['PORT']}/{now['NAME']}"


@pytest.fixture
def processes(transactional_db: None, tmp_path: Path) -> Iterator[Processes]:
    """Starts web, workers and commands on the test database; whatever still runs at the end is killed."""
    env = {
        "DATABASE_URL": database_url(),
        "TASKBOARD_VAR": str(tmp_path / "var"),
        "SECRET_KEY": settings.SECRET_KEY,  # so that a session made here is known there
        "DATABASE_POOL_SIZE": "10",
    }
    started = Processes(env, tmp_path)
    yield started
    started.stop()


@pytest.fixture
def site(processes: Processes) -> str:
    """The address of a real web process: pytest-django's own server cannot stream events."""
    port = free_port()
    web = processes.web(port)
    until(lambda: answers(port) or web.poll() is not None, what="the start of the web process")
    assert web.poll() is None, processes.log("web")
    return f"http://127.0.0.1:{port}"


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    server = shutil.which("redis-server")
    if server is None:
        missing("redis-server")
    port = free_port()
    started = Processes({}, tmp_path_factory.mktemp("redis"))
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(started.logs)]
    started.start(str(server), *options, name="redis")
    until(lambda: answers(port), what="the start of redis")
    yield f"redis://127.0.0.1:{port}/0"
    started.stop()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = executable()
    if path is None:
        missing("Chromium")
    with Browser(str(path)) as started:
        yield started


@pytest.fixture
def browse(browser: Browser, site: str) -> Iterator[Callable[..., Any]]:
    """`page = browse(operator)`: a page of the running site, logged in as that person (or as nobody)."""
    pages = []

    def open_page(person: AbstractBaseUser | None = None, **options: Any) -> Any:
        cookies = []
        if person is not None:
            value = logged_in(person).cookies[settings.SESSION_COOKIE_NAME].value
            cookies = [{"name": settings.SESSION_COOKIE_NAME, "value": value, "url": site}]
        pages.append(browser.page(site, cookies, **options))
        return pages[-1]

    yield open_page
    for page in pages:
        page.context.close()
