"""Read a backup: compare every part with its hash, and put it back into an empty installation."""

import shutil
import tarfile
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import IO

from django.conf import settings
from django.core.files import File
from django.core.files.storage import storages
from django.db import connection
from django.utils import timezone
from django.utils.translation import gettext as _

from taskboard.artifacts import digest
from taskboard.backup import manifest, postgres, sqlite
from taskboard.backup.manifest import DATABASES, STORAGES, Manifest, Part, damaged
from taskboard.errors import BadInput, NotFound, WrongState
from taskboard.models import Heartbeat

TOOLS = {"sqlite": sqlite, "postgresql": postgres}
LARGEST_MANIFEST = 512 * 1024 * 1024
UNREADABLE = (tarfile.TarError, EOFError, zlib.error, OSError)


def check(source: Path) -> Manifest:
    """Read all of it; raises BadInput with what is wrong. Nothing is written."""
    with _told_in_words(source):
        found, told = _read(source)
    if told is None:
        raise damaged(_("its list of parts is missing, so it was cut off"))
    for name in found.keys() | told.parts.keys():
        if found.get(name) != told.parts.get(name):
            raise damaged(_("%(name)s is not as its hash says") % {"name": name})
    return told


def _read(source: Path) -> tuple[dict[str, Part], Manifest | None]:
    """The parts as they are, and as the list at the end says."""
    found: dict[str, Part] = {}
    told: Manifest | None = None
    for name, content, size in _parts(source):
        if told is not None or name in found:
            raise damaged(_("%(name)s stands where it does not belong") % {"name": name})
        if name == manifest.NAME:
            told = Manifest.read(content.read(LARGEST_MANIFEST))
        else:
            found[name] = Part(size, digest(content)[0])
    return found, told


def restore(source: Path, *, replace: bool) -> Manifest:
    """Files first, the database last: whoever was interrupted begins again. What comes up stands by."""
    made = check(source)
    _refuse(made, replace=replace)
    with tempfile.TemporaryDirectory(prefix=".restore-", dir=settings.TASKBOARD_VAR) as folder:
        dump = Path(folder, DATABASES[made.database])
        for name, content, _size in _parts(source):
            if name == dump.name:
                with dump.open("xb") as file:
                    shutil.copyfileobj(content, file)
            elif name != manifest.NAME:
                _store(name, content)
        TOOLS[made.database].load(dump, made.made_at, replace=replace)
    return made


def _refuse(made: Manifest, *, replace: bool) -> None:
    if made.database not in DATABASES or DATABASES[made.database] not in made.parts:
        raise damaged(_("it holds no database"))
    if made.database != connection.vendor:
        told = {"of": made.database, "here": connection.vendor}
        raise BadInput(_("This is a backup of %(of)s, but DATABASE_URL leads to %(here)s.") % told)
    tables = connection.introspection.table_names()
    if tables and not replace:
        raise WrongState(
            _(
                "The database is not empty. To put the backup in its place, and lose what is there, say --replace."
            )
        )
    if Heartbeat._meta.db_table in tables and _somebody_works():
        raise WrongState(_("Taskboard is running on this database. Stop its processes first."))


def _somebody_works() -> bool:
    lately = timezone.now() - timedelta(seconds=settings.TASKBOARD_SILENT_SECONDS)
    return Heartbeat.objects.filter(seen_at__gt=lately).exists()


def _store(name: str, content: IO[bytes]) -> None:
    storage, _slash, path = name.partition("/")
    if storage not in STORAGES or not path:
        raise damaged(_("%(name)s stands where it does not belong") % {"name": name})
    storages[storage].save(path, File(content))


def _parts(source: Path) -> Iterator[tuple[str, IO[bytes], int]]:
    with tarfile.open(source, "r:*") as tar:
        for member in tar:
            content = tar.extractfile(member) if member.isreg() else None
            if content is None:
                raise damaged(_("%(name)s is no file") % {"name": member.name})
            yield member.name, content, member.size


@contextmanager
def _told_in_words(source: Path) -> Iterator[None]:
    """Whatever goes wrong in reading something that is not an archive, or only half of one."""
    try:
        yield
    except FileNotFoundError:
        raise NotFound(_("There is no file %(name)s.") % {"name": source}) from None
    except tarfile.ReadError:  # its words are one for each way in which an archive may be packed
        raise damaged(_("it is no archive, or only the beginning of one")) from None
    except UNREADABLE as error:
        raise damaged(error) from error
