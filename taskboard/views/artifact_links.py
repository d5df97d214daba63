"""Where an artifact may lead: only to http(s), or to our own preview and download; anything else is text."""

from dataclasses import dataclass
from datetime import datetime

from django.core.files.storage import FileSystemStorage
from django.urls import reverse
from django.utils import timezone

from taskboard import artifacts, preview, signed_links
from taskboard.models import Artifact, Task


@dataclass(frozen=True)
class Shown:
    """An artifact and the address that a click on it may open, if any; `download` where that is another one."""

    artifact: Artifact
    url: str
    external: bool
    download: str = ""
    missing: bool = False
    expired_at: datetime | None = None
    """When a link that was signed for a time stopped to open."""


def show(task: Task, artifact: Artifact) -> Shown:
    if not artifact.managed:
        over = expired_at(artifact)
        return Shown(artifact, "" if over else safe_link(artifact.place), external=True, expired_at=over)
    if is_missing(artifact):
        return Shown(artifact, "", external=False, missing=True)
    download = reverse("taskboard:artifact", args=[task.public_id, artifact.pk])
    if not preview.kind_of(artifact):
        return Shown(artifact, download, external=False)
    return Shown(artifact, reverse("taskboard:preview", args=[task.public_id, artifact.pk]), False, download)


def is_missing(artifact: Artifact) -> bool:
    """Asked only of a folder on this machine: elsewhere it would cost a request each time it is shown."""
    storage = artifacts.storage()
    return isinstance(storage, FileSystemStorage) and not storage.exists(artifact.place)


def expired_at(artifact: Artifact) -> datetime | None:
    end = None if artifact.managed else signed_links.ends_at(artifact.place)
    return end if end and end <= timezone.now() else None


def safe_link(place: str) -> str:
    """The place itself if it is a plain http(s) address, else nothing."""
    return place if preview.LINK.fullmatch(place) else ""
