"""The loop of one slice: claim, execute, record. One thread writes, a pool runs the steps."""

import logging
import threading
import time
from collections.abc import Callable
from functools import partial

from django.conf import settings
from django.db import connection

from taskboard import hints, lifecycle, workflow
from taskboard.change import Change
from taskboard.engine import claim, deploys, execute, hung, outage, owner, read, record
from taskboard.engine.batch import Batch
from taskboard.engine.claim import Claimed
from taskboard.engine.endings import Accepted, Report
from taskboard.engine.outage import AWAY, Outage
from taskboard.engine.pool import PRESS_SECONDS, Pool, Reports
from taskboard.engine.record import Ended
from taskboard.errors import TaskboardError
from taskboard.models import Task, TaskStatus

log = logging.getLogger(__name__)

GATHER_SECONDS = 0.003
"""How long the first result waits for others, so that they share a transaction."""
SQLITE_PAUSE_SECONDS = 0.002
"""Waiting for SQLite's lock is unfair: without a pause between writes a decision may wait for seconds."""
LOOK_SECONDS = 0.25
"""How often a slice with room looks for steps that others opened."""

stopping = threading.Event()
"""Set on SIGTERM: no new claims; what runs is finished and written."""
beside = threading.Semaphore(2)
"""How many tasks may be worked on in the slots for short things; the others are for decisions and sweeps."""


def run_task(task_pk: int, seconds: float | None = None) -> bool:
    """Work on one task for a bounded time. Returns whether there is more to do just now; a next message is
    sent for it, so that long tasks share the workers."""
    length = settings.TASKBOARD_SLICE_SECONDS if seconds is None else seconds
    task = Task.objects.filter(pk=task_pk).only(*deploys.ASKED).first()
    if task is None or task.held or not deploys.fits(task):  # a message is only a hint
        return False
    if task.status == TaskStatus.PENDING and not read.read_items(task_pk, stopping):
        return False
    more = Slice(task_pk, until=time.monotonic() + length).run()
    if more and not stopping.is_set():
        hints.soon("taskboard.run_task", task_pk)
    return more


def run_beside(task_pk: int) -> None:
    """Work on a task at once, in a slot for short things. Since its steps may last, there are not many such tasks
    at a time: whatever is too much is handed to the queue of the work."""
    if not beside.acquire(blocking=False):
        hints.soon("taskboard.run_task", task_pk)
        return
    try:
        run_task(task_pk)
    finally:
        beside.release()


