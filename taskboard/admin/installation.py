"""The installation's own row: to be looked at; it is changed on the page of the stand-by."""

from django.contrib import admin

from taskboard.admin.readonly import ReadOnlyAdmin
from taskboard.models import Installation
from taskboard.rights import RETAIN


@admin.register(Installation)
class InstallationAdmin(ReadOnlyAdmin):
    right = RETAIN
    list_display = ("mark", "alive_at", "since", "why", "lifted_at", "lifted_by_name")
    ordering = ("-id",)
