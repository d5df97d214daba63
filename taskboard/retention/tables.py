"""Which rows belong to a task: found from the foreign keys, so tables of workflows are never forgotten."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.apps import apps
from django.db import models

from taskboard.models import Task

Model = type[models.Model]


@dataclass(frozen=True)
class Table:
    """A model whose rows go with their task; `path` is the look-up from a row to its task."""

    model: Model
    path: str

    @property
    def label(self) -> str:
        return self.model._meta.label_lower

    @property
    def title(self) -> str:
        return str(self.model._meta.verbose_name_plural)

    def rows(self, task: Task) -> "models.QuerySet[Any]":
        """The rows of that task, past any manager that hides or guards them."""
        return models.QuerySet(self.model).filter(**{self.path: task.pk}).order_by()

    def of_tasks(self, pks: Iterable[int]) -> "models.QuerySet[Any]":
        """The rows of several tasks."""
        return models.QuerySet(self.model).filter(**{f"{self.path}__in": list(pks)}).order_by()


@dataclass(frozen=True)
class Pointer:
    """A nullable key that points at rows that go; it is emptied first."""

    model: Model
    field: str
    path: str

    def rows(self, task: Task) -> "models.QuerySet[Any]":
        return models.QuerySet(self.model).filter(**{self.path: task.pk}).order_by()


@cache
def tables() -> tuple[Table, ...]:
    """Leaf first: no row is removed before those that need it."""
    owned = _owned()
    return tuple(sorted(owned.values(), key=lambda table: (-_depth(table.model, owned), table.label)))


@cache
def pointers() -> tuple[Pointer, ...]:
    """Keys that stay behind empty, as an effect that outlives its task, and keys within one table."""
    owned = _owned()
    found = [Pointer(Task, "continues", "continues")]
    for model in apps.get_models(include_auto_created=True):
        for key, target in _keys(model):
            if target is Task and model not in owned and model is not Task:
                found.append(Pointer(model, key.name, key.name))
            elif target in owned and (model not in owned or target is model):
                found.append(Pointer(model, key.name, f"{key.name}__{owned[target].path}"))
    return tuple(found)


def _owned() -> dict[Model, Table]:
    """Breadth first from the task, so that each table has its shortest path."""
    owned: dict[Model, Table] = {}
    ring: dict[Model, str] = {Task: ""}
    while ring:
        found = {}
        for model in apps.get_models(include_auto_created=True):
            if model is Task or model in owned:
                continue
            for key, target in _keys(model):
                if target in ring and key.remote_field.on_delete is models.CASCADE:
                    path = ring[target]
                    found[model] = f"{key.name}__{path}" if path else key.name
                    break
        owned |= {model: Table(model, path) for model, path in found.items()}
        ring = found
    return owned


def _depth(model: Model, owned: dict[Model, Table]) -> int:
    """How many tables stand between this one and the task, at most."""
    above = [target for _key, target in _keys(model) if target in owned and target is not model]
    return 1 + max((_depth(other, owned) for other in above), default=0)


def _keys(model: Model) -> "list[tuple[models.ForeignKey[Any, Any], Model]]":
    """The foreign keys of a model, each with the model that it points at."""
    keys = [field for field in model._meta.concrete_fields if isinstance(field, models.ForeignKey)]
    return [(key, key.remote_field.model) for key in keys]
