"""Keys of items: what looks the same is the same."""

import hashlib
import unicodedata

from taskboard.cleaning import clean_text

LONGEST_KEY = 200
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad"))


def clean_key(key: str) -> str:
    """A key without surrounding white space and invisible characters, in Unicode's composed form (NFC); upper
    and lower case differ. One that is too long keeps its beginning and a hash of the whole."""
    clean = unicodedata.normalize("NFC", clean_text(key).translate(_INVISIBLE)).strip()
    if len(clean) <= LONGEST_KEY:
        return clean
    return f"{clean[: LONGEST_KEY - 13]}-{hashlib.sha256(clean.encode()).hexdigest()[:12]}"
