"""What people say about a task or an item: kept for good, and journaled so that nothing is lost."""

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from taskboard import lifecycle
from taskboard.cleaning import clean_text
from taskboard.errors import BadInput, NotAllowed, NotFound, WrongState
from taskboard.models import Comment, Item, Kind, PurgeRecord, Task
from taskboard.rights import SEE, require

LONGEST = 5000


def add(task: Task, user: User, text: str, item: Item | None = None) -> Comment:
    """Whoever may see a task may say something about it, or about one of its items."""
    require(user, SEE)
    clean = _words(text)
    with lifecycle.changing(task.pk, user.get_username()) as change:
        if PurgeRecord.objects.filter(public_id=change.task.public_id).exists():
            raise WrongState(_("This task is being purged; nobody would read this."))
        new = Comment.objects.create(
            task=change.task,
            item=item,
            author=user,
            author_name=user.get_username(),
            at=change.now,
            text=clean,
        )
        change.record(Kind.COMMENT, item=item.key if item else "", data={"comment": new.pk, "text": clean})
    return new


def withdraw(comment: Comment, user: User) -> None:
    """Its author takes it back: pages no longer show the text, but the journal keeps it."""
    require(user, SEE)
    if comment.author_id != user.pk:
        raise NotAllowed(_("Only its author can take a comment back."))
    with lifecycle.changing(comment.task_id, user.get_username()) as change:
        if not Comment.objects.filter(pk=comment.pk, withdrawn_at=None).update(withdrawn_at=change.now):
            raise WrongState(_("This comment was taken back already."))
        item = comment.item.key if comment.item else ""
        change.record(Kind.COMMENT, item=item, data={"did": "withdraw comment", "comment": comment.pk})


def of_task(task: Task) -> "QuerySet[Comment]":
    """Those on the task and on all its items, newest first."""
    return Comment.objects.filter(task=task).select_related("item").order_by("-pk")


def of_item(item: Item) -> "QuerySet[Comment]":
    """Those on this item, newest first."""
    return Comment.objects.filter(item=item).select_related("item").order_by("-pk")


def find(task: Task, number: int) -> Comment:
    """The comment with this number; raises NotFound with a sentence."""
    found = Comment.objects.filter(task=task, pk=number).select_related("item").first()
    if found is None:
        raise NotFound(_("There is no such comment in this task."))
    return found


def _words(text: str) -> str:
    clean = clean_text(text).strip()
    if not clean:
        raise BadInput(_("Write something first."))
    if len(clean) > LONGEST:
        raise BadInput(_("A comment has at most %d characters.") % LONGEST)
    return clean
