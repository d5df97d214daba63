"""Celery shells."""

from celery import shared_task

from approvals import bulk as bulk_decisions
from approvals import resumer
from approvals.telling import sweep


@shared_task(name="approvals.pick_up")
def pick_up(approval_id: int) -> None:
    resumer.pick_up_and_go_on(approval_id)


@shared_task(name="approvals.tell")
def tell() -> None:
    sweep.tell()


@shared_task(name="approvals.bulk")
def bulk(pk: int) -> None:
    bulk_decisions.carry_on(pk)
