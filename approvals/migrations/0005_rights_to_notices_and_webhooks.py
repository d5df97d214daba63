"""Who may see how decisions are made, and who may tell other software of them."""

from django.apps.registry import Apps
from django.contrib.auth.management import create_permissions
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

WEBHOOKS = ["add_webhook", "change_webhook", "delete_webhook", "view_webhook", "view_delivery", "view_notice"]
RIGHTS = {
    "Operators": ["view_bulkdecision"],
    "Managers": ["view_bulkdecision", "oversee_decisions"],
    "Administrators": ["view_bulkdecision", "oversee_decisions", "oversee_people", *WEBHOOKS],
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
    dependencies = [("approvals", "0004_notices_webhooks_and_bulk_decisions")]
    operations = [migrations.RunPython(give_rights, migrations.RunPython.noop)]
