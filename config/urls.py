"""All addresses: the two apps, login, language, health, admin."""

from django.conf import settings
from django.contrib import admin
from django.contrib.auth import views as auth
from django.urls import include, path

from config.views import healthz
from taskboard.views.health import readyz
from taskboard.views.styleguide import styleguide

accounts = [
    path("login/", auth.LoginView.as_view(redirect_authenticated_user=True), name="login"),
    path("logout/", auth.LogoutView.as_view(), name="logout"),
    path("password/", auth.PasswordChangeView.as_view(), name="password_change"),
    path("password/done/", auth.PasswordChangeDoneView.as_view(), name="password_change_done"),
]

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("accounts/", include(accounts)),
    path("i18n/", include("django.conf.urls.i18n")),
    path("admin/", admin.site.urls),
    path("approvals/", include("approvals.urls")),
    path("", include("taskboard.urls")),
]
if settings.DEBUG:
    urlpatterns.insert(0, path("styleguide/", styleguide, name="styleguide"))
