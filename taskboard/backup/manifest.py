"""What a backup holds: its last part, so that it is written while the others are packed."""

import json
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, Self

from django.utils.translation import gettext as _

from taskboard.errors import BadInput

NAME = "manifest.json"
FORMAT = 1
DATABASES = {"sqlite": "database.sqlite3", "postgresql": "database.dump"}
"""The name of the database's part, by the kind of database."""
STORAGES = ("artifacts", "archives")


@dataclass(frozen=True)
class Part:
    """Size and SHA-256 of one part."""

    size: int
    sha256: str


@dataclass
class Manifest:
    """The parts by their names in the file."""

    made_at: datetime
    database: str
    parts: dict[str, Part] = field(default_factory=dict)

    @property
    def files(self) -> int:
        return len(self.parts) - 1

    @property
    def size(self) -> int:
        return sum(part.size for part in self.parts.values())

    def to_bytes(self) -> bytes:
        told = {"format": FORMAT, "made_at": self.made_at.isoformat(), "database": self.database}
        parts = {name: asdict(part) for name, part in self.parts.items()}
        return json.dumps({**told, "parts": parts}, ensure_ascii=False, indent=1).encode()

    @classmethod
    def read(cls, raw: bytes) -> Self:
        """Raises BadInput for anything but a manifest of a format that is known here."""
        try:
            told: dict[str, Any] = json.loads(raw)
            if told["format"] != FORMAT:
                raise BadInput(
                    _("This backup was made by a later version of Taskboard; restore it with that one.")
                )
            parts = {str(name): Part(int(p["size"]), str(p["sha256"])) for name, p in told["parts"].items()}
            return cls(datetime.fromisoformat(told["made_at"]), str(told["database"]), parts)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise damaged(error) from error


def damaged(why: object) -> BadInput:
    """The sentence for a file that cannot be used."""
    return BadInput(_("This is no backup of Taskboard, or it is damaged: %(why)s.") % {"why": why})
