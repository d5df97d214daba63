"""How a person likes to see words and times."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from taskboard.forms import ProfileForm
from taskboard.guards import person
from taskboard.models import Profile


@require_http_methods(["GET", "POST"])
@login_required
def profile(request: HttpRequest) -> HttpResponse:
    """People without a group may choose their language too."""
    known = Profile.objects.filter(user=person(request)).first() or Profile(user=person(request))
    form = ProfileForm(request.POST or None, instance=known)
    if not form.is_valid():
        context = {"form": form, "second_factor": settings.TASKBOARD_TOTP}
        return render(request, "taskboard/profile.html", context, status=422 if form.is_bound else 200)
    Profile.objects.update_or_create(user=person(request), defaults=form.cleaned_data)
    messages.success(request, _("Saved."))
    return redirect("taskboard:profile")
