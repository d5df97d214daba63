"""Frozen systems, secret parameters, pauses after failed logins, single sign-on; who may freeze and thaw."""

import django.db.models.deletion
from django.apps.registry import Apps
from django.conf import settings
from django.contrib.auth.management import create_permissions
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

RIGHTS = {
    "Operators": ["view_freeze", "freeze_system"],
    "Managers": ["view_freeze"],
    "Administrators": [
        "view_freeze",
        "freeze_system",
        "thaw_system",
        "view_loginpause",
        "view_signon",
        "view_tasksecret",
    ],
}


def let_them(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
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
    dependencies = [
        ("taskboard", "0015_tokens_for_scripts"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="LoginPause",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("place", models.CharField(max_length=64, unique=True)),
                ("failures", models.PositiveIntegerField(default=0)),
                ("last_at", models.DateTimeField(db_index=True)),
                ("until", models.DateTimeField()),
            ],
        ),
        migrations.AddField(
            model_name="task",
            name="frozen_systems",
            field=models.TextField(
                blank=True, db_default="", default="", help_text="Whose thaw its steps wait for."
            ),
        ),
        migrations.CreateModel(
            name="Freeze",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("system", models.CharField(max_length=100)),
                ("reason", models.TextField()),
                ("frozen_by", models.CharField(max_length=150)),
                ("frozen_at", models.DateTimeField()),
                ("thaw_reason", models.TextField(blank=True)),
                ("thawed_by", models.CharField(blank=True, max_length=150)),
                ("thawed_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ("-id",),
                "permissions": (
                    ("freeze_system", "Can freeze an outside system"),
                    ("thaw_system", "Can thaw an outside system"),
                ),
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("thawed_at", None)), fields=("system",), name="frozen_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="SignOn",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("issuer", models.CharField(max_length=300)),
                ("subject", models.CharField(max_length=255)),
                ("first_at", models.DateTimeField()),
                ("last_at", models.DateTimeField()),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sign_ons",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("issuer", "subject"), name="signed_on_once")],
            },
        ),
        migrations.CreateModel(
            name="TaskSecret",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=100)),
                ("sealed", models.TextField()),
                (
                    "task",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="secrets",
                        to="taskboard.task",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("task", "name"), name="secret_once_per_task")
                ],
            },
        ),
        migrations.RunPython(let_them, migrations.RunPython.noop),
    ]
