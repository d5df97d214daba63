"""Secrets of webhooks that were stored in plain text are encrypted; a way back writes them as they were."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import TextField, Value


def seal(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    for hook in apps.get_model("approvals", "Webhook").objects.exclude(secret=""):
        hook.save(update_fields=["secret"])


def unseal(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    hooks = apps.get_model("approvals", "Webhook").objects
    for hook in hooks.all():
        hooks.filter(pk=hook.pk).update(secret=Value(hook.secret, output_field=TextField()))


class Migration(migrations.Migration):
    dependencies = [
        ("approvals", "0009_webhook_secrets_can_be_sealed"),
    ]

    operations = [
        migrations.RunPython(seal, unseal),
    ]
