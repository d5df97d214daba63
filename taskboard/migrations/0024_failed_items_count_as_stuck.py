"""Failed items need attention like blocked ones; tasks from before count them too."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def fill(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    tasks = apps.get_model("taskboard", "Task").objects
    for task in tasks.only("counts", "stuck_items").iterator(chunk_size=500):
        items = task.counts.get("items", {})
        stuck = items.get("blocked", 0) + items.get("failed", 0)
        if stuck != task.stuck_items:
            tasks.filter(pk=task.pk).update(stuck_items=stuck)


class Migration(migrations.Migration):
    dependencies = [("taskboard", "0023_phones_seal_their_secret")]
    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
