"""Addresses of taskboard: pages, parts, actions, and the stream."""

from django.urls import path, register_converter

from taskboard.views import (
    actions,
    activity,
    admin_data,
    attention,
    audit_log,
    brief,
    bulk,
    comments,
    compare,
    data,
    desk,
    find_item,
    form_data,
    item,
    item_parts,
    journal,
    new_task,
    pages,
    parts,
    preview,
    profile,
    retention,
    retention_data,
    retention_holds,
    retention_plans,
    retention_policies,
    sheets,
    standby,
    state,
    steering,
    stream,
    systems,
    task,
    task_data,
    tasks,
    tokens,
    workflows,
)
from taskboard.views.as_json import or_file, page, scripts


class ItemKey:
    """An item's key as it stands in an address: anything, slashes and line breaks too."""

    regex = "(?s:.+)"

    def to_python(self, value: str) -> str:
        if "\0" in value:  # no key holds one, and PostgreSQL would not even look for it
            raise ValueError(value)
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(ItemKey, "item_key")

app_name = "taskboard"
TASK = "tasks/<slug:public_id>/"
ITEM = f"{TASK}items/<item_key:key>/"

list_of_pages = [
    *page("", tasks.page, data.tasks, name="tasks"),
    path("tasks.csv", sheets.tasks, name="tasks_csv"),
    *page("items/", find_item.page, data.found_items, name="find_item"),
    *page("activity/", activity.page, data.activity, name="activity"),
    *page("tasks/new/", new_task.choose, form_data.workflows, name="choose_workflow"),
    *page("tasks/new/<slug:workflow>/", new_task.new_task, form_data.new_task, name="new_task", sent=True),
    *page(TASK, task.page, data.task, name="task"),
    path(f"{TASK}items.csv", sheets.items, name="items_csv"),
    *scripts(f"{TASK}items.json", data.items, name="items_json"),
    *page(f"{TASK}journal/", journal.page, data.journal_rows, name="journal"),
    path(f"{TASK}journal.jsonl", pages.journal_file, name="journal_file"),
    *page(f"{TASK}compare/", compare.page, task_data.compare, name="compare"),
    path(f"{TASK}compare.csv", compare.sheet, name="compare_csv"),
    *page(f"{TASK}bulk/", bulk.plan, task_data.bulk_plan, name="bulk_plan"),
    *page(f"{TASK}bulk/<int:pk>/", bulk.page, task_data.bulk_job, name="bulk_job"),
    *page(f"{TASK}brief/", brief.page, task_data.brief, name="brief"),
    path(f"{TASK}brief.md", brief.file, name="brief_file"),
    *page("attention/", attention.page, data.attention, name="attention"),
    path(f"{TASK}state/", or_file(state.page, pages.state_file), name="state"),
    path(f"{TASK}state.json", pages.state_file, name="state_file"),
    path(f"{TASK}artifacts/<int:number>/", pages.artifact, name="artifact"),
    *page(f"{TASK}artifacts/<int:number>/preview/", preview.page, task_data.artifact, name="preview"),
    path(f"{TASK}artifacts/<int:number>/image/", preview.image, name="artifact_image"),
    *page("profile/", profile.profile, form_data.profile, name="profile", sent=True),
    *page("profile/tokens/", tokens.page, form_data.of_tokens, name="tokens", sent=True),
    *page("workflows/", workflows.index, workflows.overview, name="workflows"),
    *page("workflows/<slug:workflow>/", workflows.page, workflows.data, name="workflow"),
    *page("audit/", audit_log.page, audit_log.data, name="audit"),
    path("audit.csv", audit_log.sheet, name="audit_csv"),
    path("audit.jsonl", audit_log.file, name="audit_file"),
    *page("systems/", systems.page, systems.data, name="systems"),
    *page("standby/", standby.page, admin_data.stand_by, name="standby"),
    *page("retention/", retention.expired, retention_data.expired, name="retention"),
    *page("retention/kept/", retention.kept, retention_data.kept, name="retention_kept"),
    *page("retention/coming/", retention.coming, retention_data.coming, name="retention_coming"),
    *page("retention/holds/", retention_holds.page, retention_data.holds, name="retention_holds"),
    *page("retention/policies/", retention_policies.page, retention_data.policies, name="retention_policies"),
    *page("retention/purges/", retention_plans.index, retention_data.plans, name="retention_purges"),
    *page("retention/purges/<int:pk>/", retention_plans.page, retention_data.plan, name="purge_plan"),
    path("retention/purges/<int:pk>.csv", retention_plans.sheet, name="purge_plan_csv"),
    *page("retention/records/", retention.records, retention_data.records, name="retention_records"),
    path("retention/archives/<int:pk>/", retention.archive_file, name="archive"),
    *page(f"{TASK}keeping/", retention_holds.keeping, admin_data.keeping, name="keeping"),
]
list_of_parts = [
    path("retention/purges/<int:pk>/progress/", retention_plans.progress, name="purge_progress"),
    path(f"{TASK}parts/actions/", parts.actions, name="actions"),
    path(f"{TASK}parts/steering-forms/", steering.forms, name="steering_forms"),
    path(f"{TASK}parts/item-actions/<item_key:key>/", item_parts.actions, name="item_actions"),
    path(f"{TASK}parts/<slug:name>/", parts.part, name="part"),
]
list_of_actions = [
    path(f"{TASK}pause/", actions.pause, name="pause"),
    path(f"{TASK}resume/", actions.resume, name="resume"),
    path(f"{TASK}cancel/", actions.cancel, name="cancel"),
    path(f"{TASK}hold/", retention_holds.hold_task, name="hold"),
    path(f"{TASK}release/", retention_holds.release_task, name="release"),
    path("retention/holds/add/", retention_holds.add, name="add_hold"),
    path("retention/holds/<int:pk>/end/", retention_holds.end, name="end_hold"),
    path("retention/policies/<slug:name>/", retention_policies.change, name="change_keeping_time"),
    path("retention/purges/make/", retention_plans.make, name="plan_purge"),
    path("retention/purges/go-on/", retention_plans.carry_on, name="carry_on"),
    path("retention/purges/<int:pk>/begin/", retention_plans.begin, name="purge_begin"),
    path("retention/purges/<int:pk>/agree/", retention_plans.agree, name="purge_agree"),
    path("retention/purges/<int:pk>/refuse/", retention_plans.refuse, name="purge_refuse"),
    path("retention/purges/<int:pk>/cancel/", retention_plans.cancel, name="purge_cancel"),
    path(f"{TASK}budget/", actions.change_budget, name="change_budget"),
    path(f"{TASK}queue/up/", tasks.move_up, name="queue_up"),
    path(f"{TASK}queue/down/", tasks.move_down, name="queue_down"),
    path(f"{TASK}queue/take-out/", tasks.take_out, name="queue_take_out"),
    path(f"{TASK}steps/<slug:step>/retry/<item_key:key>/", actions.retry_step, name="retry_step"),
    path(f"{TASK}steps/<slug:step>/skip/<item_key:key>/", actions.skip_step, name="skip_step"),
    path(f"{TASK}steps/<slug:step>/happened/<item_key:key>/", desk.happened, name="happened"),
    path(
        f"{TASK}steps/<slug:step>/did-not-happen/<item_key:key>/", desk.did_not_happen, name="did_not_happen"
    ),
    path(f"{TASK}steps/<slug:step>/give-up/<item_key:key>/", desk.give_up, name="give_up"),
    path(f"{TASK}brief/add/", brief.add, name="add_to_brief"),
    path(f"{TASK}instructions/add/", steering.instruct, name="instruct"),
    path(f"{TASK}instructions/change/", steering.change_queue, name="change_queue"),
    path(f"{TASK}stop-after/", steering.stop_after, name="stop_after"),
    path(f"{TASK}items-to-add/", steering.add_to_items, name="add_items"),
    path(f"{TASK}risks/raise/", steering.raise_risk, name="raise_risk"),
    path(f"{TASK}risks/close/", steering.close_risk, name="close_risk"),
    path(f"{TASK}bulk/begin/", bulk.begin, name="bulk_begin"),
    path(f"{TASK}bulk/<int:pk>/cancel/", bulk.cancel, name="bulk_cancel"),
    path("profile/tokens/<int:pk>/revoke/", tokens.revoke, name="revoke_token"),
    path("systems/<slug:system>/freeze/", systems.freeze_system, name="freeze"),
    path("systems/<slug:system>/thaw/", systems.thaw_system, name="thaw"),
    path("standby/lift/", standby.lift, name="lift_standby"),
    path("standby/begin/", standby.begin, name="begin_standby"),
    path("attention/take/", attention.take, name="take"),
    path("attention/give-back/", attention.give_back, name="give_back"),
    path(f"{TASK}comments/add/", comments.add, name="comment"),
    path(f"{TASK}comments/take-back/", comments.take_back, name="take_back_comment"),
    path(f"{TASK}comments/add/<item_key:key>/", comments.add, name="comment_on_item"),
]
urlpatterns = [
    *list_of_pages,
    *list_of_parts,
    *list_of_actions,
    path("stream/", stream.stream, name="stream"),
    *page(ITEM, item.page, data.item, name="item"),
]
