"""The way from a page to the same row in the admin, for those who may look at it there."""

from typing import Any

from django import template
from django.contrib import admin
from django.contrib.admin.exceptions import NotRegistered
from django.db.models import Model
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext

register = template.Library()


@register.simple_tag(takes_context=True)
def in_admin(context: template.Context, row: Model) -> SafeString | str:
    """Outside live regions only: what these hold is the same for everybody."""
    request: Any = context.get("request")
    if request is None or not request.user.is_staff:
        return ""
    try:
        shown = admin.site.get_model_admin(type(row))
    except NotRegistered:
        return ""
    if not shown.has_view_permission(request, row):
        return ""
    meta = row._meta
    address = reverse(f"admin:{meta.app_label}_{meta.model_name}_change", args=[row.pk])
    return format_html('<span><a href="{}">{}</a></span>', address, gettext("In the admin"))
