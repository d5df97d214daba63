"""Addresses of approvals: pages, parts, actions."""

from django.urls import path

from approvals import (
    absence_views,
    as_json,
    bulk_views,
    export_views,
    notice_views,
    oversight_views,
    page_data,
    sample_views,
    verbs,
    views,
)
from approvals import actions as do
from taskboard.views.as_json import either, page

app_name = "approvals"

pages = [
    path("", either(views.inbox, as_json.questions), name="inbox"),
    *page("<int:pk>/", views.approval, as_json.question, name="approval"),
    *page("export/", export_views.period, page_data.export, name="export"),
    *page("bulk/<int:pk>/", bulk_views.page, page_data.bulk, name="bulk"),
    *page("sample/", sample_views.offer, page_data.sample, name="sample"),
    *page("oversight/", oversight_views.page, page_data.oversight_figures, name="oversight"),
    *page("absence/", absence_views.page, page_data.absences, name="absence"),
]
parts = [
    path("questions", views.questions, name="questions"),
    path("<int:pk>/question", views.question, name="question"),
    path("<int:pk>/record", views.record, name="record"),
    path("export/decisions", export_views.file, name="decisions_file"),
    path("bulk/<int:pk>/progress", bulk_views.progress, name="bulk_progress"),
]
actions = [
    path("<int:pk>/decide", do.decide, name="decide"),
    path("<int:pk>/take-back", verbs.take_back, name="take_back"),
    path("<int:pk>/comment", verbs.comment, name="comment"),
    path("<int:pk>/pass-on", verbs.pass_on, name="pass_on"),
    path("<int:pk>/withdraw", verbs.withdraw, name="withdraw"),
    path("<int:pk>/kick", verbs.kick, name="kick"),
    path("<int:pk>/close", verbs.close, name="close"),
    path("bulk/choose", bulk_views.choose, name="bulk_choose"),
    path("bulk/<int:pk>/begin", bulk_views.begin, name="bulk_begin"),
    path("bulk/<int:pk>/cancel", bulk_views.cancel, name="bulk_cancel"),
    path("sample/start", sample_views.start, name="sample_start"),
    path("sample/<int:pk>/begin", sample_views.begin, name="sample_begin"),
    path("absence/set", absence_views.go_away, name="go_away"),
    path("absence/<int:pk>/end", absence_views.end, name="end_absence"),
    path("mails", notice_views.choose_mails, name="choose_mails"),
]
urlpatterns = [*pages, *parts, *actions]
