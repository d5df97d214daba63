"""Every query parameter, form field and part of an address, found by asking, with everything that is nasty."""

from collections.abc import Iterator
from urllib.parse import quote

import pytest
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.addresses import Address, Rows, addresses
from tests.badinput.nasties import ALWAYS, NUL, SOMETIMES, VALID, fault, names_read, report, send, some
from tests.test_access import HOLDS_NO_CONNECTION, MAY_GET, MAY_POST

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
READ = [one for one in addresses() if one.name in MAY_GET and one.name != HOLDS_NO_CONNECTION]
SENT = [one for one in addresses() if one.name in MAY_POST or one.name in ("taskboard:new_task", "login")]
FINDS = ("taskboard:tasks", "taskboard:task", "approvals:inbox", "taskboard:audit", "taskboard:find_item")


@pytest.fixture(autouse=True)
def _signed_in_to_the_end(client: Client) -> Iterator[None]:
    """Whoever was signed out half-way would have tried nothing from there on."""
    yield
    assert client.get("/").status_code == 200


def test_who_signs_out_in_a_trial_is_still_signed_in(client: Client, rows: Rows) -> None:
    send(client, "POST", "/accounts/logout/", {})
    assert send(client, "GET", "/", {})[0].status_code == 200


def tried(client: Client, method: str, url: str) -> list[str]:
    """One field after another, the others as they should be; then all at once."""
    names, faults = names_read(client, method, url), []
    kind = {name: VALID.get(name, "1") for name in names}
    sets = [{**kind, name: nasty} for name in names for nasty in some()]
    if method == "GET":  # a page takes long, and each of its filters is read in many places
        sets = sets[::3]
    sets += [{**kind, name: NUL} for name in names]
    sets.append(dict.fromkeys(names, ALWAYS[len(names) % len(ALWAYS)]))
    for values in sets:
        if told := fault(*send(client, method, url, values)):
            odd = {name: value[:30] for name, value in values.items() if value != kind[name]}
            faults.append(f"{method} {url} {odd!r}: {told}")
    return faults


def test_no_query_breaks_a_page(client: Client, rows: Rows) -> None:
    faults = [told for one in READ for told in tried(client, "GET", rows.url(one))]
    assert not faults, report(faults)


def test_no_form_breaks_an_action_or_is_stored_in_part(client: Client, rows: Rows) -> None:
    faults = [told for one in SENT for told in tried(client, "POST", rows.url(one))]
    assert not faults, report(faults)


def test_no_part_of_an_address_breaks_it(client: Client, rows: Rows) -> None:
    faults = []
    for one in addresses():
        method = "GET" if one.name in MAY_GET else "POST"
        if one.name == HOLDS_NO_CONNECTION:
            continue
        for url in odd_addresses(one, rows):
            if told := fault(*send(client, method, url, {})):
                faults.append(f"{method} {one.name} {url[:80]}: {told}")
    assert not faults, report(faults)


def odd_addresses(one: Address, rows: Rows) -> list[str]:
    """Numbers beyond every column, ids of nothing, and keys of any text."""
    odd = {
        "pk": ["0", "9" * 30, str(2**63)],
        "number": ["0", "9" * 30, str(2**63)],
        "public_id": ["x" * 500, "-"],
    }
    odd |= {name: ["x" * 500, "-"] for name in ("workflow", "step", "name", "system")}
    odd["key"] = [
        quote(text, safe="", errors="surrogatepass") for text in (*ALWAYS, "..", "a//b", "x" * 3000)
    ]
    usual = {name: quote(str(value), safe="") for name, value in rows.values(one).items()}
    found = []
    for name in one.holds:
        for text in odd[name]:
            found.append("/" + filled(one.route, {**usual, name: text}))
    return found


def filled(route: str, values: dict[str, str]) -> str:
    for name, text in values.items():
        before, _open, rest = route.partition("<")
        while not rest.partition(">")[0].endswith(f":{name}"):
            before, _open, rest = _next(before, rest)
        route = before + text + rest.partition(">")[2]
    return route


def _next(before: str, rest: str) -> tuple[str, str, str]:
    inside, _close, after = rest.partition(">")
    between, opened, following = after.partition("<")
    return f"{before}<{inside}>{between}", opened, following


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=st.sampled_from(FINDS),
    text=st.one_of(st.text(st.characters(), max_size=60), st.sampled_from(SOMETIMES)),
    word=st.sampled_from(["", "status:", "-", '"', "before:", "by:", "cost>", "item:"]),
)
def test_a_search_takes_any_text(client: Client, rows: Rows, name: str, text: str, word: str) -> None:
    one = next(one for one in READ if one.name == name)
    assert fault(*send(client, "GET", rows.url(one), {"q": word + text})) == ""
