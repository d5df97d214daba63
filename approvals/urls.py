"""Addresses of approvals: pages, parts, actions."""

from django.urls import path

from approvals.views import absence, bulk, data, export, mails, oversight, question_data, sample, verbs
from approvals.views import decide as do
from approvals.views import pages as views
from taskboard.views.as_json import either, page

app_name = "approvals"

pages = [
    path("", either(views.inbox, question_data.questions), name="inbox"),
    *page("<int:pk>/", views.approval, question_data.question, name="approval"),
    *page("export/", export.period, data.export, name="export"),
    *page("bulk/<int:pk>/", bulk.page, data.bulk, name="bulk"),
    *page("sample/", sample.offer, data.sample, name="sample"),
    *page("oversight/", oversight.page, data.oversight_figures, name="oversight"),
    *page("absence/", absence.page, data.absences, name="absence"),
]
parts = [
    path("questions", views.questions, name="questions"),
    path("<int:pk>/question", views.question, name="question"),
    path("<int:pk>/record", views.record, name="record"),
    path("export/decisions", export.file, name="decisions_file"),
    path("bulk/<int:pk>/progress", bulk.progress, name="bulk_progress"),
]
actions = [
    path("<int:pk>/decide", do.decide, name="decide"),
    path("<int:pk>/take-back", verbs.take_back, name="take_back"),
    path("<int:pk>/comment", verbs.comment, name="comment"),
    path("<int:pk>/pass-on", verbs.pass_on, name="pass_on"),
    path("<int:pk>/withdraw", verbs.withdraw, name="withdraw"),
    path("<int:pk>/kick", verbs.kick, name="kick"),
    path("<int:pk>/close", verbs.close, name="close"),
    path("bulk/choose", bulk.choose, name="bulk_choose"),
    path("bulk/<int:pk>/begin", bulk.begin, name="bulk_begin"),
    path("bulk/<int:pk>/cancel", bulk.cancel, name="bulk_cancel"),
    path("sample/start", sample.start, name="sample_start"),
    path("sample/<int:pk>/begin", sample.begin, name="sample_begin"),
    path("absence/set", absence.go_away, name="go_away"),
    path("absence/<int:pk>/end", absence.end, name="end_absence"),
    path("mails", mails.choose_mails, name="choose_mails"),
]
urlpatterns = [*pages, *parts, *actions]
