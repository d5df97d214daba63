"""`celery -A bench.app worker`: a Celery worker that knows the workflows of the benchmarks."""

import django

django.setup()

from bench import noop, seen  # noqa: E402, F401 registers them
from config.celery import app  # noqa: E402 after setup

__all__ = ["app"]
