"""Lists that only show: no adding, changing or deleting, and no counting of a million rows."""

from functools import cached_property
from typing import Any, cast

from django.contrib import admin
from django.contrib.admin.utils import get_fields_from_path
from django.core.paginator import Paginator
from django.db.models import IntegerField, QuerySet
from django.http import HttpRequest

from taskboard.admin.keyed import KeyedChangeList
from taskboard.cleaning import clean_text
from taskboard.models import Task
from taskboard.numbers import whole

MOST_COUNTED = 10_000
LONGEST_SEARCH = 400
BY_TASK = "task__public_id"
Rows = QuerySet[Any]


class QuickPaginator(Paginator):  # type: ignore[type-arg]
    """Counts up to a limit; what lies behind it is reached by searching and filtering."""

    @cached_property
    def count(self) -> int:
        rows = cast(Rows, self.object_list)
        return rows[:MOST_COUNTED].count()


class QuickAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """For lists of which there are few rows, as people and policies."""

    paginator = QuickPaginator
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    list_per_page = 50


class ReadOnlyAdmin(QuickAdmin):
    """Shows rows to staff with the right to view them, or with `right` where that is another one.

    `search_fields` are columns with an index of their own: each is tried alone and exactly, the first that finds
    something counts. With `search_within`, the id of a task may be followed by the exact value of that column."""

    right = ""
    search_within = ""
    sortable_by = ()
    actions = None

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[KeyedChangeList]:
        return KeyedChangeList

    def get_search_results(self, request: HttpRequest, rows: Rows, term: str) -> tuple[Rows, bool]:
        term = clean_text(term, LONGEST_SEARCH).strip()
        if not term:
            return rows, False
        paths = [path.removeprefix("=") for path in self.search_fields]
        tries = [{path: term} for path in paths if self._fits(path, term)]
        task, _space, rest = term.partition(" ")
        if rest and self.search_within:
            tries.append({BY_TASK: task, self.search_within: rest.strip()})
        found = (self._found(rows, lookup) for lookup in tries)
        return next((some for some in found if some.exists()), rows.none()), False

    def _found(self, rows: Rows, lookup: dict[str, str]) -> Rows:
        """A task is looked up first, so that its rows are found by their index."""
        keys: dict[str, Any] = dict(lookup)
        for path in lookup:
            owner, _underscores, field = path.rpartition("__")
            if owner and field == "public_id":
                task = Task.objects.filter(public_id=keys.pop(path)).values_list("pk", flat=True).first()
                if task is None:
                    return rows.none()
                keys[owner] = task
        return rows.filter(**keys)

    def _fits(self, path: str, term: str) -> bool:
        if not isinstance(get_fields_from_path(self.model, path)[-1], IntegerField):
            return True
        return whole(term) is not None

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
