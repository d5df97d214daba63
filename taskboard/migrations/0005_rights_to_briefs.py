"""Whoever sees a task sees the briefs that were kept of it."""

from django.apps.registry import Apps
from django.contrib.auth.management import create_permissions
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

GROUPS = ("Operators", "Managers", "Administrators")


def let_them_see(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    config = apps.get_app_config("taskboard")
    config.models_module = True  # type: ignore[assignment]
    create_permissions(config, apps=apps, verbosity=0)
    config.models_module = None
    permission = apps.get_model("auth", "Permission").objects.get(
        content_type__app_label="taskboard", codename="view_brief"
    )
    for group in apps.get_model("auth", "Group").objects.filter(name__in=GROUPS):
        group.permissions.add(permission)


class Migration(migrations.Migration):
    dependencies = [("taskboard", "0004_steering_and_briefs")]
    operations = [migrations.RunPython(let_them_see, migrations.RunPython.noop)]
