"""Filters of the admin whose choices are known without looking through the table."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.models import Group
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from taskboard import workflow
from taskboard.models import WorkflowVersion


class WorkflowFilter(admin.SimpleListFilter):
    """Those that are registered, and those that once were."""

    title = _("workflow")
    parameter_name = "workflow"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        once = WorkflowVersion.objects.order_by().values_list("workflow", flat=True).distinct()
        names = {spec.name for spec in workflow.registered()} | set(once)
        return [(name, name) for name in sorted(names)]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(workflow=self.value()) if self.value() else queryset


class GroupFilter(admin.SimpleListFilter):
    """The group that a question is put to."""

    title = _("group")
    parameter_name = "group_name"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(name, name) for name in Group.objects.order_by("name").values_list("name", flat=True)]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(group_name=self.value()) if self.value() else queryset
