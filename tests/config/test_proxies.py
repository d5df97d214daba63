"""The examples in docs/examples behind real proxies: pages, forms over TLS, and events that come as they happen."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.conf import settings

from taskboard import lifecycle
from tests.environment import missing
from tests.factories import make_task
from tests.processes import ROOT, Processes, answers, free_port, until

pytestmark = pytest.mark.slow
EXAMPLES = ROOT / "docs" / "examples"
HOST = "tasks.example.org"


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    if shutil.which("openssl") is None:
        missing("openssl")
    paths = tmp_path / "site.crt", tmp_path / "site.key"
    command = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "2",
        "-subj",
        f"/CN={HOST}",
    ]
    subprocess.run([*command, "-out", paths[0], "-keyout", paths[1]], check=True, capture_output=True)
    return paths


@pytest.fixture
def web(processes: Processes) -> int:
    """A web process with the settings of docs/operations.md."""
    port = free_port()
    behind = {"ALLOWED_HOSTS": HOST, "SECURE_PROXY_SSL_HEADER": "X-Forwarded-Proto"}
    key = {"TASKBOARD_ENV": "production", "SECRET_KEY": (settings.SECRET_KEY * 3)[:80]}
    started = processes.web(port, **behind, **key)
    until(lambda: answers(port) or started.poll() is not None, 60, "the start of the web process")
    assert started.poll() is None, processes.log("web")
    return port


@pytest.fixture(params=["nginx", "caddy"])
def proxy(
    request: Any, web: int, certificate: tuple[Path, Path], processes: Processes, tmp_path: Path
) -> str:
    """The address of the example's site, with ports and paths of this test."""
    program = shutil.which(request.param) or shutil.which(f"/usr/sbin/{request.param}")
    if program is None:
        missing(request.param)
    port = free_port()
    start = {"nginx": nginx, "caddy": caddy}[request.param]
    running = processes.start(
        *start(str(program), web, port, certificate, tmp_path), name=request.param, HOME=str(tmp_path)
    )
    until(lambda: answers(port) or running.poll() is not None, 30, f"the start of {request.param}")
    assert running.poll() is None, processes.log(request.param)
    return f"https://127.0.0.1:{port}"


def nginx(program: str, web: int, port: int, certificate: tuple[Path, Path], folder: Path) -> list[str]:
    site = (EXAMPLES / "nginx.conf").read_text()
    for before, after in (
        ("127.0.0.1:8000", f"127.0.0.1:{web}"), ("listen 443", f"listen 127.0.0.1:{port}"),
        ("listen 80", f"listen 127.0.0.1:{free_port()}"), ("/etc/ssl/tasks.example.org.crt", str(certificate[0])),
        ("/etc/ssl/tasks.example.org.key", str(certificate[1])),
    ):  # fmt: skip
        assert before in site
        site = site.replace(before, after)
    temp = "".join(
        f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    whole = (
        f"pid {folder}/nginx.pid; error_log stderr warn; events {{}} http {{ access_log off; {temp} {site} }}"
    )
    (folder / "nginx.conf").write_text(f"daemon off; {whole}")
    return [program, "-c", str(folder / "nginx.conf"), "-p", str(folder), "-e", "stderr"]


def caddy(program: str, web: int, port: int, certificate: tuple[Path, Path], folder: Path) -> list[str]:
    site = (EXAMPLES / "Caddyfile").read_text()
    files = f"tls {certificate[0]} {certificate[1]}"
    for before, after in (
        ("127.0.0.1:8000", f"127.0.0.1:{web}"), (f"{HOST} {{", f"https://{HOST}:{port} {{\n\t{files}"),
    ):  # fmt: skip
        assert before in site
        site = site.replace(before, after)
    (folder / "Caddyfile").write_text(f"{{\n\tadmin off\n\tauto_https disable_redirects\n}}\n{site}")
    return [program, "run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile")]


@pytest.fixture
def visitor(proxy: str, certificate: tuple[Path, Path]) -> Iterator[httpx.Client]:
    """As a browser: TLS with the site's name, cookies, no proxy of its own."""
    named = {"Host": HOST, "Origin": f"https://{HOST}"}
    with httpx.Client(base_url=proxy, headers=named, verify=False, trust_env=False, timeout=20) as client:  # noqa: S501
        client.event_hooks = {"request": [lambda request: request.extensions.update(sni_hostname=HOST)]}
        yield client


def test_pages_forms_and_events_pass(visitor: httpx.Client, operator: Any) -> None:
    page = visitor.get("/accounts/login/")
    assert page.status_code == 200
    assert page.headers["strict-transport-security"]
    assert page.headers["referrer-policy"] == "same-origin"
    form = {
        "username": "ops",
        "password": "correct horse battery",
        "csrfmiddlewaretoken": visitor.cookies["csrftoken"],
    }
    entered = visitor.post("/accounts/login/", data=form)
    assert (entered.status_code, entered.headers.get("location")) == (302, "/"), entered.text[-2000:]
    assert visitor.get("/metrics").status_code == 403
    task = make_task(workflow="seo-audit", says="Before")
    with visitor.stream("GET", f"/stream/?task={task.pk}") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        lines = stream.iter_lines()
        assert next(line for line in lines if "Before" in line)
        with lifecycle.changing(task.pk, "ops") as change:
            change.set(says="It happened just now")
        assert next(line for line in lines if "It happened just now" in line)


def test_a_web_process_behind_no_proxy_sends_to_https(web: int) -> None:
    answer = httpx.get(f"http://127.0.0.1:{web}/", headers={"Host": HOST}, trust_env=False, timeout=60)
    assert (answer.status_code, answer.headers["location"]) == (301, f"https://{HOST}/")
    assert (
        httpx.get(
            f"http://127.0.0.1:{web}/healthz", headers={"Host": HOST}, trust_env=False, timeout=60
        ).status_code
        == 200
    )
