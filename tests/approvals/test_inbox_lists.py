"""The lists of the inbox: what belongs together, what a search leaves, and numbers that agree everywhere."""

from datetime import timedelta
from html import unescape
from typing import Any

from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone

from approvals import decisions
from approvals.models import Approval
from taskboard.models import TaskStatus
from tests.conftest import logged_in
from tests.factories import make_approval, make_asking_step, make_task

INBOX = reverse("approvals:inbox")


def page(user: User, **asked: str) -> str:
    return unescape(logged_in(user).get(INBOX, asked).content.decode())


def places(shown: str, *questions: Approval) -> list[int]:
    return [shown.index(f'id="row-{question.pk}"') for question in questions]


def answered(manager: User, action: str, outcome: str = "approve", **over: Any) -> Approval:
    asked = make_approval(action=action, **over)
    return decisions.decide(asked.pk, manager, outcome, "because", asked.payload_sha256)


def test_questions_of_one_task_and_step_stand_together_the_most_urgent_group_first(manager: User) -> None:
    task = make_task(workflow="asking", goal="Pay them all", status=TaskStatus.WAITING)
    first, other, last = (
        make_approval(make_asking_step(task)),
        make_approval(),
        make_approval(make_asking_step(task)),
    )
    soon = timezone.now() + timedelta(hours=1)
    Approval.objects.filter(pk=last.pk).update(expires_at=soon)
    shown = page(manager)
    assert places(shown, last, first, other) == sorted(places(shown, last, first, other))
    assert shown.count('class="queue-group"') == 2
    assert "Pay them all" in shown


def test_two_tasks_with_the_same_goal_are_told_apart_by_their_number(manager: User) -> None:
    tasks = [make_task(workflow="asking", goal="Pay", status=TaskStatus.WAITING) for _turn in range(2)]
    asked = [make_approval(make_asking_step(task)) for task in tasks]
    shown = page(manager)
    headings = shown.split('class="queue-group"')[1:]
    for number, (task, one) in enumerate(zip(tasks, asked, strict=True)):
        assert f'class="queue-task">{task.public_id}<' in headings[number].split("</h2>")[0]
        assert f'id="row-{one.pk}"' in headings[number]
    bar = shown[shown.index("card-bar") : shown.index('id="question-title"')]
    assert tasks[0].public_id in bar
    decisions.decide(asked[0].pk, manager, "approve", "", asked[0].payload_sha256)
    history = page(manager, show="decided")
    assert tasks[0].public_id in history[history.index(f'id="row-{asked[0].pk}"') :].split("</a>")[0]


def test_a_search_finds_words_in_action_task_and_number(manager: User) -> None:
    wanted, other = make_approval(action="Pay Northwind in March"), make_approval(action="Publish the letter")
    for said in ("northwind march", wanted.task.public_id, f"#{wanted.pk}"):
        shown = page(manager, q=said)
        assert f'id="row-{wanted.pk}"' in shown
        assert f'id="row-{other.pk}"' not in shown
    assert "No question matches" in page(manager, q="nowhere")


def test_an_empty_list_says_what_would_stand_there(manager: User) -> None:
    for show, sentence in {
        "mine": "New questions appear here by themselves.",
        "requests": "Questions of tasks that you started appear here.",
        "decided": "Every decision stays here until its task is purged.",
    }.items():
        assert sentence in logged_in(manager).get(f"/approvals/?show={show}").content.decode()


def test_the_history_is_narrowed_by_outcome_person_workflow_and_period(manager: User) -> None:
    yes, no = answered(manager, "Say yes"), answered(manager, "Say no", "reject")
    long_ago = timezone.now() - timedelta(days=60)
    Approval.objects.filter(pk=yes.pk).update(closed_at=long_ago)
    for said, expected in (
        ({"outcome": "rejected"}, {no}), ({"who": "manager"}, {yes, no}), ({"who": "nobody"}, set()),
        ({"days": "30"}, {no}), ({"days": "90"}, {yes, no}), ({"workflow": "asking"}, {yes, no}),
        ({"workflow": "other"}, set()), ({"outcome": "?", "days": "x"}, {yes, no}),
    ):  # fmt: skip
        shown = page(manager, show="decided", **said)
        assert {one for one in (yes, no) if f'id="row-{one.pk}"' in shown} == expected, said


def test_the_search_stays_in_every_link_and_in_a_refresh(manager: User) -> None:
    asked = make_approval(action="Pay Northwind")
    make_approval(action="Publish")
    shown = page(manager, q="northwind")
    assert f"?show=mine&q=northwind&question={asked.pk}" in shown
    state = {"show": "mine", "q": "northwind", "known": str(asked.pk), "seen": "0"}
    refreshed = logged_in(manager).get(reverse("approvals:questions"), state)
    assert "1 new" not in refreshed.content.decode()


def test_a_refresh_still_says_how_many_more_there_are(manager: User) -> None:
    asked, other = make_approval(), make_approval()
    state = {"show": "mine", "known": str(asked.pk), "seen": str(other.pk)}
    assert "1 more" in logged_in(manager).get(reverse("approvals:questions"), state).content.decode()


def test_badge_title_tab_list_and_task_page_tell_the_same_number(manager: User) -> None:
    task = make_task(workflow="asking", status=TaskStatus.WAITING)
    asked = [make_approval(make_asking_step(task)) for _turn in range(5)]
    for left in (5, 3):
        shown, of_task = page(manager), logged_in(manager).get(task.get_absolute_url())
        assert f"<title>({left}) " in shown
        assert f'id="approvals-badge">{left}<' in shown
        assert f'To decide <span class="count">{left}</span>' in shown
        assert shown.count('class="queue-row"') == left
        assert f'<span class="count">{left}</span>' in of_task.content.decode()
        for one in asked[:2]:
            if left == 5:
                decisions.decide(one.pk, manager, "approve", "", one.payload_sha256)


def test_a_long_text_in_a_row_says_how_much_is_missing(manager: User) -> None:
    make_approval(action="x" * 1120)
    assert "+1,000 characters" in page(manager)


def test_my_requests_show_the_answered_ones_too(manager: User, operator: User) -> None:
    open_one = make_approval(created_by=operator)
    yes, no = (
        answered(manager, "Say yes", created_by=operator),
        answered(manager, "Say no", "reject", created_by=operator),
    )
    others = answered(manager, "Not mine")
    shown = page(operator, show="requests")
    assert f'id="row-{open_one.pk}"' in shown
    assert f'id="row-{yes.pk}"' not in shown
    answers = page(operator, show="requests", state="answered")
    assert {one.pk for one in (open_one, yes, no, others) if f'id="row-{one.pk}"' in answers} == {
        yes.pk,
        no.pk,
    }
    assert f"?show=requests&state=answered&question={yes.pk}" in answers
    narrowed = page(operator, show="requests", state="answered", outcome="rejected")
    assert f'id="row-{yes.pk}"' not in narrowed
    assert f'id="row-{no.pk}"' in narrowed
    state = {"show": "requests", "state": "answered", "known": f"{no.pk},{yes.pk}", "seen": "0"}
    refreshed = logged_in(operator).get(reverse("approvals:questions"), state).content.decode()
    assert "new question" not in refreshed
    assert f'id="row-{yes.pk}"' in refreshed
