"""Names of pages: the key of an item, and the name of its file in a storage."""

import hashlib
import unicodedata
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit

from taskboard.workflows.seo_audit.text import clean

LONGEST_KEY = 200
LONGEST_SEGMENT = 150  # bytes; file systems take 255, and a draft's name is longer than the file's


def page_key(path: str) -> str:
    """One spelling for what looks the same: NFC, trimmed, no control characters, at most 200 characters."""
    visible = "".join(" " if unicodedata.category(c) == "Cc" and c != "\0" else c for c in path)
    return cut_with_hash(unicodedata.normalize("NFC", clean(visible)), LONGEST_KEY)


def cut_with_hash(text: str, longest: int) -> str:
    """Too long a text keeps its beginning and stays unique by a hash of all of it."""
    if len(text) <= longest:
        return text
    return f"{text[: longest - 13]}~{_digest(text)}"


def path_of_address(address: SplitResult) -> str:
    """`/shop/?page=2` -> `shop/index.html?page=2`: the file that a copy of the site would hold."""
    segments = [
        part for part in unquote(address.path).replace("\\", "/").split("/") if part not in ("", ".", "..")
    ]
    if not segments or address.path.endswith("/") or "." not in segments[-1]:
        segments.append("index.html")
    return "/".join(segments) + (f"?{unquote(address.query)}" if address.query else "")


def plain_address(url: str) -> str:
    """One spelling of an address: host in lower case, no usual port, no place within the page."""
    parts = urlsplit(url)
    usual = {"http": 80, "https": 443}.get(parts.scheme)
    port = f":{parts.port}" if parts.port and parts.port != usual else ""
    host = f"{parts.hostname or ''}{port}"
    return urlunsplit((parts.scheme, host, parts.path or "/", parts.query, ""))


def storage_name(path: str) -> str:
    """The path as a name that every file system takes."""
    return "/".join(_segment(part) for part in path.split("/") if part not in ("", ".", ".."))


def _segment(part: str) -> str:
    plain = "".join("_" if c in '\\:*?"<>|' else c for c in part)
    raw = plain.encode("utf-8", "replace")
    if plain == part and len(raw) <= LONGEST_SEGMENT:
        return plain
    stem, dot, ending = plain.rpartition(".")
    short = (stem or plain).encode("utf-8", "replace")[: LONGEST_SEGMENT - 30].decode("utf-8", "ignore")
    return f"{short}~{_digest(part)}{dot + ending[:10] if stem else ''}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]
