"""The three groups and their rights; each keeps what an administrator added."""

from django.apps.registry import Apps
from django.contrib.auth.management import create_permissions
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

SEES = [
    "view_task", "view_item", "view_step", "view_checkpoint", "view_artifact", "view_ledgerentry", "view_risk",
    "view_instruction",
]  # fmt: skip
RIGHTS = {
    "Operators": [*SEES, "operate_task"],
    "Managers": [*SEES, "change_budget"],
    "Administrators": [
        *SEES, "operate_task", "change_budget", "retain_task", "view_purgerecord", "view_effect", "view_heartbeat",
        "view_profile",
    ],
}  # fmt: skip
USER_ADMIN = ["view_user", "add_user", "change_user", "view_group"]


def make_groups(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    for label in ("taskboard", "auth"):
        config = apps.get_app_config(label)
        config.models_module = True  # type: ignore[assignment]
        create_permissions(config, apps=apps, verbosity=0)
        config.models_module = None
    Group, Permission = apps.get_model("auth", "Group"), apps.get_model("auth", "Permission")
    for name, codenames in RIGHTS.items():
        group, _created = Group.objects.get_or_create(name=name)
        group.permissions.add(
            *Permission.objects.filter(content_type__app_label="taskboard", codename__in=codenames)
        )
    administrators = Group.objects.get(name="Administrators")
    administrators.permissions.add(
        *Permission.objects.filter(content_type__app_label="auth", codename__in=USER_ADMIN)
    )


class Migration(migrations.Migration):
    dependencies = [
        ("taskboard", "0002_journal_is_append_only"),
        ("auth", "0012_alter_user_first_name_max_length"),
    ]
    operations = [migrations.RunPython(make_groups, migrations.RunPython.noop)]
