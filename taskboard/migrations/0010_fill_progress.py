"""Tasks from before get the columns that follow from their counts."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

SETTLED = ("done", "failed", "rejected", "skipped", "cancelled")


def fill(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    tasks = apps.get_model("taskboard", "Task").objects
    for task in tasks.only("counts").iterator(chunk_size=500):
        items = task.counts.get("items", {})
        settled, total = sum(items.get(status, 0) for status in SETTLED), sum(items.values())
        progress = 1000 * settled // total if total else 0
        tasks.filter(pk=task.pk).update(progress=progress, stuck_items=items.get("blocked", 0))


class Migration(migrations.Migration):
    dependencies = [("taskboard", "0009_search_and_order")]
    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
