"""`python -m config.messages extract|compile`: the translations, with Babel instead of GNU gettext."""

import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

from babel.messages import Catalog
from babel.messages.extract import extract as babel_extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.conf import settings
from django.utils.translation.template import templatize

ROOT = Path(__file__).resolve().parent.parent
CODE, TEMPLATES = ("taskboard", "approvals", "config"), "templates"
KEYWORDS: dict[str, Any] = {
    **dict.fromkeys(["_", "gettext", "gettext_lazy", "gettext_noop"]),
    **dict.fromkeys(["ngettext", "ngettext_lazy"], (1, 2)),
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
            yield path, templatize(path.read_text(encoding="utf-8")).encode()


def extract() -> None:
    """Brings every catalogue up to date; what is translated stays."""
    texts = collect()
    for folder in {"zh_Hans", *(path.parts[-3] for path in _catalogues())}:
        path = ROOT / "locale" / folder / "LC_MESSAGES" / "django.po"
        catalogue = (
            _read(path) if path.exists() else Catalog(locale=folder, project="Taskboard", charset="utf-8")
        )
        catalogue.update(texts, no_fuzzy_matching=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            write_po(
                file, catalogue, width=110, ignore_obsolete=True, include_lineno=False, omit_header=False
            )


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
    jobs = {"extract": extract, "compile": compile_all}
    jobs.get(sys.argv[-1], lambda: sys.exit("Say `extract` or `compile`."))()
