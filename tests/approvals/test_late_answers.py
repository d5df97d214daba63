"""Answers that come too late, and those that are taken back."""

from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from approvals import resumer
from approvals.models import Approval, Vote
from tests.conftest import logged_in, make_person
from tests.factories import make_approval


@pytest.fixture(autouse=True)
def undo_window(settings: Any) -> None:
    settings.APPROVALS_UNDO_SECONDS = 60


def post(user: User, asked: Approval, verb: str = "decide", htmx: bool = True, **said: str) -> Any:
    form = {"outcome": "approve", "reason": "", "digest": asked.payload_sha256, **said}
    headers = {"HX-Request": "true"} if htmx else {}
    return logged_in(user).post(reverse(f"approvals:{verb}", args=[asked.pk]), form, headers=headers)


def text(response: Any) -> str:
    return unescape(response.content.decode())


@pytest.mark.parametrize("htmx", [True, False])
def test_an_answer_from_an_old_page_is_refused_with_what_is_different(manager: User, htmx: bool) -> None:
    first = make_approval(payload={"pay": 100}, action="Pay 100")
    second = make_approval(first.step, payload={"pay": 900}, action="Pay 900")
    refused = post(manager, first, htmx=htmx)
    assert refused.status_code == 409
    shown = text(refused)
    assert "read the new question" in shown
    assert f'href="{second.get_absolute_url()}"' in shown
    assert "<b><bdi>900</bdi></b>" in shown
    assert not Vote.objects.exists()
    inbox = text(logged_in(manager).get(reverse("approvals:inbox")))
    assert f'id="row-{second.pk}"' in inbox
    assert f'id="row-{first.pk}"' not in inbox


def test_the_late_answer_says_who_was_first_at_the_form(manager: User) -> None:
    asked = make_approval()
    post(manager, asked, known=str(asked.pk), show="mine")
    late = post(make_person("late", "Managers"), asked)
    assert (late.status_code, late["HX-Retarget"]) == (409, "#toasts")
    assert "manager approved this on" in text(late)


def test_the_answer_replaces_only_the_card_that_it_answers(manager: User) -> None:
    first, second = make_approval(), make_approval()
    shown = text(post(manager, first, known=f"{first.pk},{second.pk}", show="mine"))
    assert f'hx-target="#card-{first.pk}" hx-swap="outerHTML"' in shown
    assert f'id="card-{second.pk}"' in shown


def test_an_answer_can_be_taken_back_from_its_toast(manager: User) -> None:
    asked = make_approval()
    state = {"known": str(asked.pk), "show": "mine"}
    toast = text(post(manager, asked, **state))
    assert reverse("approvals:take_back", args=[asked.pk]) in toast
    assert 'data-seconds="60"' in toast
    taken = post(manager, asked, "take_back", **state)
    assert taken.status_code == 200
    asked.refresh_from_db()
    assert (asked.status, asked.verdict) == ("open", "")


def test_taken_back_it_is_chosen_again_whatever_card_was_shown_meanwhile(manager: User) -> None:
    first, second = make_approval(action="Do this"), make_approval(action="Do that")
    state = {"known": f"{first.pk},{second.pk}", "show": "mine"}
    post(manager, first, **state)
    taken = text(post(manager, first, "take_back", **state))
    card = taken.partition('<hx-partial hx-target="#question" hx-swap="innerHTML">')[2]
    assert f'id="card-{first.pk}"' in card
    assert f'data-question="{first.pk}"' in card
    post(manager, first, **state)
    back = post(manager, first, "take_back", htmx=False, **state)
    assert back.url == f"{reverse('approvals:inbox')}?show=mine&question={first.pk}#question-title"


def test_without_javascript_the_next_page_of_the_inbox_takes_it_back(manager: User) -> None:
    first, second = make_approval(action="Do this"), make_approval(action="Do that")
    then = post(manager, first, htmx=False, known=f"{first.pk},{second.pk}", show="mine").url
    address = reverse("approvals:take_back", args=[first.pk])
    page = text(logged_in(manager).get(then))
    assert f'data-question="{second.pk}"' in page
    assert address in page
    assert "<strong><bdi>Do this</bdi></strong> You answered this; it can still be taken back" in page
    assert address not in text(logged_in(make_person("other", "Managers")).get(then))
    Approval.objects.update(hand_over_at=first.requested_at)
    assert address not in text(logged_in(manager).get(then))


