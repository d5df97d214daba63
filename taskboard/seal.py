"""The canonical form of an action and its digest: what is asked, approved and executed is the same bytes."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from taskboard.cleaning import Cleaner
from taskboard.errors import BadInput


def canonical(value: Any) -> str:
    """JSON with sorted keys and no spaces; raises ValueError for NaN and infinities."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def sha256_of(value: Any) -> str:
    """Digest of the canonical form."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()


def sealable(value: Any, cleaner: Cleaner | None = None) -> Any:
    """The value as it reads after every trip through a database. Raises BadInput for a float, which may not."""
    plain = (cleaner or Cleaner()).json(value)
    _refuse_floats(plain, "payload")
    return plain


def _refuse_floats(value: Any, path: str) -> None:
    if isinstance(value, float):
        raise BadInput(
            f"{value!r} cannot be sealed exactly; hand it over as a whole number or as text.", path
        )
    parts = (
        value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, part in parts:
        _refuse_floats(part, f"{path}.{key}")
