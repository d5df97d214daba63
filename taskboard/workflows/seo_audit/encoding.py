"""Which character encoding a page is written in: byte order mark, server, meta tag, or a guess."""

import codecs
import re

from django.utils.translation import gettext as _

from taskboard.workflows.seo_audit.errors import Unreadable

MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
IN_META = re.compile(rb"<meta[^>]{0,400}?charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
# Browsers read these labels as the larger set, and so do we.
AS_BROWSERS_DO = {"ascii": "cp1252", "iso8859-1": "cp1252", "gb2312": "gb18030", "gbk": "gb18030"}


def encoding_of(body: bytes, from_server: str = "") -> str:
    """The name of the codec; raises Unreadable if the page names one that nobody knows."""
    for mark, name in MARKS:
        if body.startswith(mark):
            return name
    declared = from_server or _in_meta(body)
    return _known(declared) if declared else _guess(body)


def decode(body: bytes, from_server: str = "") -> str:
    """The page as text; raises Unreadable if the bytes are not what the page says they are."""
    name = encoding_of(body, from_server)
    errors = "replace" if name == "cp1252" else "strict"
    try:
        return body.decode(name, errors).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise Unreadable(
            _("it says it is written in %(name)s, but byte %(place)d is not valid in it")
            % {"name": name, "place": error.start + 1}
        ) from error


def _in_meta(body: bytes) -> str:
    match = IN_META.search(body[:4096])
    name = match.group(1).decode("ascii", "replace") if match else ""
    # A page that could be searched for ASCII is not UTF-16, whatever it says (as browsers do).
    return "utf-8" if name.lower().startswith("utf-16") else name


def _known(label: str) -> str:
    try:
        info = codecs.lookup(label)
        " ".encode(label)  # some codecs, like "hex", are none for text
    except (LookupError, UnicodeError) as error:
        text = _("it names an unknown character encoding: %(name)s") % {"name": label[:40]}
        raise Unreadable(text) from error
    return AS_BROWSERS_DO.get(info.name, info.name)


def _guess(body: bytes) -> str:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"
