"""Lists that only show: no adding, changing or deleting, and no counting of a million rows."""

from functools import cached_property
from typing import Any, cast

from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest

MOST_COUNTED = 10_000


class QuickPaginator(Paginator):  # type: ignore[type-arg]
    """Counts up to a limit; what lies behind it is reached by searching and filtering."""

    @cached_property
    def count(self) -> int:
        rows = cast(QuerySet[Any], self.object_list)
        return rows[:MOST_COUNTED].count()


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Shows rows to staff with the right to view them, or with `right` where that is another one."""

    right = ""
    paginator = QuickPaginator
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    list_per_page = 50
    actions = None

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        if self.right:
            return bool(request.user.is_staff and request.user.has_perm(self.right))
        return super().has_view_permission(request, obj)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)
