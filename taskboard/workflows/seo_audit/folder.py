"""A site in a folder: its pages in order, and where links between them lead."""

import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote, unquote_to_bytes, urljoin, urlsplit

from django.utils.translation import gettext as _

from taskboard.workflows.seo_audit.errors import Unreadable
from taskboard.workflows.seo_audit.fetch import LARGEST_PAGE
from taskboard.workflows.seo_audit.names import page_key
from taskboard.workflows.seo_audit.raw import Raw, Target

ENDINGS = (".html", ".htm", ".xhtml")


class FolderSource:
    """Pages are files named like HTML; symbolic links that lead out of the folder are left alone."""

    remote = False

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self._leads_to = lru_cache(maxsize=20_000)(self._look_up)

    def has_pages(self) -> bool:
        """Whether there is anything to audit."""
        return next(self.files(), None) is not None

    def urls(self) -> list[str]:
        """The quoted paths of all pages, folder by folder, by name."""
        return [quote(os.fsencode(path)) for path in self.files()]

    def path(self, url: str) -> str:
        """The path as people read it."""
        return unquote_to_bytes(url).decode("utf-8", "replace")

    def read(self, url: str) -> Raw:
        """The file; raises Unreadable."""
        file = self.root / os.fsdecode(unquote_to_bytes(url))
        try:
            if not file.resolve().is_relative_to(self.root):
                raise Unreadable(_("it lies outside of the folder"))
            if file.stat().st_size > LARGEST_PAGE:
                raise Unreadable(_("it is larger than %(limit)d KB") % {"limit": LARGEST_PAGE // 1024})
            return Raw(file.read_bytes())
        except OSError as error:
            raise Unreadable(_why(error), gone=isinstance(error, FileNotFoundError)) from error

    def target(self, url: str, href: str, own_host: str) -> Target | None:
        """Relative links, and full ones to the host that the page calls its own."""
        try:
            link = urlsplit(urljoin(f"/{url}", href))
        except ValueError:
            return None
        if link.scheme not in ("", "http", "https") or (link.netloc and link.netloc != own_host):
            return None
        if not link.netloc and link.scheme:
            return None
        return self._leads_to(link.path)

    def close(self) -> None:
        """Nothing is open."""

    def files(self) -> Iterator[str]:
        """The paths of all pages, one by one."""
        for folder, names, files in os.walk(self.root):
            names[:] = sorted(name for name in names if not name.startswith("."))
            for name in sorted(files):
                file = Path(folder, name)
                if name.lower().endswith(ENDINGS) and not name.startswith(".") and self._inside(file):
                    yield str(file.relative_to(self.root))

    def _inside(self, file: Path) -> bool:
        return not file.is_symlink() or file.resolve().is_relative_to(self.root)

    def _look_up(self, link_path: str) -> Target:
        """As web servers do it: the file itself, the file without its ending, the index page of a folder."""
        wanted = os.fsdecode(unquote_to_bytes(link_path)).replace("\0", "").strip("/")
        for candidate in (wanted, f"{wanted}.html", f"{wanted}/index.html".lstrip("/"), f"{wanted}.htm"):
            if candidate and self._is_file(candidate):
                return Target(page_key(os.path.normpath(candidate)))
        return Target(page_key(wanted or "index.html"), missing=not (wanted and self._is_folder(wanted)))

    def _is_file(self, path: str) -> bool:
        try:
            return (self.root / path).is_file()
        except (OSError, ValueError):
            return False

    def _is_folder(self, path: str) -> bool:
        try:
            return (self.root / path).is_dir()
        except (OSError, ValueError):
            return False


def _why(error: OSError) -> str:
    """In words for people; what is rare stays as the system says it."""
    match error:
        case FileNotFoundError() | NotADirectoryError():
            return _("there is no such file")
        case IsADirectoryError():
            return _("it is a folder")
        case PermissionError():
            return _("this program may not read it")
    return error.strerror or str(error)
