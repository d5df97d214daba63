"""`make screenshots`: every page, in a light and a dark window and on a phone, from a running sample audit.

Those that the docs show go to docs/screenshots, the others, for a look at all of them, to var/screenshots.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser import FLAGS, executable
from tests.processes import ROOT, Processes, answers, free_port, until

FOLDER = ROOT / "docs" / "screenshots"
REVIEW = ROOT / "var" / "screenshots"
IN_DOCS = ("tasks", "task", "new-task", "item", "inbox", "approval", "retention")
WINDOWS: dict[str, dict[str, Any]] = {
    "": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"},
    "-dark": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
    "-390": {"viewport": {"width": 390, "height": 844}, "color_scheme": "light"},
}


class Site:
    """A Taskboard of its own: another folder, another port, gone afterwards."""

    def __init__(self, folder: Path) -> None:
        self.var, self.port = folder / "var", free_port()
        own = {"TASKBOARD_VAR": str(self.var), "PORT": str(self.port), "DEMO": "0"}
        default = dict.fromkeys(("DATABASE_URL", "CELERY_BROKER_URL", "EMAIL_URL", "TASKBOARD_ENV"), "")
        self.processes = Processes({**default, "TASKBOARD_DOTENV": "/dev/null", **own}, folder)
        self.address = f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        up = self.processes.start(sys.executable, "-m", "config.up", name="up")
        until(lambda: answers(self.port) or up.poll() is not None, 120, "the start")
        if up.poll() is not None:
            sys.exit(self.processes.log("up"))

    def stop(self) -> None:
        for process in self.processes.running:
            process.terminate()
            process.wait(60)

    def manage(self, *arguments: str) -> str:
        command = (sys.executable, "manage.py", *arguments)
        run = subprocess.run(
            command, cwd=ROOT, env=self.processes.env, capture_output=True, text=True, check=False
        )
        if run.returncode:
            sys.exit(run.stderr)
        return run.stdout

    def password(self, name: str) -> str:
        lines = (self.var / "passwords.txt").read_text().splitlines()
        return dict(line.split("\t") for line in lines)[name]

    def wait_for(self, task: str, *statuses: str) -> None:
        until(lambda: self.state(task)["status"] in statuses, 180, f"{task} {' or '.join(statuses)}")

    def state(self, task: str) -> dict[str, Any]:
        return dict(json.loads(self.manage("showtask", task, "--json")))

    def questions(self, task: str) -> list[dict[str, Any]]:
        asked = json.loads(self.manage("approvals", "--json"))
        return [question for question in asked if question["task"] == task]


@contextmanager
def running() -> Iterator[Site]:
    with tempfile.TemporaryDirectory(prefix="taskboard-screenshots-") as folder:
        site = Site(Path(folder))
        try:
            site.start()
            yield site
        finally:
            site.stop()


def audit(site: Site, approve_over: int) -> str:
    params = ("source=sample", f"approve_over={approve_over}", "price_per_page=0.02")
    told = [part for param in params for part in ("--param", param)]
    started = site.manage("starttask", "seo-audit", *told, "--budget", "5", "--as", "ops")
    task = started.splitlines()[-1]
    site.wait_for(task, "waiting")
    return task


def fill(site: Site) -> str:
    """An audit that is done, an older one past its keeping time, an imported one, one that waits for a manager."""
    first = audit(site, approve_over=1000)
    answer(site, first, len(site.questions(first)))
    site.wait_for(first, "completed")
    import_as_expired(site, first)
    site.manage("importtask", "docs/state-example.json")
    task = audit(site, approve_over=5)
    answer(site, task, 2)
    return task


def import_as_expired(site: Site, task: str) -> None:
    path = site.var / "expired.json"
    site.manage("exporttask", task, "--out", str(path))
    document = json.loads(path.read_text().replace(task, "task_20260801_0001"))
    document["retention"]["expires_at"] = document["created_at"]
    path.write_text(json.dumps(document))
    site.manage("importtask", str(path))


def answer(site: Site, task: str, count: int) -> None:
    for question in site.questions(task)[:count]:
        site.manage("decide", str(question["id"]), "approve", "--as", "manager")


def pages(site: Site, task: str) -> dict[str, tuple[str, str]]:
    """Each picture: who looks, and at what."""
    asked = next(question for question in site.questions(task) if question["item"] != "_task")
    here = f"/tasks/{task}/"
    return {
        "tasks": ("ops", "/"),
        "task": ("ops", here),
        "new-task": ("ops", "/tasks/new/seo-audit/"),
        "item": ("ops", f"{here}items/{asked['item']}/"),
        "inbox": ("manager", f"/approvals/?question={asked['id']}"),
        "approval": ("manager", f"/approvals/{asked['id']}/"),
        "retention": ("admin", "/retention/"),
        "retention-coming": ("admin", "/retention/coming/"),
        "retention-holds": ("admin", "/retention/holds/"),
        "retention-policies": ("admin", "/retention/policies/"),
        "retention-purges": ("admin", "/retention/purges/"),
        "choose-workflow": ("ops", "/tasks/new/"),
        "find-item": ("ops", "/items/?q=products"),
        "activity": ("ops", "/activity/"),
        "attention": ("ops", "/attention/"),
        "journal": ("ops", f"{here}journal/"),
        "brief": ("ops", f"{here}brief/"),
        "state": ("ops", f"{here}state/"),
        "compare": ("ops", f"{here}compare/"),
        "bulk-plan": ("ops", f"{here}bulk/?action=retry&all=1"),
        "profile": ("ops", "/profile/"),
        "tokens": ("ops", "/profile/tokens/"),
        "export": ("manager", "/approvals/export/"),
        "oversight": ("admin", "/approvals/oversight/"),
        "absence": ("manager", "/approvals/absence/"),
        "workflows": ("ops", "/workflows/"),
        "workflow": ("ops", "/workflows/seo-audit/"),
        "systems": ("ops", "/systems/"),
        "audit": ("admin", "/audit/"),
        "standby": ("admin", "/standby/"),
        "password": ("ops", "/accounts/password/"),
    }


def log_in(browser: Browser, site: Site, name: str, window: dict[str, Any]) -> Page:
    page = browser.new_context(base_url=site.address, reduced_motion="reduce", **window).new_page()
    page.goto("/accounts/login/")
    page.fill("[name=username]", name)
    page.fill("[name=password]", site.password(name))
    page.click("main [type=submit]")
    page.wait_for_url(f"{site.address}/")
    return page


def take(browser: Browser, site: Site, task: str) -> None:
    shown = pages(site, task)
    for suffix, window in WINDOWS.items():
        people = {name: log_in(browser, site, name, window) for name in ("ops", "manager", "admin")}
        for name, (person, place) in shown.items():
            page = people[person]
            page.goto(place, wait_until="load")
            page.wait_for_timeout(600)
            picture = (FOLDER if name in IN_DOCS else REVIEW) / f"{name}{suffix}.png"
            page.screenshot(path=picture)
            print(picture.relative_to(ROOT))
        check(people["ops"], suffix)
        report(people["ops"], suffix, f"/tasks/{task[:-4]}0001/")
        for page in people.values():
            page.context.close()


def check(page: Page, suffix: str) -> None:
    """The answer of a new task, before it starts."""
    page.goto("/tasks/new/seo-audit/")
    page.fill("[name=price_per_page]", "0.02")
    page.fill("[name=limit_usd]", "0.50")
    page.click("[name=check]")
    page.screenshot(path=REVIEW / f"new-task-checked{suffix}.png")


def report(page: Page, suffix: str, done: str) -> None:
    """What came of the audit that is done."""
    page.goto(done)
    page.click(".artifacts a[href*=preview]")
    page.screenshot(path=REVIEW / f"preview{suffix}.png")


def main() -> None:
    path = executable()
    if path is None:
        sys.exit("Chromium is not installed; install it first (on Debian and Ubuntu: apt install chromium).")
    for folder in (FOLDER, REVIEW):
        folder.mkdir(parents=True, exist_ok=True)
    with running() as site, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        take(browser, site, fill(site))
        browser.close()


if __name__ == "__main__":
    main()
