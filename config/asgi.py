"""ASGI entry: sync workers could not hold an event stream."""

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup(set_prefix=False)

from config.pages import Handler  # noqa: E402
from taskboard import sessions  # noqa: E402
from taskboard.engine import presence  # noqa: E402
from taskboard.live import Watcher  # noqa: E402
from taskboard.streams import Streams  # noqa: E402
from taskboard.views.regions import look  # noqa: E402

application = Streams(Handler(), Watcher(look, presence.serves), sessions.ended)
