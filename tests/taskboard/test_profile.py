"""Language and time zone of a person."""

from django.contrib.auth.base_user import AbstractBaseUser
from django.test import Client

from taskboard.models import Profile
from tests.conftest import logged_in


def test_it_saves_language_and_zone(outsider: AbstractBaseUser) -> None:
    client = logged_in(outsider)
    client.post("/profile/", {"language": "en", "time_zone": "Asia/Shanghai"})
    client.post("/profile/", {"language": "zh-hans", "time_zone": "Europe/Paris"})
    profile = Profile.objects.get(user=outsider)
    assert (profile.language, profile.time_zone) == ("zh-hans", "Europe/Paris")


def test_an_unknown_zone_is_refused_at_its_field(operator: AbstractBaseUser) -> None:
    response = logged_in(operator).post("/profile/", {"language": "", "time_zone": "Mars/Olympus"})
    assert response.status_code == 422
    assert b'aria-invalid="true"' in response.content
    assert not Profile.objects.exists()


def test_it_leads_to_the_change_of_the_password(operator: AbstractBaseUser) -> None:
    assert b"/accounts/password/" in logged_in(operator).get("/profile/").content


def test_a_stranger_logs_in_first(db: None) -> None:
    assert Client().get("/profile/")["Location"] == "/accounts/login/?next=/profile/"
