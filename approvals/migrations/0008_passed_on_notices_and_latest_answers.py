"""People hear of questions that were passed on to them; the latest answers of a task are found fast."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("approvals", "0007_rights_to_policies_and_absences"),
    ]

    operations = [
        migrations.AlterField(
            model_name="notice",
            name="kind",
            field=models.CharField(
                choices=[
                    ("asked", "A question waits for me"),
                    ("passed", "A question was passed on to me"),
                    ("reminder", "A question that waits for me is running out of time"),
                    ("decided", "A question of a task that I started was answered"),
                ],
                max_length=10,
            ),
        ),
        migrations.AlterField(
            model_name="noticepreference",
            name="kind",
            field=models.CharField(
                choices=[
                    ("asked", "A question waits for me"),
                    ("passed", "A question was passed on to me"),
                    ("reminder", "A question that waits for me is running out of time"),
                    ("decided", "A question of a task that I started was answered"),
                ],
                max_length=10,
            ),
        ),
        migrations.AddIndex(
            model_name="approval",
            index=models.Index(
                condition=models.Q(("decided_at__isnull", False)),
                fields=["task", "-decided_at", "-id"],
                name="approval_answered",
            ),
        ),
        migrations.AddIndex(
            model_name="event",
            index=models.Index(
                condition=models.Q(("what", "passed_on")), fields=["at"], name="event_passed_on"
            ),
        ),
    ]
