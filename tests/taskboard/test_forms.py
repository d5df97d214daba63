"""What forms tell when they cannot be used."""

import pytest

from taskboard.errors import BadInput
from taskboard.forms import SettleForm, checked


def test_a_form_without_a_fault_gives_its_data() -> None:
    told = {"reason": "I saw it", "external_id": "T-12", "key": ""}
    assert checked(SettleForm(told)) == told


def test_all_faults_are_told_at_once() -> None:
    with pytest.raises(BadInput) as fault:
        checked(SettleForm({"reason": "x" * 2001, "external_id": "x" * 301}))
    assert "at most 2000 characters" in fault.value.message
    assert "at most 300 characters" in fault.value.message
