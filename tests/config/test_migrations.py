"""Migrations only add, so that old and new code run side by side on the same tables."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection, migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.models import NOT_PROVIDED

OURS = ("taskboard", "approvals", "seo_audit")
FIRST_STRICT = {"taskboard": 14, "approvals": 8, "seo_audit": 2}
"""Before these there was no version that could run beside a later one."""
ADDS = (
    migrations.CreateModel, migrations.AddField, migrations.AddIndex, migrations.AddConstraint, migrations.RunPython,
    migrations.RunSQL, migrations.AlterModelOptions, migrations.AlterModelManagers, migrations.SeparateDatabaseAndState,
)  # fmt: skip


def operations() -> Iterator[tuple[str, Any]]:
    for (app, name), migration in sorted(MigrationLoader(None).disk_migrations.items()):
        if app in OURS and int(name[:4]) >= FIRST_STRICT[app]:
            yield from ((f"{app}.{name}", operation) for operation in migration.operations)


def is_widening(operation: Any) -> bool:
    """Choices, texts and longer columns: what the old code writes still fits. An index may take another's place."""
    return isinstance(operation, (migrations.AlterField, migrations.RemoveIndex))


def test_nothing_is_removed_or_renamed() -> None:
    found = [
        f"{name}: {op.describe()}"
        for name, op in operations()
        if not isinstance(op, ADDS) and not is_widening(op)
    ]
    assert found == []


def test_a_new_column_has_a_default_in_the_database_or_may_be_empty() -> None:
    """Old code inserts rows without naming it."""
    new = {(name, op.name.lower()) for name, op in operations() if isinstance(op, migrations.CreateModel)}
    found = [
        f"{name}: {op.model_name}.{op.name}"
        for name, op in operations()
        if isinstance(op, migrations.AddField)
        and (name, op.model_name.lower()) not in new
        and not isinstance(op.field, models.ManyToManyField)
        and not op.field.null
        and op.field.db_default is NOT_PROVIDED
    ]
    assert found == []


@pytest.mark.django_db
def test_each_app_has_one_newest_migration() -> None:
    loader = MigrationLoader(connection)
    assert {app: len(loader.graph.leaf_nodes(app)) for app in OURS} == dict.fromkeys(OURS, 1)
