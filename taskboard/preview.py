"""What can be shown of a stored result without leaving the page: its kind, and as much of it as is worth a look."""

import csv
import io
import re
from dataclasses import dataclass, field
from typing import Any, Literal

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererProtocol
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from taskboard import artifacts
from taskboard.models import Artifact

Kind = Literal["markdown", "csv", "image", "diff", "text", ""]
MOST_BYTES = 256 * 1024
MOST_ROWS = 100
MOST_COLUMNS = 30
LARGEST_IMAGE = 5 * 1024 * 1024
LINK = re.compile(r"https?://[^\s\x00-\x20\x7f\"'<>\\`{}|^]+", re.IGNORECASE)
"""The only addresses that become links."""
IMAGES = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}
"""How files begin that a browser draws and never runs; what they are called does not count."""
ENDINGS: dict[str, Kind] = {
    "md": "markdown", "markdown": "markdown", "csv": "csv", "tsv": "csv", "diff": "diff", "patch": "diff",
    "txt": "text", "log": "text", "json": "text", "jsonl": "text", "xml": "text", "html": "text", "htm": "text",
    "yaml": "text", "yml": "text", "png": "image", "jpg": "image", "jpeg": "image", "gif": "image", "webp": "image",
}  # fmt: skip
TYPES: dict[str, Kind] = {
    "text/markdown": "markdown", "text/csv": "csv", "text/tab-separated-values": "csv", "text/x-diff": "diff",
    "text/x-patch": "diff", "application/json": "text",
}  # fmt: skip


@dataclass(frozen=True)
class Preview:
    """The beginning of a result, in the form of its kind; `cut` says that there is more of it."""

    kind: Kind
    text: str = ""
    html: str = ""
    rows: list[list[str]] = field(default_factory=list)
    cut: bool = False


def kind_of(artifact: Artifact) -> Kind:
    """By its media type, else by the end of its name; an empty text if it can only be downloaded."""
    if not artifact.managed:
        return ""
    media_type = artifact.media_type.partition(";")[0].strip().lower()
    if media_type in TYPES:
        return TYPES[media_type]
    if found := ENDINGS.get(artifact.name.rpartition(".")[2].lower()):
        return found
    if media_type.startswith("image/"):
        return "image"
    return "text" if media_type.startswith("text/") else ""


def preview(artifact: Artifact) -> Preview:
    """Raises NotFound with a sentence if the file is gone."""
    kind = kind_of(artifact)
    if kind in ("", "image"):
        return Preview(kind)
    with artifacts.open_file(artifact) as file:
        raw = file.read(MOST_BYTES + 1)
    text, cut = raw[:MOST_BYTES].decode("utf-8-sig", errors="replace"), len(raw) > MOST_BYTES
    if kind == "markdown":
        return Preview(kind, text, html=markdown(text), cut=cut)
    if kind == "csv":
        rows, more = table(text)
        return Preview(kind, rows=rows, cut=cut or more)
    return Preview(kind, text, cut=cut)


def image(artifact: Artifact) -> tuple[bytes, str] | None:
    """Content and type of a picture that can be shown safely, judged by how it begins."""
    with artifacts.open_file(artifact) as file:
        content: bytes = file.read(LARGEST_IMAGE + 1)
    if len(content) > LARGEST_IMAGE:
        return None
    if content.startswith(b"RIFF") and content[8:12] == b"WEBP":
        return content, "image/webp"
    return next(((content, kind) for begin, kind in IMAGES.items() if content.startswith(begin)), None)


def table(text: str) -> tuple[list[list[str]], bool]:
    """The first rows of a sheet, and whether there are more."""
    first = text.partition("\n")[0]
    delimiter = max(",;\t|", key=first.count)
    rows: list[list[str]] = []
    try:
        for row in csv.reader(io.StringIO(text), delimiter=delimiter):
            if len(rows) > MOST_ROWS:
                return rows, True
            if row:
                rows.append(row[:MOST_COLUMNS])
    except csv.Error:  # what follows is no sheet; what came before it is shown
        return rows, True
    return rows, False


def markdown(text: str) -> str:
    """As HTML that holds no foreign markup, no pictures from elsewhere and no links but to http(s)."""
    return str(_markdown.render(text))


def _link(renderer: RendererProtocol, tokens: Any, index: int, options: OptionsDict, env: EnvType) -> str:
    token: Token = tokens[index]
    token.attrSet("rel", "noopener noreferrer")
    return str(renderer.renderToken(tokens, index, options, env))  # type: ignore[attr-defined]


def _converter() -> MarkdownIt:
    converter = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    converter.validateLink = lambda url: bool(LINK.fullmatch(url))  # type: ignore[method-assign]
    converter.add_render_rule("link_open", _link)
    return converter


_markdown = _converter()
