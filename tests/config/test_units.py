"""The units in docs/examples are ones that systemd takes, and start what docs/deploy.md says."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.processes import ROOT

UNITS = sorted((ROOT / "docs" / "examples").glob("*.service"))


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.name)
def test_each_unit_starts_a_process_of_the_table(unit: Path) -> None:
    command = next(line for line in unit.read_text().splitlines() if line.startswith("ExecStart="))
    program = command.partition("/.venv/bin/")[2].replace("%i", "steps").replace("%%h", "%h")
    told = (ROOT / "docs" / "deploy.md").read_text()
    words = program.split(" -c ")[0].split(" --host ")[0]
    assert f"`{words}" in told


def test_systemd_takes_them(tmp_path: Path) -> None:
    """Where there is a systemd; most containers have none."""
    if shutil.which("systemd-analyze") is None:
        return
    for unit in UNITS:
        text = unit.read_text().replace("/srv/taskboard/.venv/bin/uvicorn", "/bin/true")
        text = text.replace("/srv/taskboard/.venv/bin/celery", "/bin/true").replace("User=taskboard\n", "")
        (tmp_path / unit.name.replace("@.", "@steps.")).write_text(text)
    command = ["systemd-analyze", "verify", *sorted(str(path) for path in tmp_path.iterdir())]
    checked = subprocess.run(command, capture_output=True, text=True)
    said = [line for line in checked.stderr.splitlines() if str(tmp_path) in line]
    assert said == []
