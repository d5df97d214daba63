"""The site index in the admin: to be searched and read."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from taskboard.admin.history import OfTask
from taskboard.rights import SEE
from taskboard.workflows.seo_audit.models import SiteChange, SiteLink, SitePage


class SiteAdmin(OfTask):
    right = SEE
    search_help_text = _("The id of a task, and behind it the path of a page; in full.")


@admin.register(SitePage)
class SitePageAdmin(SiteAdmin):
    list_display = ("path", "task", "title", "lang", "noindex", "read_at", "error")
    list_filter = ("noindex", "gone")
    search_within = "path"


@admin.register(SiteLink)
class SiteLinkAdmin(SiteAdmin):
    list_display = ("source", "target", "task", "missing")
    list_filter = ("missing",)
    search_within = "source"


@admin.register(SiteChange)
class SiteChangeAdmin(SiteAdmin):
    list_display = ("path", "field", "task", "step", "text")
    search_within = "path"
