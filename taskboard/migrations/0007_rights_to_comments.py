"""Whoever sees a task sees its comments; administrators see who took what."""

from django.apps.registry import Apps
from django.contrib.auth.management import create_permissions
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

RIGHTS = {
    "Operators": ["view_comment"],
    "Managers": ["view_comment"],
    "Administrators": ["view_comment", "view_attentiontaken"],
}


def let_them_see(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    config = apps.get_app_config("taskboard")
    config.models_module = True  # type: ignore[assignment]
    create_permissions(config, apps=apps, verbosity=0)
    config.models_module = None
    Group, Permission = apps.get_model("auth", "Group"), apps.get_model("auth", "Permission")
    for name, codenames in RIGHTS.items():
        rights = Permission.objects.filter(content_type__app_label="taskboard", codename__in=codenames)
        for group in Group.objects.filter(name=name):
            group.permissions.add(*rights)


class Migration(migrations.Migration):
    dependencies = [("taskboard", "0006_comments_and_attention")]
    operations = [migrations.RunPython(let_them_see, migrations.RunPython.noop)]
