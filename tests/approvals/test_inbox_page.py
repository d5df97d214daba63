"""The inbox: what waits for whom, and the decision from its form."""

from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone

from approvals import decisions
from approvals.models import Approval, Vote
from tests.conftest import logged_in, make_person
from tests.factories import make_approval, make_asking_step

INBOX = reverse("approvals:inbox")


def post(user: User, asked: Approval, outcome: str = "approve", htmx: bool = False, **said: str) -> Any:
    form = {"outcome": outcome, "reason": "", "digest": asked.payload_sha256, **said}
    headers = {"HX-Request": "true"} if htmx else {}
    return logged_in(user).post(reverse("approvals:decide", args=[asked.pk]), form, headers=headers)


def text(response: Any) -> str:
    return unescape(response.content.decode())


def test_it_shows_the_oldest_deadline_first_and_its_card(manager: User) -> None:
    late, early = make_approval(action="Late one"), make_approval(action="Early one")
    Approval.objects.filter(pk=early.pk).update(expires_at=timezone.now() + timedelta(hours=1))
    page = text(logged_in(manager).get(INBOX))
    assert page.index(f'id="row-{early.pk}"') < page.index(f'id="row-{late.pk}"')
    assert f'data-question="{early.pk}"' in page


def test_the_badge_on_every_page_counts_what_this_person_may_decide(manager: User, operator: User) -> None:
    make_approval()
    make_approval(created_by=manager)
    for user, expected in ((manager, 1), (operator, 0)):
        page = logged_in(user).get(INBOX)
        assert page.context["open_questions"] == expected


def test_somebody_who_may_not_decide_reads_why(operator: User, manager: User) -> None:
    make_approval(created_by=manager)
    assert "You do not have the right to decide" in text(logged_in(operator).get(INBOX))
    page = text(logged_in(manager).get(INBOX, {"show": "open"}))
    assert "You started this task, so somebody else has to decide." in page
    assert '<form class="decide' not in page


def test_the_card_shows_the_whole_text_and_the_digest(manager: User) -> None:
    text_of_20_000 = "\n".join(f"line {number}" for number in range(3000)) + "\nrm -rf /"
    asked = make_approval(after=text_of_20_000, payload={"run": text_of_20_000})
    page = text(logged_in(manager).get(INBOX))
    assert page.count("rm -rf /") == 2
    assert asked.payload_sha256 in page


def test_characters_that_deceive_are_made_visible(manager: User) -> None:
    make_approval(action="rm \u202egnp.elif\u200b for مدير", payload={"run": "a\u2066b"})
    page = text(logged_in(manager).get(INBOX))
    assert "\u202e" not in page
    assert "\u200b" not in page
    for mark in ("U+202E", "U+200B", "U+2066"):
        assert mark in page
    assert "مدير" in page


def test_without_javascript_an_answer_leads_to_the_next_question(manager: User) -> None:
    first, second = make_approval(), make_approval()
    response = post(manager, first, known=f"{first.pk},{second.pk}", show="mine")
    assert response.url == f"{INBOX}?show=mine&question={second.pk}&answered={first.pk}"
    first.refresh_from_db()
    assert first.status == "approved"


def test_with_htmx_the_answer_brings_list_card_counts_and_toast(manager: User) -> None:
    first, second = make_approval(), make_approval()
    response = post(manager, first, htmx=True, known=f"{first.pk},{second.pk}", show="mine")
    page = text(response)
    for target in ("#questions", f"#card-{first.pk}", "#inbox-tabs", "#approvals-badge", "#toasts"):
        assert f'hx-target="{target}"' in page
    assert f'data-question="{second.pk}"' in page
    assert f'id="row-{first.pk}"' in page
    assert f'data-address="{INBOX}?show=mine&question={second.pk}"' in page


