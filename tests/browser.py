"""Chromium through Playwright, in a thread of its own.

Playwright's sync API keeps an event loop running in its thread, and Django refuses database calls where one
runs. So the browser's objects live in another thread, and a test holds proxies that call them there.
"""

import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Self

from playwright.sync_api import expect, sync_playwright

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"]


def executable() -> str | None:
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Remote:
    """Stands for an object of Playwright: attributes and calls happen in its thread."""

    def __init__(self, run: Callable[..., Any], target: Any) -> None:
        self._run, self._target = run, target

    def __getattr__(self, name: str) -> Any:
        return self._wrap(self._run(getattr, self._target, name))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        plain = {name: _plain(value) for name, value in kwargs.items()}
        return self._wrap(self._run(self._target, *map(_plain, args), **plain))

    def __enter__(self) -> Any:
        return self._wrap(self._run(self._target.__enter__))

    def __exit__(self, *error: Any) -> None:
        self._run(self._target.__exit__, *error)

    def _wrap(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._wrap(part) for part in value]
        ours = type(value).__module__.startswith("playwright.") or callable(value)
        return Remote(self._run, value) if ours else value


def _plain(value: Any) -> Any:
    return value._target if isinstance(value, Remote) else value


class Browser:
    """One Chromium for the whole run; each page in a context of its own."""

    def __init__(self, path: str) -> None:
        self._thread = ThreadPoolExecutor(1, "browser")
        self._playwright = self._run(lambda: sync_playwright().start())
        self._chromium = self._run(lambda: self._playwright.chromium.launch(executable_path=path, args=FLAGS))

    def _run(self, call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        return self._thread.submit(call, *args, **kwargs).result()

    def page(self, base_url: str, cookies: list[dict[str, str]] | None = None, **options: Any) -> Any:
        """A page in a context of its own; `page.faults` lists the script and CSP errors that it met."""
        context = self._run(self._chromium.new_context, base_url=base_url, **options)
        self._run(context.add_cookies, cookies or [])
        page = self._run(context.new_page)
        faults: list[str] = []
        self._run(page.on, "pageerror", lambda error: faults.append(str(error)))
        self._run(page.on, "console", lambda message: _note(faults, message))
        remote = Remote(self._run, page)
        remote.faults = faults
        return remote

    def expect(self, target: Any) -> Any:
        """Playwright's waiting assertions: `browser.expect(page.get_by_text("…")).to_be_visible()`."""
        return Remote(self._run, self._run(expect, _plain(target)))

    def close(self) -> None:
        self._run(self._chromium.close)
        self._run(self._playwright.stop)
        self._thread.shutdown()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def _note(faults: list[str], message: Any) -> None:
    if message.type == "error" and "Failed to load resource" not in message.text:
        faults.append(message.text)