@pytest.mark.parametrize("answered", ["0", "999999", "many", "-1"])
def test_an_address_that_names_no_answer_is_just_the_inbox(manager: User, answered: str) -> None:
    assert logged_in(manager).get(reverse("approvals:inbox"), {"answered": answered}).status_code == 200


def test_a_late_answer_says_how_the_question_stands_now(manager: User) -> None:
    asked = make_approval()
    post(manager, asked, "decide", outcome="reject", reason="Too dear")
    late = text(post(make_person("late", "Managers"), asked))
    assert "<template data-status>" in late
    assert "Rejected" in late.partition("<template data-status>")[2].partition("</template>")[0]


def test_without_javascript_a_late_answer_keeps_its_words(manager: User) -> None:
    asked = make_approval()
    post(manager, asked)
    late = text(
        post(make_person("late", "Managers"), asked, htmx=False, outcome="reject", reason="Wrong page")
    )
    assert "You had written:" in late
    assert "Wrong page" in late


def test_the_record_tells_an_answer_and_that_it_was_taken_back(manager: User) -> None:
    asked = make_approval()
    post(manager, asked, outcome="reject", reason="Too dear")
    post(manager, asked, "take_back")
    page = text(logged_in(manager).get(asked.get_absolute_url()))
    history = page.partition('id="history"')[2]
    assert history.index('Rejected</strong> <span class="muted">(taken back)') < history.index(
        "Taken back</strong>"
    )
    assert history.count("Too dear") == 1


def test_without_javascript_the_record_carries_the_button(manager: User) -> None:
    asked = make_approval()
    post(manager, asked, htmx=False)
    page = text(logged_in(manager).get(asked.get_absolute_url()))
    assert reverse("approvals:take_back", args=[asked.pk]) in page
    others = text(logged_in(make_person("other", "Managers")).get(asked.get_absolute_url()))
    assert reverse("approvals:take_back", args=[asked.pk]) not in others
    post(manager, asked, "take_back", htmx=False)
    asked.refresh_from_db()
    assert asked.status == "open"


def test_what_was_handed_over_cannot_be_taken_back(manager: User) -> None:
    asked = make_approval()
    post(manager, asked)
    Approval.objects.update(hand_over_at=asked.requested_at)
    assert resumer.pick_up(asked.pk)
    assert post(manager, asked, "take_back").status_code == 409


def test_comment_pass_on_and_withdraw_have_their_forms(manager: User, operator: User) -> None:
    asked = make_approval()
    make_person("colleague", "Managers")
    shown = text(logged_in(manager).get(reverse("approvals:question", args=[asked.pk])))
    for verb in ("comment", "pass_on"):
        assert reverse(f"approvals:{verb}", args=[asked.pk]) in shown
    assert post(manager, asked, "comment", htmx=False, text="Who is Ann?").status_code == 302
    assert "Who is Ann?" in text(logged_in(manager).get(asked.get_absolute_url()))
    post(
        manager,
        asked,
        "pass_on",
        htmx=False,
        to=f"person:{User.objects.get(username='colleague').pk}",
        reason="yours",
    )
    asked.refresh_from_db()
    assert asked.assignee_name == "colleague"
    assert reverse("approvals:withdraw", args=[asked.pk]) in text(
        logged_in(operator).get(asked.get_absolute_url())
    )


def test_after_passing_on_in_the_inbox_the_next_question_comes(manager: User) -> None:
    first, asked, last = make_approval(), make_approval(), make_approval()
    to, known = f"person:{make_person('colleague', 'Managers').pk}", f"{first.pk},{asked.pk},{last.pk}"
    said = {"to": to, "reason": "yours", "show": "mine", "known": known}
    answered = post(manager, asked, "pass_on", htmx=False, **said)
    assert answered.url.endswith(f"question={last.pk}")
