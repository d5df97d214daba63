"""Keys that look the same are the same; what cannot be stored is replaced."""

import json
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from taskboard.cleaning import Cleaner
from taskboard.keys import LONGEST_KEY, clean_key
from taskboard.seal import canonical, sealable, sha256_of

anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters())
    | st.binary(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=12,
)
surrogates = st.text(st.characters(categories=["Cs", "Cc", "Lu", "Zs", "Cf", "Mn"]), max_size=300)


@given(surrogates)
def test_a_clean_key_is_short_storable_and_stays_as_it_is(text: str) -> None:
    key = clean_key(text)
    assert len(key) <= LONGEST_KEY
    assert key == key.strip() == unicodedata.normalize("NFC", key)
    assert clean_key(key) == key
    key.encode()
    assert "\x00" not in key


@given(anything)
def test_cleaned_values_are_plain_json_and_cleaning_them_again_changes_nothing(value: object) -> None:
    cleaner = Cleaner()
    clean = cleaner.json(value)
    text = json.dumps(clean, allow_nan=False)
    assert "\\u0000" not in text
    text.encode()
    assert json.loads(text) == clean
    again = Cleaner()
    assert again.json(clean) == clean
    assert again.notes == []


@given(
    st.recursive(st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))
)
def test_a_seal_reads_the_same_after_every_trip(value: object) -> None:
    sealed = sealable(value)
    assert sha256_of(json.loads(canonical(sealed))) == sha256_of(sealed)


def test_keys_that_differ_only_behind_the_limit_stay_apart() -> None:
    assert clean_key("x" * 300) != clean_key("x" * 301)
