"""All addresses: the two apps, login, language, health, admin."""

from django.conf import settings
from django.contrib import admin
from django.contrib.auth import views as auth
from django.urls import include, path
from django.views.generic import RedirectView

from approvals.views.pages import inbox
from approvals.views.question_data import questions
from config.views import healthz
from taskboard.login import sign_on
from taskboard.login import views as doors
from taskboard.views.as_json import either
from taskboard.views.health import readyz
from taskboard.views.metrics import figures
from taskboard.views.password import OwnPassword
from taskboard.views.styleguide import styleguide

accounts = [
    path("login/", doors.log_in, name="login"),
    path("code/", doors.code, name="code"),
    path("second-factor/", doors.own, name="second_factor"),
    path("second-factor/begin/", doors.begin, name="second_factor_begin"),
    path("second-factor/confirm/", doors.confirm, name="second_factor_confirm"),
    path("second-factor/renew/", doors.renew, name="second_factor_renew"),
    path("second-factor/off/", doors.switch_off, name="second_factor_off"),
    path("sign-on/", sign_on.request, name="sign_on"),
    path("sign-on/back/", sign_on.callback, name="sign_on_callback"),
    path("logout/", auth.LogoutView.as_view(), name="logout"),
    path("password/", OwnPassword.as_view(), name="password_change"),
    path("password/done/", auth.PasswordChangeDoneView.as_view(), name="password_change_done"),
]

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("metrics", figures, name="metrics"),
    path("accounts/", include(accounts)),
    path("i18n/", include("django.conf.urls.i18n")),
    path("admin/login/", doors.to_the_door),
    path("admin/password_change/", RedirectView.as_view(pattern_name="password_change")),
    path("admin/", admin.site.urls),
    path("approvals.json", either(inbox, questions), name="approvals_json"),
    path("approvals/", include("approvals.urls")),
    path("", include("taskboard.urls")),
]
if settings.DEBUG:
    urlpatterns.insert(0, path("styleguide/", styleguide, name="styleguide"))
