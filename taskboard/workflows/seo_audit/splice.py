"""Puts a new title or description into the bytes of a page and touches nothing else."""

import difflib
import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from taskboard.workflows.seo_audit import phrases
from taskboard.workflows.seo_audit.encoding import encoding_of
from taskboard.workflows.seo_audit.errors import CannotChange, Unreadable
from taskboard.workflows.seo_audit.page import PageFacts, read_facts
from taskboard.workflows.seo_audit.text import clean

ATTRIBUTES = r"(?:[^>\"']|\"[^\"]*+\"|'[^']*+')*+"
TOKEN = re.compile(
    rf"<!--.*?-->|<title\b{ATTRIBUTES}>(?P<title>.*?)</title\s*>"
    rf"|<(?P<raw>script|style|noscript|template)\b{ATTRIBUTES}>.*?</(?P=raw)\s*>"
    rf"|<(?P<mark>[!?])[^>]*>|<(?P<close>/?)(?P<tag>[a-z][^\s/>]*){ATTRIBUTES}>",
    re.IGNORECASE | re.DOTALL,
)
HEAD_TAGS = frozenset(("html", "head", "meta", "link", "base", "basefont", "bgsound"))
NAME = re.compile(
    r"\bname\s*=\s*(?:\"\s*description\s*\"|'\s*description\s*'|description(?=[\s/>]))", re.IGNORECASE
)
CONTENT = re.compile(r"\bcontent\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s>\"']+)", re.IGNORECASE)
NO_LINE_END = "\n\\ No newline at end of file\n"
LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass
class _Head:
    """Where in the text the tags of interest are."""

    title: tuple[int, int] | None = None
    description: tuple[int, int] | None = None
    start: int = 0


def changed(body: bytes, charset: str, new: Mapping[str, str]) -> bytes:
    """The page with these texts (keys `title` and `description`); raises CannotChange."""
    if not new:
        return body
    before, name, text = _opened(body, charset)
    for field in ("title", "description"):
        if field in new:
            text = _with(text, field, _escaped(clean(new[field]), name))
    result = text.encode(name, "surrogateescape")
    _check(before, result, charset, new)
    return result


def unified_diff(path: str, before: bytes, after: bytes, charset: str) -> str:
    """The difference as a patch."""
    old, new = (_lines(body.decode(encoding_of(body, charset), "replace")) for body in (before, after))
    parts = difflib.unified_diff(old, new, fromfile=f"a/{path}", tofile=f"b/{path}")
    return "".join(part if part.endswith("\n") else part + NO_LINE_END for part in parts)


def _opened(body: bytes, charset: str) -> tuple[PageFacts, str, str]:
    try:
        facts, name = read_facts(body, charset), encoding_of(body, charset)
        text = body.decode(name, "surrogateescape")
        same = text.encode(name, "surrogateescape") == body
    except (Unreadable, UnicodeError) as error:
        raise CannotChange(str(error)) from error
    if not same:
        raise CannotChange(phrases.NOT_AS_IT_WAS())
    return facts, name, text


def _escaped(text: str, name: str) -> str:
    """What the page's encoding does not have becomes a character reference, which reads the same."""
    safe = html.escape(text, quote=False).replace('"', "&quot;")
    return safe.encode(name, "xmlcharrefreplace").decode(name)


def _with(text: str, field: str, escaped: str) -> str:
    head = _scan(text)
    if field == "title":
        tag, place = f"<title>{escaped}</title>", head.title
        new = tag if place else ""
    else:
        tag, place = f'<meta name="description" content="{escaped}">', head.description
        new = _with_content(text[slice(*place)], escaped) if place else ""
    if place:
        return text[: place[0]] + new + text[place[1] :]
    return _inserted(text, head, tag)


def _with_content(tag: str, escaped: str) -> str:
    """The same meta tag with another content; its other attributes stay."""
    match = CONTENT.search(tag)
    if match is None:
        return re.sub(r"\s*(/?>)$", lambda end: f' content="{escaped}"{end.group(1)}', tag)
    return f'{tag[: match.start()]}content="{escaped}"{tag[match.end() :]}'


def _inserted(text: str, head: _Head, tag: str) -> str:
    """On a line of its own behind the title, or where the head begins."""
    end = LINE_END.search(text)
    line_end = end.group() if end else "\n"
    if head.title:
        line_start = max(text.rfind("\n", 0, head.title[0]), text.rfind("\r", 0, head.title[0])) + 1
        indent = re.match(r"[ \t]*", text[line_start : head.title[0]])
        between = line_end + (indent.group() if indent else "")
        return f"{text[: head.title[1]]}{between}{tag}{text[head.title[1] :]}"
    before = line_end if head.start and not text[: head.start].endswith(("\n", "\ufeff")) else ""
    indent = re.match(r"\r?\n([ \t]*)", text[head.start :])
    after = "" if indent else line_end
    return f"{text[: head.start]}{before}{indent[1] if indent else ''}{tag}{after}{text[head.start :]}"


def _scan(text: str) -> _Head:
    """Read the tags of the head; whatever belongs in a body ends it."""
    head = _Head(start=1 if text.startswith("\ufeff") else 0)
    for match in _tokens(text):
        tag = (match["tag"] or "").lower()
        if match["title"] is not None:
            head.title = head.title or match.span()
        elif tag == "meta" and NAME.search(match.group()):
            head.description = head.description or match.span()
        elif tag in ("html", "head") or (match["mark"] and not (head.title or head.description)):
            head.start = match.end()
    return head


def _tokens(text: str) -> Iterator[re.Match[str]]:
    for match in TOKEN.finditer(text):
        if match["tag"] and (match["tag"].lower() not in HEAD_TAGS or match["close"]):
            return
        yield match


def _check(before: PageFacts, body: bytes, charset: str, new: Mapping[str, str]) -> None:
    """Read the result as a browser would: the new texts are there, and nothing else is different."""
    after = read_facts(body, charset)
    for field, text in new.items():
        if (getattr(after, field) or "") != clean(text):
            raise CannotChange(phrases.NO_HEAD())
    if (before.h1, before.lang, before.links, before.images) != (
        after.h1,
        after.lang,
        after.links,
        after.images,
    ):
        raise CannotChange(phrases.WOULD_DAMAGE())


def _lines(text: str) -> list[str]:
    return [line for line in re.split(r"(?<=\n)", text) if line]
