"""What the admin's lists about questions share."""

from typing import Any, ClassVar

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from taskboard.admin.readonly import ReadOnlyAdmin


class OfApproval(ReadOnlyAdmin):
    """Rows of a question; "view on site" leads to its page."""

    list_select_related: ClassVar[tuple[str, ...]] = ("approval",)
    search_fields: ClassVar[tuple[str, ...]] = ("approval__id",)
    search_help_text = _("The number of a question.")

    def view_on_site(self, obj: Any) -> str:
        return reverse("approvals:approval", args=[obj.approval_id])
