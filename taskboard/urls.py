"""Addresses of taskboard: pages, parts, actions, and the stream."""

from django.urls import path, register_converter

from taskboard.views import (
    actions,
    attention,
    brief,
    desk,
    new_task,
    pages,
    parts,
    profile,
    retention,
    stream,
)


class ItemKey:
    """An item's key as it stands in an address: anything, slashes and line breaks too."""

    regex = "(?s:.+)"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(ItemKey, "item_key")

app_name = "taskboard"
TASK = "tasks/<slug:public_id>/"
ITEM = f"{TASK}items/<item_key:key>/"

list_of_pages = [
    path("", pages.tasks, name="tasks"),
    path("tasks/new/", new_task.choose, name="choose_workflow"),
    path("tasks/new/<slug:workflow>/", new_task.new_task, name="new_task"),
    path(TASK, pages.task, name="task"),
    path(f"{TASK}journal/", pages.journal_page, name="journal"),
    path(f"{TASK}journal.jsonl", pages.journal_file, name="journal_file"),
    path(f"{TASK}brief/", brief.page, name="brief"),
    path(f"{TASK}brief.md", brief.file, name="brief_file"),
    path("attention/", attention.page, name="attention"),
    path(f"{TASK}state.json", pages.state_file, name="state_file"),
    path(f"{TASK}artifacts/<int:number>/", pages.artifact, name="artifact"),
    path("profile/", profile.profile, name="profile"),
    path("retention/", retention.index, name="retention"),
    path("retention/purge/", retention.plan, name="purge_plan"),
    path("retention/archives/<int:pk>/", retention.archive_file, name="archive"),
]
list_of_parts = [
    path(f"{TASK}parts/actions/", parts.actions, name="actions"),
    path(f"{TASK}parts/<slug:name>/", parts.part, name="part"),
]
list_of_actions = [
    path(f"{TASK}pause/", actions.pause, name="pause"),
    path(f"{TASK}resume/", actions.resume, name="resume"),
    path(f"{TASK}cancel/", actions.cancel, name="cancel"),
    path(f"{TASK}hold/", retention.hold_task, name="hold"),
    path(f"{TASK}release/", retention.release_task, name="release"),
    path("retention/purge/begin/", retention.purge_tasks, name="purge"),
    path("retention/purge/go-on/", retention.carry_on, name="carry_on"),
    path(f"{TASK}budget/", actions.change_budget, name="change_budget"),
    path(f"{TASK}steps/<slug:step>/retry/<item_key:key>/", actions.retry_step, name="retry_step"),
    path(f"{TASK}steps/<slug:step>/skip/<item_key:key>/", actions.skip_step, name="skip_step"),
    path(f"{TASK}steps/<slug:step>/happened/<item_key:key>/", desk.happened, name="happened"),
    path(
        f"{TASK}steps/<slug:step>/did-not-happen/<item_key:key>/", desk.did_not_happen, name="did_not_happen"
    ),
    path(f"{TASK}steps/<slug:step>/give-up/<item_key:key>/", desk.give_up, name="give_up"),
    path(f"{TASK}brief/add/", brief.add, name="add_to_brief"),
]
urlpatterns = [
    *list_of_pages,
    *list_of_parts,
    *list_of_actions,
    path("stream/", stream.stream, name="stream"),
    path(ITEM, pages.item, name="item"),
]
