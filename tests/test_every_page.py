"""Every page there is: readable for everybody in both themes, never wider than the screen, focus always seen.

The pages are taken from the lists of addresses, so that a new one is looked at without being named here.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import Group
from django.urls import URLPattern, reverse
from django.utils import timezone

from approvals.models import Approval, BulkDecision
from approvals.urls import pages as pages_of_approvals
from config.urls import accounts
from taskboard.models import Artifact, BulkJob, Item, ItemStatus, PurgePlan, StepStatus, Task
from taskboard.urls import list_of_pages
from tests.browser import Browser
from tests.conftest import logged_in, make_person
from tests.factories import NOW, make_approval, make_item, make_step, make_task
from tests.processes import Processes, answers, free_port, until
from tests.retention_rows import make_full_task

pytestmark = [pytest.mark.browser, pytest.mark.slow]
WIDTHS = (320, 390, 640)
"""A small phone (and 1280 px at 400 %), a phone, and 1280 px at 200 %."""
STICKS_OUT = """(width) => [...document.querySelectorAll("main *, header *")]
  .filter((one) => one.checkVisibility() && one.getBoundingClientRect().right > width + 0.5)
  .map((one) => `${one.tagName} ${one.className.baseVal ?? one.className} ${one.textContent.trim().slice(0, 30)}`)
  .slice(0, 12)
