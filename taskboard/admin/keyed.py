"""Lists of the admin over millions of rows: newest first, paged by the key of the last row seen, never counted."""

from typing import Any

from django.contrib.admin.views.main import PAGE_VAR, ChangeList
from django.core.paginator import Paginator
from django.db.models import F, QuerySet
from django.http import HttpRequest

AT_ONCE = 200_000
"""At most this many rows are looked through for one page of a filter; where few match, a person asks for more."""
LARGEST = 2**63 - 1


class KeyedChangeList(ChangeList):
    """The page's number in the address is the key of the last row of the page before."""

    keyed = True
    older = newest = ""
    looked_through = 0

    def get_ordering(self, request: HttpRequest, queryset: QuerySet[Any]) -> list[Any]:
        """By the key alone. What a search narrows down is few: it is found by the column's own index, which a
        plain order by the key would tempt the database away from."""
        return [(F("pk") + 0).desc()] if self.query else ["-pk"]

    def get_results(self, request: HttpRequest) -> None:
        floor = self._floor()
        rows = self._after_the_key(self.queryset if self.query else self.queryset.filter(pk__gte=floor))
        found = list(rows.select_related(None).values_list("pk", flat=True)[: self.list_per_page + 1])
        self.result_list = self._rows(found[: self.list_per_page])
        self.result_count = self.full_result_count = len(self.result_list)
        self.show_full_result_count = self.can_show_all = self.multi_page = False
        self.show_admin_actions = True
        self.paginator = Paginator(self.result_list, self.list_per_page)
        if len(found) > self.list_per_page:
            self.older = self.get_query_string({PAGE_VAR: str(found[self.list_per_page - 1])})
        elif floor > 1:
            self.older, self.looked_through = self.get_query_string({PAGE_VAR: str(floor)}), AT_ONCE
        self.newest = self.get_query_string() if self.page_num > 1 else ""

    def _rows(self, keys: list[int]) -> list[Any]:
        """Joined with what is shown beside them, these few rows may cost a whole table: so each comes alone."""
        beside: tuple[str, ...] = tuple(self.list_select_related or ())  # type: ignore[arg-type]
        found = self.root_queryset.order_by().prefetch_related(*beside).in_bulk(keys)
        return [found[key] for key in keys if key in found]

    def _after_the_key(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        return rows.filter(pk__lt=min(self.page_num, LARGEST)) if self.page_num > 1 else rows

    def _floor(self) -> int:
        """Where a filter stops to look; 0: nowhere. (With any floor at all SQLite goes by the key; without one it
        sorts the whole of an index that happens to hold it.)"""
        if self.query or not self.get_filters_params():
            return 0
        newest = self.root_queryset.order_by("-pk").values_list("pk", flat=True).first() or 0
        return max(0, min(self.page_num - 1 if self.page_num > 1 else newest, newest) - AT_ONCE + 1)
