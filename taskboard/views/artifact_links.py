"""Where an artifact may lead: only to http(s), or to our own download; anything else is text."""

import re
from dataclasses import dataclass

from django.urls import reverse

from taskboard.models import Artifact, Task

LINK = re.compile(r"https?://[^\s\x00-\x20\x7f\"'<>\\`{}|^]+", re.IGNORECASE)


@dataclass(frozen=True)
class Shown:
    """An artifact and the address that a click on it may open, if any."""

    artifact: Artifact
    url: str
    external: bool


def show(task: Task, artifact: Artifact) -> Shown:
    if artifact.managed:
        url = reverse("taskboard:artifact", args=[task.public_id, artifact.pk])
        return Shown(artifact, url, external=False)
    return Shown(artifact, safe_link(artifact.place), external=True)


def safe_link(place: str) -> str:
    """The place itself if it is a plain http(s) address, else nothing."""
    return place if LINK.fullmatch(place) else ""
