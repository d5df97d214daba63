"""PostgreSQL by its own tools: pg_dump's custom form; put back in one transaction, or not at all."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from django.db import connection, connections
from django.utils.translation import gettext as _
from psycopg.conninfo import make_conninfo

from taskboard.errors import WrongState

INSTALLED = Path("/usr/lib/postgresql")
OURS = {"pool", "options"}
"""Options that Django's pool and our sessions need, and the tools do not."""
PLAIN = ("--no-owner", "--no-privileges")
STAND_BY = """UPDATE {schema}.taskboard_installation
  SET since = now(), why = 'restored', reason = '', backup_at = '{at}';"""
DROP = """DO $$ DECLARE one record; BEGIN
  FOR one IN SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = current_schema()
    LOOP EXECUTE 'DROP TABLE ' || one.name || ' CASCADE'; END LOOP;
  FOR one IN SELECT p.oid::regprocedure::text AS name FROM pg_proc p
      JOIN pg_language l ON l.oid = p.prolang
      WHERE pronamespace = quote_ident(current_schema())::regnamespace AND lanname = 'plpgsql'
    LOOP EXECUTE 'DROP FUNCTION ' || one.name || ' CASCADE'; END LOOP;
END $$;"""


def dump(to: Path, made_at: datetime) -> None:
    """A snapshot, whatever is written beside it; its table of contents is read back."""
    with _address() as address:
        _run("pg_dump", "--format=custom", *PLAIN, f"--file={to}", f"--dbname={address}")
    _run("pg_restore", "--list", str(to))


def load(dump: Path, made_at: datetime, *, replace: bool) -> None:
    """What is there goes, the copy comes and stands by: one transaction."""
    schema, script = _schema(), dump.with_suffix(".sql")
    connections.close_all()
    _run("pg_restore", *PLAIN, f"--file={script}", str(dump))
    before, after = dump.with_suffix(".before"), dump.with_suffix(".after")
    before.write_text(DROP if replace else "", encoding="utf-8")
    after.write_text(STAND_BY.format(schema=schema, at=made_at.isoformat()), encoding="utf-8")
    files = [f"--file={path}" for path in (before, script, after)]
    with _address() as address:
        _run("psql", "-qX", "--single-transaction", "-v", "ON_ERROR_STOP=1", f"--dbname={address}", *files)


def _run(name: str, *arguments: str) -> None:
    done = subprocess.run([_tool(name), *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        said = " ".join(done.stderr.split())[:500]
        raise WrongState(_("%(tool)s failed: %(said)s") % {"tool": name, "said": said})


def _tool(name: str) -> str:
    """The newest one that is installed: an older one refuses a newer server."""
    found = sorted(INSTALLED.glob(f"*/bin/{name}"), key=lambda path: float(path.parts[-3]))
    path = str(found[-1]) if found else shutil.which(name)
    if path is None:
        raise WrongState(
            _("%(tool)s is not installed here. Install PostgreSQL's client (on Debian: postgresql-client).")
            % {"tool": name}
        )
    return path


@contextmanager
def _address() -> Iterator[str]:
    """How the tools reach the database. The password is in a file: others on the machine may see arguments."""
    given = connection.settings_dict
    options = {name: value for name, value in given["OPTIONS"].items() if name not in OURS}
    named = {"host": given["HOST"], "port": given["PORT"], "user": given["USER"], "dbname": given["NAME"]}
    password = str(given["PASSWORD"] or "").replace("\\", "\\\\").replace(":", "\\:")
    with tempfile.NamedTemporaryFile(
        "w", prefix="taskboard-", encoding="utf-8"
    ) as file:  # for its owner only
        file.write(f"*:*:*:*:{password}\n")
        file.flush()
        told = {**options, **named, "passfile": file.name if password else ""}
        yield make_conninfo("", **{name: value for name, value in told.items() if value})


def _schema() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT quote_ident(current_schema())")
        return str(cursor.fetchone()[0])
