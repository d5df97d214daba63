"""Who may change policies, pass questions on, and read their trail; each group keeps what was added to it."""

from django.apps.registry import Apps
from django.contrib.auth.management import create_permissions
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

POLICIES = ["add_policyoverride", "change_policyoverride", "delete_policyoverride", "view_policyoverride"]
ABSENCES = ["add_absence", "change_absence", "view_absence"]
TRAIL = ["view_event", "view_reminder"]
RIGHTS = {
    "Operators": TRAIL,
    "Managers": TRAIL,
    "Administrators": [*TRAIL, *POLICIES, *ABSENCES, "route_approval"],
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
    dependencies = [("approvals", "0006_stages_absences_and_the_trail_of_a_question")]
    operations = [migrations.RunPython(give_rights, migrations.RunPython.noop)]
