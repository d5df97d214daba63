"""The page that shows a result without running it."""

from typing import Any

import pytest
from django.contrib.auth.base_user import AbstractBaseUser
from django.test import Client

from taskboard import artifacts, lifecycle, preview
from taskboard.models import Artifact, Task
from taskboard.outcomes import NewArtifact
from tests.conftest import logged_in
from tests.factories import NOW, make_task

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)
NASTY = "<img src=x onerror=alert(1)><script>alert(1)</script> [a](javascript:alert(1)) ![b](https://e.example/p.png)"


def store(task: Task, name: str, content: bytes, media_type: str = "") -> Artifact:
    with lifecycle.changing(task.pk, "test") as change:
        artifacts.add(
            change, [artifacts.store(task, NewArtifact(name, content=content, media_type=media_type))]
        )
    return Artifact.objects.filter(task=task, name=name).latest("pk")


def shown(client: Client, task: Task, artifact: Artifact, status: int = 200) -> str:
    response = client.get(f"{task.get_absolute_url()}artifacts/{artifact.pk}/preview/")
    assert response.status_code == status
    return str(response.content.decode())


@pytest.fixture
def client(operator: AbstractBaseUser) -> Client:
    return logged_in(operator)


def test_markdown_has_headings_and_lists_and_nothing_foreign(client: Client) -> None:
    task = make_task()
    html = shown(client, task, store(task, "report.md", f"# Report\n\n- one\n\n{NASTY}".encode()))
    assert "<h1>Report</h1>" in html
    assert "<li>one</li>" in html
    assert "<img src=x" not in html
    assert "<script>alert" not in html
    assert "e.example" not in html or 'src="https://e.example' not in html
    assert 'href="javascript' not in html


@pytest.mark.parametrize(
    "address",
    ["javascript:alert(1)", "data:text/html,x", "//evil.example/x", "ftp://h/x", "/tasks/", "vbscript:x"],
)
def test_only_web_addresses_become_links_in_markdown(address: str) -> None:
    assert "href" not in preview.markdown(f"[here]({address})")


def test_a_web_address_in_markdown_is_a_link_that_tells_nothing_of_us() -> None:
    html = preview.markdown("[here](https://example.org/a?b=1)")
    assert '<a href="https://example.org/a?b=1" rel="noopener noreferrer">here</a>' in html


def test_a_sheet_is_a_table_of_its_first_hundred_rows(client: Client) -> None:
    task = make_task()
    text = "\ufeffname;amount\r\n" + "".join(f"Žofie {n};{n}\r\n" for n in range(150))
    html = shown(client, task, store(task, "list.csv", text.encode()))
    assert "<bdi>name</bdi></th>" in html
    assert "Žofie 99" in html
    assert "Žofie 100" not in html
    assert "This is its beginning" in html


def test_a_picture_is_served_as_what_it_is(client: Client) -> None:
    task = make_task()
    artifact = store(task, "chart.png", PNG)
    assert f"artifacts/{artifact.pk}/image/" in shown(client, task, artifact)
    response = client.get(f"{task.get_absolute_url()}artifacts/{artifact.pk}/image/")
    assert response["Content-Type"] == "image/png"
    assert response["X-Content-Type-Options"] == "nosniff"


def test_a_picture_is_never_guessed_at_whatever_the_installation_says(client: Client, settings: Any) -> None:
    settings.SECURE_CONTENT_TYPE_NOSNIFF = False
    task = make_task()
    artifact = store(task, "chart.png", PNG)
    response = client.get(f"{task.get_absolute_url()}artifacts/{artifact.pk}/image/")
    assert response["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("page", ["", "preview/", "image/"])
def test_a_result_is_found_only_under_its_own_task(client: Client, page: str) -> None:
    task, other = make_task(), make_task()
    artifact = store(task, "chart.png", PNG)
    found = [client.get(f"{one.get_absolute_url()}artifacts/{artifact.pk}/{page}") for one in (task, other)]
    assert [answer.status_code for answer in found] == [200, 404]
    assert b"".join(found[0])  # read to its end, so that the file is closed


def test_a_stored_page_is_sent_as_a_download_of_no_type(client: Client) -> None:
    task = make_task()
    artifact = store(task, "index.html", NASTY.encode(), "text/html")
    answer = client.get(f"{task.get_absolute_url()}artifacts/{artifact.pk}/")
    assert answer["Content-Type"] == "application/octet-stream"
    assert answer["Content-Disposition"] == 'attachment; filename="index.html"'
    assert b"".join(answer) == NASTY.encode()


@pytest.mark.parametrize(
    "content", [b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>", b"<script>1</script>"]
)
def test_what_only_claims_to_be_a_picture_is_not_served(client: Client, content: bytes) -> None:
    task = make_task()
    artifact = store(task, "chart.png", content, "image/svg+xml")
    assert client.get(f"{task.get_absolute_url()}artifacts/{artifact.pk}/image/").status_code == 404


def test_a_difference_is_coloured(client: Client) -> None:
    task = make_task()
    html = shown(client, task, store(task, "page.diff", b"--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n"))
    assert "<del><bdi>-old</bdi></del>" in html
    assert "<ins><bdi>+new</bdi></ins>" in html


def test_a_stored_page_is_shown_as_text(client: Client) -> None:
    task = make_task()
    html = shown(client, task, store(task, "index.html", NASTY.encode()))
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html


def test_what_cannot_be_shown_can_be_downloaded(client: Client) -> None:
    task = make_task()
    assert "it can be downloaded" in shown(client, task, store(task, "data.bin", b"\x00\x01"))


def test_a_file_that_is_gone_is_said(client: Client) -> None:
    task = make_task()
    artifact = store(task, "report.md", b"# x")
    artifacts.storage().delete(artifact.place)
    assert "gone from the storage" in shown(client, task, artifact, status=404)
    page = client.get(task.get_absolute_url()).content.decode()
    assert "The file is no longer in the storage." in page


def test_a_link_has_no_preview(client: Client) -> None:
    task = make_task()
    link = Artifact.objects.create(task=task, name="r.md", place="https://example.org/r.md", created_at=NOW)
    shown(client, task, link, status=404)


def test_the_versions_of_a_result_lead_to_each_other(client: Client) -> None:
    task = make_task()
    first, second = store(task, "report.md", b"one"), store(task, "report.md", b"two")
    assert f"artifacts/{second.pk}/preview/" in shown(client, task, first)
