"""The choice of mails on the profile page."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from approvals.telling import recipients
from taskboard.guards import person


@require_POST
@login_required
def choose_mails(request: HttpRequest) -> HttpResponse:
    """Ticked kinds are wanted, the others are not."""
    recipients.choose(person(request), request.POST.getlist("kind"))
    messages.success(request, _("Saved."))
    return redirect("taskboard:profile")
