"""Who is told of what: a person's choices, the outbox of mails, and the addresses that other software listens at."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from taskboard.models.sealed import SealedField


class NoticeKind(models.TextChoices):
    """What a person can be told by mail."""

    ASKED = "asked", _("A question waits for me")
    "Sent to everybody who may answer it."
    PASSED = "passed", _("A question was passed on to me")
    "Sent to the person who has to answer it then, and to whoever stands in for them."
    REMINDER = "reminder", _("A question that waits for me is running out of time")
    "Sent when a stated share of its time is over."
    DECIDED = "decided", _("A question of a task that I started was answered")
    "Sent to the one who started the task."


class NoticePreference(models.Model):
    """Whether a person wants mails of one kind; without a row the kind's own default counts."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notice_preferences", db_index=False
    )
    kind = models.CharField(max_length=10, choices=NoticeKind)
    mail = models.BooleanField()

    class Meta:
        ordering = ("id",)
        constraints = (models.UniqueConstraint(fields=("user", "kind"), name="one_preference_per_kind"),)

    def __str__(self) -> str:
        return f"{self.user_id} {self.kind}: {self.mail}"


class Notice(models.Model):
    """One thing that one person is to be told of one question. The unique key is what makes it once, whatever the
    workers do. Rows with the same `mail` were sent, or are being sent, in one message with that id."""

    class Outcome(models.TextChoices):
        SENT = "sent", _("Sent")
        NEEDLESS = "needless", _("No longer needed")
        UNWANTED = "unwanted", _("Not wanted")
        REFUSED = "refused", _("Address refused")

    approval = models.ForeignKey(
        "approvals.Approval", on_delete=models.CASCADE, related_name="notices", db_index=False
    )
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=10, choices=NoticeKind)
    share = models.PositiveSmallIntegerField(default=0, help_text=_("Of the time to answer, in percent."))
    audience = models.CharField(max_length=150, blank=True, help_text=_("The group that was asked."))
    created_at = models.DateTimeField()
    mail = models.CharField(max_length=64, blank=True, help_text=_("The Message-ID that it goes out with."))
    busy_until = models.DateTimeField(null=True, blank=True, help_text=_("One worker at a time."))
    settled_at = models.DateTimeField(null=True, blank=True)
    outcome = models.CharField(max_length=10, choices=Outcome, blank=True)

    class Meta:
        ordering = ("id",)
        constraints = (
            models.UniqueConstraint(fields=("approval", "user", "kind", "share"), name="told_once"),
        )
        indexes = (
            models.Index(fields=("user", "created_at"), name="notice_owed", condition=Q(settled_at=None)),
        )

    def __str__(self) -> str:
        return f"{self.approval_id} {self.kind} {self.user_id}"


class Payload(models.TextChoices):
    """In which form a webhook tells of an event."""

    STANDARD = "standard", _("Standard Webhooks (JSON)")
    SLACK = "slack", _("Slack")
    TEAMS = "teams", _("Microsoft Teams")


class Webhook(models.Model):
    """An address that is told of questions. `looked_at` says up to when they were looked through for it."""

    name = models.CharField(_("Name"), max_length=100, unique=True)
    url = models.CharField(_("Address"), max_length=500)
    payload = models.CharField(_("Form"), max_length=10, choices=Payload, default=Payload.STANDARD)
    secret = SealedField(_("Secret"), blank=True, help_text=_("Begins with whsec_. Left empty, one is made."))
    active = models.BooleanField(_("Active"), default=True)
    created_at = models.DateTimeField(auto_now_add=True)
    looked_at = models.DateTimeField(null=True, blank=True, editable=False)
    stopped_why = models.CharField(max_length=200, blank=True, editable=False)

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class Delivery(models.Model):
    """One event for one address, and what came of it. Every try is written down in `tries`."""

    class State(models.TextChoices):
        PENDING = "pending", _("Pending")
        DELIVERED = "delivered", _("Delivered")
        GIVEN_UP = "given_up", _("Given up")

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries", db_index=False)
    approval = models.ForeignKey(
        "approvals.Approval", on_delete=models.CASCADE, related_name="deliveries", db_index=False
    )
    event = models.CharField(max_length=30)
    message_id = models.CharField(max_length=40, unique=True)
    body = models.TextField()
    created_at = models.DateTimeField()
    due_at = models.DateTimeField()
    attempts = models.PositiveSmallIntegerField(default=0)
    tries = models.JSONField(default=list, blank=True)
    state = models.CharField(max_length=10, choices=State, default=State.PENDING)
    settled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-id",)
        verbose_name_plural = "deliveries"
        constraints = (
            models.UniqueConstraint(fields=("approval", "webhook", "event"), name="one_delivery_per_event"),
        )
        indexes = (models.Index(fields=("due_at",), name="delivery_due", condition=Q(settled_at=None)),)

    def __str__(self) -> str:
        return f"{self.webhook_id} {self.event} {self.approval_id}"
