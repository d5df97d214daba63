"""What each workflow declared, kept per version; administrators may look at it."""

from django.apps.registry import Apps
from django.contrib.auth.management import create_permissions
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def let_them_see(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    config = apps.get_app_config("taskboard")
    config.models_module = True  # type: ignore[assignment]
    create_permissions(config, apps=apps, verbosity=0)
    config.models_module = None
    Group, Permission = apps.get_model("auth", "Group"), apps.get_model("auth", "Permission")
    rights = Permission.objects.filter(content_type__app_label="taskboard", codename="view_workflowversion")
    for group in Group.objects.filter(name="Administrators"):
        group.permissions.add(*rights)


class Migration(migrations.Migration):
    dependencies = [("taskboard", "0012_effects_reserved_before_they_happen")]
    operations = [
        migrations.CreateModel(
            name="WorkflowVersion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("workflow", models.CharField(max_length=100)),
                ("version", models.CharField(max_length=64)),
                ("steps", models.JSONField(default=list)),
                ("seen_at", models.DateTimeField()),
            ],
            options={
                "ordering": ("id",),
                "constraints": [
                    models.UniqueConstraint(fields=("workflow", "version"), name="workflow_version_once")
                ],
            },
        ),
        migrations.RunPython(let_them_see, migrations.RunPython.noop),
    ]
