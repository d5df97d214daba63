"""`celery -A tests.crash.app worker`: a Celery worker that knows the zoo and dies at CRASH_AT."""

import django

django.setup()

from config.celery import app  # noqa: E402 after setup
from tests.crash import moments  # noqa: E402 wraps the engine

app.now = moments.wrong_clock(app.now)  # beat's
__all__ = ["app"]
