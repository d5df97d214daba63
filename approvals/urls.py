"""Addresses of approvals: pages, parts, actions."""

from django.urls import path

from approvals import views

app_name = "approvals"

pages = [
    path("", views.inbox, name="inbox"),
    path("<int:pk>/", views.approval, name="approval"),
]
parts = [
    path("questions", views.questions, name="questions"),
    path("<int:pk>/question", views.question, name="question"),
    path("<int:pk>/record", views.record, name="record"),
]
actions = [
    path("<int:pk>/decide", views.decide, name="decide"),
]
urlpatterns = [*pages, *parts, *actions]
