"""A column that the database holds encrypted."""

from typing import Any

from django.db import models

from taskboard import encryption

MARK = "sealed:"


class SealedField(models.TextField):  # type: ignore[type-arg]
    """Plain in Python, encrypted in the table, so that a copy of the database says nothing. Rows from before are read
    as they are. Empty if it was sealed with a key that this installation no longer has. Nothing can be looked up by it.
    """

    def get_prep_value(self, value: Any) -> Any:
        plain = super().get_prep_value(value)
        return f"{MARK}{encryption.seal(plain)}" if plain else plain

    def from_db_value(self, value: str | None, _expression: Any, _connection: Any) -> str | None:
        if value is None or not value.startswith(MARK):
            return value
        return encryption.unseal(value.removeprefix(MARK)) or ""
