"""The Django admin: everything can be looked at; what is history cannot be changed there."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from taskboard.admin import history, installation, keeping, people, security

__all__ = ["history", "installation", "keeping", "people", "security"]

admin.site.site_header = admin.site.site_title = _("Taskboard administration")
admin.site.index_title = _("All tables")
