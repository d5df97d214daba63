"""Celery shells."""

from celery import shared_task

from approvals import resumer


@shared_task(name="approvals.pick_up")
def pick_up(approval_id: int) -> None:
    resumer.pick_up(approval_id)
