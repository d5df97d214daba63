"""`python -m config.messages extract|missing|compile`: the translations, with Babel instead of GNU gettext."""

import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

from babel.messages import Catalog, Message
from babel.messages.extract import extract as babel_extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.conf import settings
from django.utils.translation.template import templatize

ROOT = Path(__file__).resolve().parent.parent
CODE, TEMPLATES = ("taskboard", "approvals", "config"), "templates"
KEYWORDS: dict[str, Any] = {
    **dict.fromkeys(["_", "gettext", "gettext_lazy", "gettext_noop"]),
    **dict.fromkeys(["ngettext", "ngettext_lazy", "ngettext_noop"], (1, 2)),
    **dict.fromkeys(["pgettext", "pgettext_lazy"], ((1, "c"), 2)),
    **dict.fromkeys(["npgettext", "npgettext_lazy"], ((1, "c"), 2, 3)),
}


def collect() -> Catalog:
    """All texts of the code and of the templates."""
    catalog = Catalog(project="Taskboard", charset="utf-8")
    for path, source in _sources():
        for line, text, comments, context in babel_extract("python", BytesIO(source), KEYWORDS):
            place = (path.relative_to(ROOT).as_posix(), line)
            catalog.add(text, None, [place], auto_comments=comments, context=context)
    return catalog


def _sources() -> Iterator[tuple[Path, bytes]]:
    for folder in CODE:
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield path, path.read_bytes()
    for path in sorted((ROOT / TEMPLATES).rglob("*.*")):
        if path.suffix in {".html", ".txt", ".md"}:
            lines = templatize(path.read_text(encoding="utf-8")).split("\n")
            # The indents of HTML would be faults in Python, as which it is read.
            yield path, "\n".join(line.lstrip() for line in lines).encode()


def extract() -> None:
    """Brings every catalogue up to date; what is translated stays."""
    texts = collect()
    for folder in {"zh_Hans", *(path.parts[-3] for path in _catalogues())}:
        path = ROOT / "locale" / folder / "LC_MESSAGES" / "django.po"
        catalogue = _read(path) if path.exists() else _begun(folder)
        texts.creation_date = catalogue.creation_date  # else each run would change the file
        catalogue.update(texts, no_fuzzy_matching=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            write_po(
                file, catalogue, width=110, ignore_obsolete=True, include_lineno=False, omit_header=False
            )


def _begun(folder: str) -> Catalog:
    """Babel would fill the head with samples such as EMAIL@ADDRESS, and call it fuzzy."""
    now, name = datetime.now(UTC), "Taskboard"
    catalogue = Catalog(folder, project=name, version="1", charset="utf-8", fuzzy=False)
    catalogue.header_comment = "# `make messages` brings this up to date."
    catalogue.last_translator = catalogue.language_team = catalogue.msgid_bugs_address = name
    catalogue.creation_date = catalogue.revision_date = now
    return catalogue


def untranslated(catalogue: Catalog) -> list[str]:
    """The texts of today that a catalogue lacks, or has only as a guess."""
    known = {(message.context, message.id): message for message in catalogue if message.id}
    return [
        text.id if isinstance(text.id, str) else text.id[0]
        for text in collect()
        if text.id and not _translated(known.get((text.context, text.id)))
    ]


def _translated(message: Message | None) -> bool:
    if message is None or message.fuzzy or not message.string:
        return False
    return isinstance(message.string, str) or all(message.string)


def missing() -> None:
    """Lists what waits for a translator; an empty list is a good one."""
    found = [f"{path.parts[-3]}: {text!r}" for path in _catalogues() for text in untranslated(_read(path))]
    sys.stdout.writelines(f"{line}\n" for line in found)
    sys.exit(1 if found else 0)


def compile_all() -> None:
    """Draft and rename: a running site never reads half a catalogue."""
    for path in _catalogues():
        draft = path.with_suffix(".draft")
        with draft.open("wb") as file:
            write_mo(file, _read(path))
        draft.rename(path.with_suffix(".mo"))


def _catalogues() -> list[Path]:
    return sorted((ROOT / "locale").glob("*/LC_MESSAGES/*.po"))


def _read(path: Path) -> Catalog:
    with path.open("rb") as file:
        return read_po(file, locale=path.parts[-3])


if __name__ == "__main__":
    settings.configure(USE_I18N=True)
    jobs = {"extract": extract, "missing": missing, "compile": compile_all}
    jobs.get(sys.argv[-1], lambda: sys.exit("Say `extract`, `missing` or `compile`."))()
