"""Settings and entry points; the Celery app is here so that jobs find it."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
