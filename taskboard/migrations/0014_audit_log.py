"""The audit log. The database itself refuses to change or remove its rows; administrators may read them."""

from django.apps.registry import Apps
from django.contrib.auth.management import create_permissions
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

# The key is the journal's: the tests' flush holds it, and nothing that holds it in the product touches these rows.
SQLITE = [
    """CREATE TRIGGER taskboard_audit_no_update BEFORE UPDATE ON taskboard_auditentry
       BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END""",
    """CREATE TRIGGER taskboard_audit_no_delete BEFORE DELETE ON taskboard_auditentry
       WHEN NOT EXISTS (SELECT 1 FROM taskboard_journal_key)
       BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END""",
]
POSTGRES = [
    """CREATE FUNCTION taskboard_audit_guard() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN
         IF TG_OP <> 'UPDATE' AND coalesce(current_setting('taskboard.journal_key', true), '') = 'open' THEN
           RETURN OLD;
         END IF;
         RAISE EXCEPTION 'the audit log is append-only';
       END $$""",
    """CREATE TRIGGER taskboard_audit_guard BEFORE UPDATE OR DELETE ON taskboard_auditentry
       FOR EACH ROW EXECUTE FUNCTION taskboard_audit_guard()""",
    """CREATE TRIGGER taskboard_audit_guard_truncate BEFORE TRUNCATE ON taskboard_auditentry
       FOR EACH STATEMENT EXECUTE FUNCTION taskboard_audit_guard()""",
]
UNDO_SQLITE = ["DROP TRIGGER taskboard_audit_no_update", "DROP TRIGGER taskboard_audit_no_delete"]
UNDO_POSTGRES = [
    "DROP TRIGGER taskboard_audit_guard ON taskboard_auditentry",
    "DROP TRIGGER taskboard_audit_guard_truncate ON taskboard_auditentry",
    "DROP FUNCTION taskboard_audit_guard()",
]


def guard(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    _run(schema_editor, POSTGRES if schema_editor.connection.vendor == "postgresql" else SQLITE)


def unguard(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    _run(schema_editor, UNDO_POSTGRES if schema_editor.connection.vendor == "postgresql" else UNDO_SQLITE)


def _run(schema_editor: BaseDatabaseSchemaEditor, statements: list[str]) -> None:
    with schema_editor.connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def let_them_see(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    config = apps.get_app_config("taskboard")
    config.models_module = True  # type: ignore[assignment]
    create_permissions(config, apps=apps, verbosity=0)
    config.models_module = None
    Group, Permission = apps.get_model("auth", "Group"), apps.get_model("auth", "Permission")
    right = Permission.objects.filter(content_type__app_label="taskboard", codename="view_auditentry")
    for group in Group.objects.filter(name="Administrators"):
        group.permissions.add(*right)


class Migration(migrations.Migration):
    dependencies = [("taskboard", "0013_what_workflows_declared")]
    operations = [
        migrations.CreateModel(
            name="AuditEntry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField(verbose_name="time")),
                ("actor", models.CharField(max_length=150, verbose_name="person")),
                ("address", models.CharField(blank=True, max_length=64, verbose_name="from")),
                ("action", models.CharField(max_length=60, verbose_name="act")),
                ("target_kind", models.CharField(blank=True, max_length=60, verbose_name="kind of target")),
                ("target_id", models.CharField(blank=True, max_length=60)),
                ("target", models.CharField(blank=True, max_length=200, verbose_name="target")),
                ("reason", models.TextField(blank=True, verbose_name="reason")),
                ("before", models.JSONField(blank=True, null=True, verbose_name="before")),
                ("after", models.JSONField(blank=True, null=True, verbose_name="after")),
            ],
            options={
                "verbose_name": "audit entry",
                "verbose_name_plural": "audit entries",
                "ordering": ("-id",),
                "indexes": [
                    models.Index(fields=["at"], name="audit_by_time"),
                    models.Index(fields=["actor", "id"], name="audit_by_actor"),
                    models.Index(fields=["action", "id"], name="audit_by_action"),
                    models.Index(fields=["target_kind", "target", "id"], name="audit_by_target"),
                ],
            },
        ),
        migrations.RunPython(guard, unguard),
        migrations.RunPython(let_them_see, migrations.RunPython.noop),
    ]
