"""The secret of a webhook can be stored encrypted, which is longer."""

from django.db import migrations

from taskboard.models.sealed import SealedField


class Migration(migrations.Migration):
    dependencies = [
        ("approvals", "0008_passed_on_notices_and_latest_answers"),
    ]

    operations = [
        migrations.AlterField(
            model_name="webhook",
            name="secret",
            field=SealedField(
                blank=True,
                help_text="Begins with whsec_. Left empty, one is made.",
                verbose_name="Secret",
            ),
        ),
    ]