class Slice:
    """One worker's bounded turn at one task."""

    def __init__(self, task_pk: int, until: float) -> None:
        self.task = Task.objects.get(pk=task_pk)
        self.spec = workflow.get(self.task.workflow)
        self.until = until
        self.me = owner.me()
        self.actor = f"worker {self.me}"
        self.outage = Outage()
        self.unwritten: Batch | None = None
        self.flying: dict[int, tuple[Claimed, float]] = {}
        self.hung: list[Claimed] = []
        self.reports: Reports[Ended] = Reports()
        self.handing_in = threading.Lock()
        self.pool = Pool(self.spec.parallel)
        self.beat_at = time.monotonic() + self._third_of_lease()
        self.look_at = 0.0
        self.exhausted = False

    def run(self) -> bool:
        """Returns whether claimable steps were left when the time was over."""
        try:
            while self._turn():
                pass
        finally:
            self.flying.clear()  # whatever still comes back writes itself down
            self.pool.close()
        return not self.exhausted

    def _turn(self) -> bool:
        try:
            self._heartbeat()
            self._write_down()
            self._give_up_hung_ones()
            self.outage.end()
        except AWAY as error:
            if self.unwritten and not self.unwritten.is_worth_keeping:
                self.unwritten = None
            if not (self.flying or self.unwritten or self.hung):
                raise
            self.outage.bear(error)
        self._leave_hung_ones()
        open_end = self.flying or self.unwritten or self.hung or len(self.reports)
        return bool(open_end) or (self._has_time() and not self.exhausted)

    def _write_down(self) -> None:
        """What is new, unless something is still to be written since the database was away."""
        ended = [] if self.unwritten else self._gather()
        if self.unwritten or ended or self._wants_more():
            self.unwritten = self.unwritten or Batch(ended)
            self._write(self.unwritten)

    def _gather(self) -> list[Ended]:
        """The reports that are there, after a moment for those that come just behind."""
        until = time.monotonic() + LOOK_SECONDS
        while self.flying and not len(self.reports) and time.monotonic() < until:
            self.reports.wait(1, PRESS_SECONDS if self.pool.press() else LOOK_SECONDS)
        if len(self.reports):
            self.reports.wait(len(self.flying), GATHER_SECONDS)
        ended = self.reports.take()
        for one in ended:
            if self._is_flying(one.claimed):
                del self.flying[one.claimed.step.pk]
        return ended

    def _write(self, batch: Batch) -> None:
        """One transaction: what ended, and what is claimed next."""
        with lifecycle.changing(self.task.pk, self.actor) as change:
            if not batch.is_written(change):
                self._fill(batch, change)
        self.unwritten = None
        self.look_at = time.monotonic() + LOOK_SECONDS
        self._go_on(batch)
        if connection.vendor == "sqlite":
            time.sleep(SQLITE_PAUSE_SECONDS)

    def _fill(self, batch: Batch, change: Change) -> None:
        room = self.spec.parallel - len(self.flying) if self._has_time() else 0
        batch.begun = record.record(change, batch.ended, self.me, may_start=not stopping.is_set(), room=room)
        left = room - len(batch.begun)
        batch.new = claim.claim(change, self.spec, self.me, left) if self._has_time() else []
        self.exhausted = self._has_time() and not batch.new and not batch.begun

    def _go_on(self, batch: Batch) -> None:
        """Proofs of what was accepted just now, and the steps that were begun."""
        for one in batch.ended:
            if isinstance(accepted := one.report.ending, Accepted) and not one.lost:
                self._fly(one.claimed, partial(execute.prove, accepted=accepted))
        for claimed in batch.begun:
            self._fly(claimed, execute.execute)
        for claimed in batch.new:
            self._fly(claimed, execute.prepare if claimed.preparing else execute.execute)

    def _fly(self, claimed: Claimed, call: Callable[..., Report]) -> None:
        self.flying[claimed.step.pk] = (claimed, time.monotonic())
        self.pool.submit(partial(self._call, call, claimed))

    def _call(self, call: Callable[..., Report], claimed: Claimed) -> None:
        if not self._is_flying(claimed):  # left before its turn came: it is nobody's to begin
            return
        try:
            ended = Ended(claimed, call(self.spec.owner, self.task, claimed))
        except (
            BaseException
        ):  # a fault of ours, or no database for too long: the lease runs out, the sweep asks
            self.flying.pop(claimed.step.pk, None)
            raise
        if not self._hand_in(ended):
            late = Batch([ended])
            outage.changed(self.task.pk, self.actor, partial(self._record, late))

    def _hand_in(self, ended: Ended) -> bool:
        """False if nobody waits for it any more."""
        with self.handing_in:
            if waited_for := self._is_flying(ended.claimed):
                self.reports.put(ended)
        return waited_for

    def _record(self, batch: Batch, change: Change) -> None:
        if not batch.is_written(change):
            record.record(change, batch.ended, self.me)

    def _is_flying(self, claimed: Claimed) -> bool:
        """Not so once its lease was left; the same step may be in the air again, claimed anew."""
        return self.flying.get(claimed.step.pk, (None,))[0] is claimed

    def _has_time(self) -> bool:
        return time.monotonic() < self.until and not stopping.is_set()

    def _wants_more(self) -> bool:
        room = len(self.flying) < self.spec.parallel
        return room and self._has_time() and time.monotonic() >= self.look_at

    def _heartbeat(self) -> None:
        if (held := self._held()) and time.monotonic() >= self.beat_at:
            with lifecycle.changing(self.task.pk, self.actor) as change:
                still = claim.extend(change, held, self.me)
            self.beat_at = time.monotonic() + self._third_of_lease()
            for pk, (claimed, _since) in list(self.flying.items()):
                if pk in still:
                    claimed.held_until = claim.held_until(change)

    def _held(self) -> list[int]:
        """The steps in the air, and those that have ended and are still to be written."""
        ended = self.unwritten.ended if self.unwritten else []
        return [*self.flying, *(one.claimed.step.pk for one in ended)]

    def _leave_hung_ones(self) -> None:
        """A call beyond its time limit is not waited for any longer."""
        now = time.monotonic()
        for pk, (one, since) in list(self.flying.items()):
            if now - since > one.spec.time_limit.total_seconds():
                with self.handing_in:
                    self.flying.pop(pk, None)
                self.hung.append(one)
                self.pool.replace_one()

    def _give_up_hung_ones(self) -> None:
        if self.hung:
            with lifecycle.changing(self.task.pk, self.actor) as change:
                hung.give_up(change, self.hung, self.me)
            self.hung, self.exhausted = [], False

    def _third_of_lease(self) -> float:
        return float(settings.TASKBOARD_LEASE_SECONDS) / 3


def until_idle(task_pk: int | None = None) -> None:
    """What a worker does, in this process, until nothing can be claimed."""
    while _one_round(task_pk) and not stopping.is_set():
        pass


def _one_round(task_pk: int | None) -> bool:
    more = [_run_or_say(pk) for pk in _unfinished(task_pk)]
    return any(more)


def _run_or_say(task_pk: int) -> bool:
    """One task that cannot be worked on does not keep the others waiting."""
    try:
        return run_task(task_pk)
    except TaskboardError as error:
        log.warning("task passed over", extra={"task_pk": task_pk, "reason": error.message})
        return False


def _unfinished(task_pk: int | None) -> list[int]:
    tasks = Task.objects.filter(status__in=(TaskStatus.PENDING, *claim.CLAIMABLE), held=False)
    if task_pk is not None:
        tasks = tasks.filter(pk=task_pk)
    return list(tasks.order_by("queue_position", "pk").values_list("pk", flat=True))
