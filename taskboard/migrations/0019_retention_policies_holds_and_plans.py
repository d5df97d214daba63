"""Policies, holds by search and previewed purges; administrators may look at them."""

import django.db.models.deletion
from django.apps.registry import Apps
from django.conf import settings
from django.contrib.auth.management import create_permissions
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

CODENAMES = ("view_retentionpolicy", "view_holdrule", "view_purgeplan", "view_purgeplantask")


def let_them_see(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    config = apps.get_app_config("taskboard")
    config.models_module = True  # type: ignore[assignment]
    create_permissions(config, apps=apps, verbosity=0)
    config.models_module = None
    Group, Permission = apps.get_model("auth", "Group"), apps.get_model("auth", "Permission")
    rights = Permission.objects.filter(content_type__app_label="taskboard", codename__in=CODENAMES)
    for group in Group.objects.filter(name="Administrators"):
        group.permissions.add(*rights)


class Migration(migrations.Migration):
    dependencies = [
        ("taskboard", "0018_stand_by_after_a_restore"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="HoldRule",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("search", models.CharField(max_length=300, verbose_name="search")),
                (
                    "time_zone",
                    models.CharField(help_text="The zone in which its days are meant.", max_length=64),
                ),
                ("reason", models.TextField(verbose_name="reason")),
                ("owner_name", models.CharField(max_length=150, verbose_name="owner")),
                ("created_at", models.DateTimeField(verbose_name="set at")),
                ("until", models.DateTimeField(blank=True, null=True, verbose_name="until")),
                ("ended_at", models.DateTimeField(blank=True, null=True, verbose_name="ended at")),
                ("ended_by_name", models.CharField(blank=True, max_length=150, verbose_name="ended by")),
            ],
            options={
                "verbose_name": "hold by search",
                "verbose_name_plural": "holds by search",
                "ordering": ("-id",),
            },
        ),
        migrations.CreateModel(
            name="PurgePlanTask",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("position", models.PositiveIntegerField()),
                ("public_id", models.CharField(max_length=32, verbose_name="task")),
                ("goal", models.TextField()),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("spent_micro", models.BigIntegerField(default=0)),
                ("version", models.PositiveBigIntegerField(default=0)),
                ("seen", models.JSONField(default=dict)),
                (
                    "outcome",
                    models.CharField(
                        choices=[("planned", "Planned"), ("purged", "Purged"), ("kept", "Kept")],
                        default="planned",
                        max_length=10,
                    ),
                ),
                ("told", models.TextField(blank=True)),
            ],
            options={
                "verbose_name": "task of a previewed purge",
                "verbose_name_plural": "tasks of previewed purges",
                "ordering": ("position",),
            },
        ),
        migrations.CreateModel(
            name="RetentionPolicy",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("workflow", models.CharField(max_length=100, unique=True, verbose_name="workflow")),
                (
                    "days",
                    models.PositiveIntegerField(
                        blank=True, help_text="Empty: kept without an end.", null=True, verbose_name="days"
                    ),
                ),
                ("reason", models.TextField(blank=True, verbose_name="reason")),
                ("set_by_name", models.CharField(max_length=150, verbose_name="set by")),
                ("set_at", models.DateTimeField(verbose_name="set at")),
            ],
            options={
                "verbose_name": "retention policy",
                "verbose_name_plural": "retention policies",
                "ordering": ("workflow",),
            },
        ),
        migrations.AddField(
            model_name="purgerecord",
            name="agreed_by",
            field=models.CharField(
                blank=True, db_default="", default="", help_text="The second administrator.", max_length=150
            ),
        ),
        migrations.AddField(
            model_name="purgerecord",
            name="busy_until",
            field=models.DateTimeField(blank=True, help_text="One worker at a time.", null=True),
        ),
        migrations.AddField(
            model_name="purgerecord",
            name="removed",
            field=models.PositiveBigIntegerField(
                db_default=0, default=0, help_text="Rows that are gone so far."
            ),
        ),
        migrations.AddField(
            model_name="task",
            name="archived",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Read back from an archive, to be looked at; nothing of it can change.",
            ),
        ),
        migrations.AddField(
            model_name="task",
            name="hold_by",
            field=models.CharField(blank=True, db_default="", default="", max_length=150),
        ),
        migrations.AddField(
            model_name="task",
            name="hold_until",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.CreateModel(
            name="PurgePlan",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("by_name", models.CharField(max_length=150, verbose_name="by")),
                ("created_at", models.DateTimeField(verbose_name="previewed at")),
                (
                    "day",
                    models.DateField(blank=True, help_text="Of an automatic run.", null=True, unique=True),
                ),
                ("size", models.PositiveIntegerField(default=0, verbose_name="tasks")),
                ("digest", models.CharField(max_length=64)),
                ("sums", models.JSONField(default=dict)),
                (
                    "kept",
                    models.JSONField(default=list, help_text="What was left out, each with the reason."),
                ),
                ("kept_count", models.PositiveIntegerField(default=0)),
                ("asked_at", models.DateTimeField(blank=True, null=True)),
                ("agreed_by_name", models.CharField(blank=True, max_length=150, verbose_name="agreed to by")),
                ("refused_at", models.DateTimeField(blank=True, null=True)),
                ("refused_by_name", models.CharField(blank=True, max_length=150)),
                ("refused_why", models.TextField(blank=True)),
                ("begun_at", models.DateTimeField(blank=True, null=True, verbose_name="begun at")),
                ("cancelled_at", models.DateTimeField(blank=True, null=True)),
                ("cancelled_by_name", models.CharField(blank=True, max_length=150)),
                ("finished_at", models.DateTimeField(blank=True, null=True, verbose_name="finished at")),
                (
                    "by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "previewed purge",
                "verbose_name_plural": "previewed purges",
                "ordering": ("-id",),
            },
        ),
        migrations.AddField(
            model_name="purgerecord",
            name="plan",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="records",
                to="taskboard.purgeplan",
            ),
        ),
        migrations.AddIndex(
            model_name="purgerecord",
            index=models.Index(fields=["public_id"], name="purge_by_task"),
        ),
        migrations.AddIndex(
            model_name="purgerecord",
            index=models.Index(
                condition=models.Q(("completed", False)), fields=["id"], name="purge_unfinished"
            ),
        ),
        migrations.AddField(
            model_name="purgeplantask",
            name="plan",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="tasks",
                to="taskboard.purgeplan",
            ),
        ),
        migrations.AddConstraint(
            model_name="purgeplantask",
            constraint=models.UniqueConstraint(fields=("plan", "position"), name="purge_plan_task_once"),
        ),
        migrations.AddConstraint(
            model_name="purgeplantask",
            constraint=models.UniqueConstraint(fields=("plan", "public_id"), name="purge_plan_task_by_id"),
        ),
        migrations.RunPython(let_them_see, migrations.RunPython.noop),
    ]
