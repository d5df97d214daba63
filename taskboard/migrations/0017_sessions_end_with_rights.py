"""Each person has a turn of sessions; it counts on when rights fall, and the sessions of earlier turns end."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("taskboard", "0016_freezes_secrets_and_logins")]
    operations = [
        migrations.AddField(
            model_name="profile",
            name="session_turn",
            field=models.PositiveIntegerField(
                db_default=0,
                default=0,
                editable=False,
                help_text="Sessions that began in an earlier turn have ended.",
            ),
        ),
    ]
