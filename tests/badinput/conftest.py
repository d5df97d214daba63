"""A person who may do everything, and a row for everything an address may name."""

import pytest
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import Group
from django.test import Client

from tests.addresses import Rows, make_rows
from tests.conftest import logged_in, make_person


@pytest.fixture
def everything(db: None) -> AbstractBaseUser:
    person = make_person("everything", "Managers", is_staff=True)
    person.groups.add(*Group.objects.filter(name__in=("Operators", "Administrators")))
    return person


@pytest.fixture
def rows(everything: AbstractBaseUser) -> Rows:
    return make_rows(everything)


@pytest.fixture
def client(everything: AbstractBaseUser) -> Client:
    """Answers with what a visitor would get, also where that is an error of ours."""
    client = logged_in(everything)
    client.raise_request_exception = False
    return client