@pytest.mark.parametrize(
    ("status", "said", "sentence"),
    [
        (422, {"outcome": "reject"}, "Say why you reject this"),
        (409, {"digest": "0" * 64}, "read it again"),
        (422, {"outcome": "perhaps"}, "Answer with approve or reject"),
    ],
)
def test_a_refused_answer_is_said_at_the_form_which_keeps_the_text(
    manager: User, status: int, said: dict[str, str], sentence: str
) -> None:
    asked = make_approval()
    for htmx in (False, True):
        response = post(manager, asked, htmx=htmx, **said)
        assert response.status_code == status
        assert sentence in text(response)
    kept = post(manager, asked, **{**said, "digest": "0" * 64, "outcome": "approve", "reason": "my words"})
    assert "my words</textarea>" in text(kept)
    assert not Vote.objects.exists()


def test_the_second_of_two_reads_who_was_first(manager: User) -> None:
    asked = make_approval()
    decisions.decide(asked.pk, manager, "approve", "", asked.payload_sha256)
    response = post(make_person("late", "Managers"), asked, "reject", reason="no")
    assert response.status_code == 409
    assert "manager approved this on" in text(response)


def test_the_starter_is_refused_by_the_server_too(manager: User) -> None:
    asked = make_approval(created_by=manager)
    response = post(manager, asked, htmx=True)
    assert response.status_code == 403
    assert response["HX-Retarget"] == "#toasts"
    asked.refresh_from_db()
    assert asked.status == "open"


def test_an_operator_cannot_post_a_decision(operator: User) -> None:
    assert post(operator, make_approval()).status_code == 403


def test_reading_never_decides(manager: User) -> None:
    asked = make_approval()
    client = logged_in(manager)
    pages = [INBOX, reverse("approvals:questions"), asked.get_absolute_url()]
    pages += [reverse(f"approvals:{name}", args=[asked.pk]) for name in ("question", "decide")]
    for url in pages:
        for method in ("get", "head", "options"):
            getattr(client, method)(f"{url}?outcome=approve&digest={asked.payload_sha256}")
    opened = client.get(reverse("approvals:decide", args=[asked.pk]))
    assert opened["Location"] == asked.get_absolute_url()
    asked.refresh_from_db()
    assert (asked.status, Vote.objects.count()) == ("open", 0)


def test_a_refresh_keeps_the_order_and_announces_what_is_new(manager: User) -> None:
    first, second = make_approval(), make_approval()
    state = {"show": "mine", "known": f"{second.pk},{first.pk}", "seen": second.pk}
    decisions.decide(second.pk, manager, "approve", "", second.payload_sha256)
    fresh = make_approval(make_asking_step(first.task))
    page = text(logged_in(manager).get(reverse("approvals:questions"), state))
    assert page.index(f'id="row-{second.pk}"') < page.index(f'id="row-{first.pk}"')
    assert "1 new question" in page
    assert f'id="row-{fresh.pk}"' not in page
    assert "Approved" in page


def test_strangers_are_sent_to_login_and_people_in_no_group_are_told(outsider: User, client: Any) -> None:
    assert client.get(INBOX).url == f"/accounts/login/?next={INBOX}"
    assert logged_in(outsider).get(INBOX).status_code == 403


@pytest.mark.parametrize(
    "query", ["question=x", "question=999", "show=nothing", "known=a,,9999999999999999999"]
)
def test_odd_addresses_are_no_server_errors(manager: User, query: str) -> None:
    for url in (INBOX, reverse("approvals:questions")):
        assert logged_in(manager).get(f"{url}?{query}").status_code in (200, 404)


def test_every_list_is_shown_even_when_it_is_empty(manager: User) -> None:
    for show in ("mine", "requests", "open", "decided"):
        assert logged_in(manager).get(INBOX, {"show": show}).status_code == 200


def test_counting_costs_the_same_however_many_wait(manager: User, django_assert_max_num_queries: Any) -> None:
    task = make_asking_step().task
    for _ in range(12):
        make_approval(make_asking_step(task))
    client = logged_in(manager)
    client.get(INBOX)
    with django_assert_max_num_queries(40):
        client.get(INBOX)
