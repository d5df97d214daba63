"""What the three groups may do with questions; each keeps what an administrator added."""

from django.apps.registry import Apps
from django.contrib.auth.management import create_permissions
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

RIGHTS = {
    "Operators": ["view_approval", "view_vote"],
    "Managers": ["view_approval", "view_vote", "decide_approval"],
    # The policy of a question says whether they are among those who decide it.
    "Administrators": ["view_approval", "view_vote", "decide_approval"],
}


def give_rights(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    config = apps.get_app_config("approvals")
    config.models_module = True  # type: ignore[assignment]
    create_permissions(config, apps=apps, verbosity=0)
    config.models_module = None
    Group, Permission = apps.get_model("auth", "Group"), apps.get_model("auth", "Permission")
    for name, codenames in RIGHTS.items():
        group, _created = Group.objects.get_or_create(name=name)
        group.permissions.add(
            *Permission.objects.filter(content_type__app_label="approvals", codename__in=codenames)
        )


class Migration(migrations.Migration):
    dependencies = [("approvals", "0001_initial"), ("taskboard", "0003_groups")]
    operations = [migrations.RunPython(give_rights, migrations.RunPython.noop)]
