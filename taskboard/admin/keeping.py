"""Retention in the admin, to be read: policies, holds and purges are made on the Retention pages."""

from django.contrib import admin
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from taskboard.admin.readonly import ReadOnlyAdmin
from taskboard.models import HoldRule, PurgePlan, PurgePlanTask, RetentionPolicy


@admin.register(RetentionPolicy)
class RetentionPolicyAdmin(ReadOnlyAdmin):
    list_display = ("workflow", "days", "set_by_name", "set_at")
    search_fields = ("workflow",)

    def view_on_site(self, obj: RetentionPolicy) -> str:
        return reverse("taskboard:retention_policies")


@admin.register(HoldRule)
class HoldRuleAdmin(ReadOnlyAdmin):
    list_display = ("search", "reason", "owner_name", "created_at", "until", "ended_at")
    list_filter = ("ended_at",)

    def view_on_site(self, obj: HoldRule) -> str:
        return reverse("taskboard:retention_holds")


@admin.register(PurgePlan)
class PurgePlanAdmin(ReadOnlyAdmin):
    list_display = ("id", "by_name", "created_at", "size", "agreed_by_name", "begun_at", "finished_at")
    list_filter = ("finished_at",)
    raw_id_fields = ("by",)

    def view_on_site(self, obj: PurgePlan) -> str:
        return reverse("taskboard:purge_plan", args=[obj.pk])


@admin.register(PurgePlanTask)
class PurgePlanTaskAdmin(ReadOnlyAdmin):
    list_display = ("public_id", "plan", "outcome", "told")
    list_filter = ("outcome",)
    list_select_related = ("plan",)
    raw_id_fields = ("plan",)
    search_fields = ("plan__id",)
    search_help_text = _("The number of a purge.")

    def view_on_site(self, obj: PurgePlanTask) -> str:
        return reverse("taskboard:purge_plan", args=[obj.plan_id])
