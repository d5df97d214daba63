"""What the database takes on disk, how much of it is free to be used again, and how to give it back."""

from dataclasses import dataclass

from django.db import connection
from django.utils.translation import gettext as _


@dataclass(frozen=True)
class Disk:
    """Bytes of the whole database. `free` is what it can use again without growing; None where it cannot say."""

    bytes: int
    free: int | None

    def as_json(self) -> dict[str, int | str | None]:
        return {"database_bytes": self.bytes, "free_bytes": self.free, "how_to_give_back": how_to_give_back()}


def now() -> Disk:
    """A question that takes no longer in a large database."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            size, pages, free = (
                _pragma(cursor, name) for name in ("page_size", "page_count", "freelist_count")
            )
            return Disk(size * pages, size * free)
        cursor.execute("SELECT pg_database_size(current_database())")
        return Disk(int(cursor.fetchone()[0]), None)


def how_to_give_back() -> str:
    """The command that makes the files smaller, and what it costs."""
    if connection.vendor == "sqlite":
        return _(
            "Room that a purge made is used again. To make the file smaller, stop everything and run:"
            " sqlite3 var/db.sqlite3 VACUUM (it needs as much free disk as the database has)."
        )
    return _(
        "Room that a purge made is used again after autovacuum. To make the files smaller, run VACUUM FULL in a quiet"
        " hour: it locks one table after the other."
    )


def _pragma(cursor: object, name: str) -> int:
    cursor.execute(f"PRAGMA {name}")  # type: ignore[attr-defined]
    return int(cursor.fetchone()[0])  # type: ignore[attr-defined]
