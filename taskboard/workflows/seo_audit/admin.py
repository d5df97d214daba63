"""The site index in the admin: to be searched and read."""

from django.contrib import admin

from taskboard.admin.history import OfTask
from taskboard.workflows.seo_audit.models import SiteChange, SiteLink, SitePage


class SiteAdmin(OfTask):
    right = "taskboard.view_task"


@admin.register(SitePage)
class SitePageAdmin(SiteAdmin):
    list_display = ("path", "task", "title", "lang", "noindex", "read_at", "error")
    list_filter = ("noindex", "gone")
    search_fields = ("=task__public_id", "=path", "title")


@admin.register(SiteLink)
class SiteLinkAdmin(SiteAdmin):
    list_display = ("source", "target", "task", "missing")
    list_filter = ("missing",)
    search_fields = ("=task__public_id", "=source", "=target")


@admin.register(SiteChange)
class SiteChangeAdmin(SiteAdmin):
    list_display = ("path", "field", "task", "step", "text")
    list_filter = ("field",)
    search_fields = ("=task__public_id", "=path")
