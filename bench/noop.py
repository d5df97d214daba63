"""The workflow of the benchmarks: three write steps that do nothing, and the people that start them."""

from collections.abc import Iterator
from typing import Any

from django import forms
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group

from taskboard.models import Task
from taskboard.outcomes import Done, NewItem
from taskboard.start import start_task
from taskboard.workflow import REPEATABLE, workflow, write_step


class Size(forms.Form):
    items = forms.IntegerField(min_value=1)


@workflow("noop", title="Three steps that do nothing", params=Size, parallel=256)
class Noop:
    def items(self, reading: Any) -> Iterator[NewItem]:
        for number in range(reading.count + 1, int(reading.params["items"]) + 1):
            yield NewItem(f"item_{number:06}")

    @write_step(find=REPEATABLE, unverified="nothing is done")
    def first(self, ctx: Any) -> Done:
        return Done("done")

    @write_step(after="first", find=REPEATABLE, unverified="nothing is done")
    def second(self, ctx: Any) -> Done:
        return Done("done")

    @write_step(after="second", find=REPEATABLE, unverified="nothing is done")
    def third(self, ctx: Any) -> Done:
        return Done("done")


def person(group: str) -> Any:
    user, _created = get_user_model().objects.get_or_create(username=group)
    user.groups.add(Group.objects.get(name=group))
    return user


def new_task(items: int, name: str = "noop") -> Task:
    return start_task(name, {"items": items}, user=person("Operators"))