"""
OPEN_ALL = """for (const one of document.querySelectorAll('details:not(.menu)')) {
  one.removeAttribute("name");  // of those with the same name only one may be open
  one.open = true;
}"""
UNSEEN = """() => {
  const outlined = (element, pseudo) => {
    const style = getComputedStyle(element, pseudo);
    return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
  };
  const around = (element) => element ? [element, ...around(element.parentElement)] : [];
  const unseen = [];
  const reached = "a[href], button, input, select, textarea, summary, [tabindex='0']";
  for (const element of document.querySelectorAll(reached)) {
    if (!element.checkVisibility() || element.disabled || element.type === "hidden") continue;
    element.focus();
    const seen = outlined(element, "::after") || around(element).slice(0, 6).some((one) => outlined(one));
    if (document.activeElement !== element || !seen) unseen.push(element.outerHTML.slice(0, 120));
  }
  return unseen;
}"""


@pytest.fixture
def everything(transactional_db: None) -> AbstractBaseUser:
    """A person who may see and do all there is."""
    person = make_person("everything", "Managers", is_staff=True)
    person.groups.add(*Group.objects.filter(name__in=("Operators", "Administrators")))
    return person


@pytest.fixture
def full(everything: AbstractBaseUser) -> Task:
    """A finished task with a row of every kind, and beside it one that runs, asks, failed and does not know."""
    task = make_full_task(
        workflow="seo-audit", goal="Audit the pages of https://example.org/a-rather-long-address/"
    )
    make_approval()
    running = make_task(
        workflow="seo-audit", says="Reading page 3", limit_micro=20_000_000, spent_micro=17_000_000
    )
    odd = {"failed": StepStatus.FAILED, "blocked": StepStatus.UNKNOWN, "running": StepStatus.STARTED}
    for status, step in odd.items():
        item = make_item(running, f"a/rather/long/path/to/{status}.html", status=ItemStatus(status))
        make_step(
            item, "diagnose", status=step, attempt=1, started_at=NOW, error="TimeoutError: it took too long"
        )
    make_step(make_item(running, "pending.html"), "diagnose")
    BulkJob.objects.create(task=running, action="retry", by_name="ops", created_at=timezone.now(), total=2)
    return task


def addresses(full: Task) -> dict[str, str]:
    """The address of each page by its name; of those that are one per task, for the task that runs as well."""
    running = BulkJob.objects.filter(finished_at=None).get().task
    item = Item.objects.filter(task=running, position__gt=0).first()
    found = {"item": reverse("taskboard:item", args=[running.public_id, item.key])} if item else {}
    for namespace, patterns in (
        ("taskboard:", list_of_pages),
        ("approvals:", pages_of_approvals),
        ("", accounts),
    ):
        for pattern in patterns:
            found |= dict(_addresses(namespace, pattern, full, running))
    return found


def _addresses(namespace: str, pattern: URLPattern, full: Task, running: Task) -> Iterator[tuple[str, str]]:
    name = f"{namespace}{pattern.name}"
    numbers = {
        "taskboard:bulk_job": BulkJob.objects.get(task=running).pk,
        "taskboard:purge_plan": PurgePlan.objects.latest("pk").pk,
        "approvals:approval": Approval.objects.latest("pk").pk,
        "approvals:bulk": BulkDecision.objects.latest("pk").pk,
    }
    known = {
        "public_id": running.public_id,
        "workflow": "seo-audit",
        "number": Artifact.objects.filter(managed=True).latest("pk").pk,
        "pk": numbers.get(name, 0),
    }
    if name in ("taskboard:preview", "taskboard:artifact", "taskboard:artifact_image", "taskboard:compare"):
        known["public_id"] = full.public_id
    needed = pattern.pattern.converters
    assert needed.keys() <= known.keys(), (
        f"Tell this test an example of {needed.keys() - known.keys()} for {name}."
    )
    address = reverse(name, kwargs={one: known[one] for one in needed})
    queries = {
        "taskboard:bulk_plan": "?action=retry&all=1",
        "approvals:sample": f"?task={running.public_id}&step=apply_fix",
    }
    yield name, address + queries.get(name, "")
    if "public_id" in needed and known["public_id"] == running.public_id:
        yield f"{name} (finished)", address.replace(running.public_id, full.public_id)


def pages(person: AbstractBaseUser, full: Task) -> list[str]:
    """Those that answer with a page; downloads, data and what leads elsewhere are left out."""
    client, found = logged_in(person), ["/styleguide/"]
    for address in addresses(full).values():
        response = client.get(address)
        if response.status_code == 200 and response["Content-Type"].startswith("text/html"):
            found.append(address)
        response.close()
    return found


@pytest.fixture
def styled_site(processes: Processes) -> str:
    """With the page of all components, which is there for developers only."""
    port = free_port()
    web = processes.web(port, DEBUG="1")
    until(lambda: answers(port) or web.poll() is not None, 60, "the start of the web process")
    return f"http://127.0.0.1:{port}"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_everybody_can_use_every_page(
    browser: Browser, styled_site: str, everything: AbstractBaseUser, full: Task, theme: str
) -> None:
    shown = pages(everything, full)
    assert len(shown) >= 45
    session = {
        "name": "sessionid",
        "value": logged_in(everything).cookies["sessionid"].value,
        "url": styled_site,
    }
    page = browser.page(styled_site, [session], color_scheme=theme, reduced_motion="reduce")
    faults: list[str] = []
    for address in [*shown, "/accounts/login/"]:
        if address == "/accounts/login/":
            page.context.clear_cookies()
        page.set_viewport_size({"width": 1280, "height": 900})
        page.goto(address)
        page.evaluate(OPEN_ALL)
        faults += [f"{address}: {fault}" for fault in seen_by_axe(page)]
        if theme == "light":
            faults += [f"{address}: {fault}" for fault in (*too_wide(page), *focus_unseen(page))]
    page.context.close()
    assert not faults, "\n".join(faults)
    assert page.faults == []


def seen_by_axe(page: Any) -> list[str]:
    violations = page._run(lambda: Axe().run(page._target)).response["violations"]
    return [f"{one['id']}: {node['html'][:160]}" for one in violations for node in one["nodes"]]


def too_wide(page: Any) -> Iterator[str]:
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        if (needed := page.evaluate("document.documentElement.scrollWidth")) > width:
            yield f"is {needed} px wide on a screen of {width} px: {page.evaluate(STICKS_OUT, width)}"
    page.set_viewport_size({"width": 1280, "height": 900})


def focus_unseen(page: Any) -> list[str]:
    """What the keyboard reaches without a mark; the first stop is the way past the navigation."""
    page.evaluate("document.activeElement.blur(); window.scrollTo(0, 0)")
    page.keyboard.press("Tab")
    return [f"focus is not seen on {html}" for html in page.evaluate(UNSEEN)]
