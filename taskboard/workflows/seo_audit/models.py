"""The site index of one audit: pages, the links between them, and changes in the working copy."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class SitePage(models.Model):
    """What was read from one page. Texts are cut so that they fit into an index."""

    task = models.ForeignKey("taskboard.Task", on_delete=models.CASCADE, related_name="+")
    path = models.CharField(max_length=200, help_text=_("The key of the item."))
    url = models.TextField(help_text=_("Where it was read: an address, or a quoted path inside the folder."))
    read_at = models.DateTimeField()
    error = models.CharField(
        max_length=300, blank=True, help_text=_("Why it cannot be read; empty if it can.")
    )
    gone = models.BooleanField(default=False, help_text=_("The server knows no such page."))
    charset = models.CharField(max_length=40, blank=True, help_text=_("As the server said it."))
    sha256 = models.CharField(max_length=64, blank=True)
    has_title = models.BooleanField(default=False)
    title = models.CharField(max_length=400, blank=True)
    has_description = models.BooleanField(default=False)
    description = models.CharField(max_length=400, blank=True)
    h1 = models.CharField(max_length=400, blank=True)
    h1_count = models.PositiveIntegerField(default=0)
    lang = models.CharField(max_length=35, blank=True)
    canonical = models.CharField(max_length=400, blank=True)
    canonical_elsewhere = models.BooleanField(default=False)
    robots = models.CharField(max_length=200, blank=True)
    noindex = models.BooleanField(default=False)
    viewport = models.BooleanField(default=False)
    images = models.PositiveIntegerField(default=0)
    images_without_alt = models.PositiveIntegerField(default=0)
    site_name = models.CharField(max_length=120, blank=True)
    owner = models.EmailField(blank=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("task", "path"), name="one_page_per_path"),)
        indexes = (
            models.Index(fields=("task", "title"), name="page_by_title"),
            models.Index(fields=("task", "description"), name="page_by_description"),
            models.Index(fields=("task", "site_name"), name="page_by_site_name"),
        )
        ordering = ("path",)

    def __str__(self) -> str:
        return self.path

    @property
    def listed(self) -> bool:
        """Search engines are meant to show it under this very address."""
        return not (self.error or self.noindex or self.canonical_elsewhere)


class SiteLink(models.Model):
    """A link from one page to another place of the same site."""

    task = models.ForeignKey("taskboard.Task", on_delete=models.CASCADE, related_name="+")
    source = models.CharField(max_length=200)
    target = models.CharField(max_length=200)
    missing = models.BooleanField(default=False, help_text=_("There is no such file in the folder."))

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("task", "source", "target"), name="one_link_per_pair"),
        )
        indexes = (models.Index(fields=("task", "target"), name="link_by_target"),)
        ordering = ("source", "target")

    def __str__(self) -> str:
        return f"{self.source} -> {self.target}"


class SiteChange(models.Model):
    """A new title or description. The changed file is always the original with all changes of its page."""

    task = models.ForeignKey("taskboard.Task", on_delete=models.CASCADE, related_name="+")
    path = models.CharField(max_length=200)
    field = models.CharField(max_length=20)
    text = models.TextField()
    step = models.CharField(max_length=60)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("task", "path", "field"), name="one_change_per_field"),
        )
        ordering = ("path", "field")

    def __str__(self) -> str:
        return f"{self.path}: {self.field}"
