"""The database itself refuses to change or remove journal rows, unless retention holds the key."""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

SQLITE = [
    "CREATE TABLE taskboard_journal_key (open integer NOT NULL)",
    """CREATE TRIGGER taskboard_journal_no_update BEFORE UPDATE ON taskboard_checkpoint
       BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END""",
    """CREATE TRIGGER taskboard_journal_no_delete BEFORE DELETE ON taskboard_checkpoint
       WHEN NOT EXISTS (SELECT 1 FROM taskboard_journal_key)
       BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END""",
]
POSTGRES = [
    """CREATE FUNCTION taskboard_journal_guard() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN
         IF TG_OP <> 'UPDATE' AND coalesce(current_setting('taskboard.journal_key', true), '') = 'open' THEN
           RETURN OLD;
         END IF;
         RAISE EXCEPTION 'the journal is append-only';
       END $$""",
    """CREATE TRIGGER taskboard_journal_guard BEFORE UPDATE OR DELETE ON taskboard_checkpoint
       FOR EACH ROW EXECUTE FUNCTION taskboard_journal_guard()""",
    """CREATE TRIGGER taskboard_journal_guard_truncate BEFORE TRUNCATE ON taskboard_checkpoint
       FOR EACH STATEMENT EXECUTE FUNCTION taskboard_journal_guard()""",
]
UNDO_SQLITE = [
    "DROP TRIGGER taskboard_journal_no_update",
    "DROP TRIGGER taskboard_journal_no_delete",
    "DROP TABLE taskboard_journal_key",
]
UNDO_POSTGRES = [
    "DROP TRIGGER taskboard_journal_guard ON taskboard_checkpoint",
    "DROP TRIGGER taskboard_journal_guard_truncate ON taskboard_checkpoint",
    "DROP FUNCTION taskboard_journal_guard()",
]


def guard(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    _run(schema_editor, POSTGRES if schema_editor.connection.vendor == "postgresql" else SQLITE)


def unguard(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    _run(schema_editor, UNDO_POSTGRES if schema_editor.connection.vendor == "postgresql" else UNDO_SQLITE)


def _run(schema_editor: BaseDatabaseSchemaEditor, statements: list[str]) -> None:
    with schema_editor.connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [("taskboard", "0001_initial")]
    operations = [migrations.RunPython(guard, unguard)]
