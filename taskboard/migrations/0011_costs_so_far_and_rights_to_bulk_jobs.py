"""What the items and the steps of each name cost so far; whoever sees a task sees its bulk jobs."""

from django.apps.registry import Apps
from django.contrib.auth.management import create_permissions
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import OuterRef, Subquery, Sum

GROUPS = ("Operators", "Managers", "Administrators")
CODENAMES = ("view_bulkjob", "view_bulkresult")


def add_up(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    Item, Step, Task = (apps.get_model("taskboard", name) for name in ("Item", "Step", "Task"))
    paid = Step.objects.filter(cost_micro__gt=0).order_by()
    of_item = paid.filter(item=OuterRef("pk")).values("item").annotate(sum=Sum("cost_micro")).values("sum")
    Item.objects.filter(pk__in=paid.values("item")).update(cost_micro=Subquery(of_item))
    for pk in paid.values_list("task", flat=True).distinct():
        sums = paid.filter(task=pk).values("name").annotate(sum=Sum("cost_micro")).values_list("name", "sum")
        task = Task.objects.get(pk=pk)
        Task.objects.filter(pk=pk).update(counts={**task.counts, "costs": dict(sums)})


def let_them_see(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    config = apps.get_app_config("taskboard")
    config.models_module = True  # type: ignore[assignment]
    create_permissions(config, apps=apps, verbosity=0)
    config.models_module = None
    Group, Permission = apps.get_model("auth", "Group"), apps.get_model("auth", "Permission")
    rights = Permission.objects.filter(content_type__app_label="taskboard", codename__in=CODENAMES)
    for group in Group.objects.filter(name__in=GROUPS):
        group.permissions.add(*rights)


class Migration(migrations.Migration):
    dependencies = [("taskboard", "0010_fill_progress")]
    operations = [
        migrations.RunPython(add_up, migrations.RunPython.noop),
        migrations.RunPython(let_them_see, migrations.RunPython.noop),
    ]
