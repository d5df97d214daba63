"""A line that a person adds to the brief; it is kept and shown as theirs."""

from django.contrib.auth.models import AbstractBaseUser
from django.utils.translation import gettext as _

from taskboard import lifecycle
from taskboard.cleaning import clean_text
from taskboard.errors import BadInput
from taskboard.models import Kind, Task
from taskboard.resume import brief
from taskboard.rights import require, require_steerable

LONGEST = 500
MOST_LINES = 10


def add_line(task: Task, user: AbstractBaseUser, text: str) -> str:
    """Add it and write the brief anew, which is returned. Beyond ten lines the oldest gives way; the journal
    keeps it."""
    require(user)
    line = " ".join(clean_text(text).split())
    if not line:
        raise BadInput(_("Write the line that the brief should hold."))
    if len(line) > LONGEST:
        raise BadInput(_("A line of the brief has at most %d characters.") % LONGEST)
    with lifecycle.changing(task.pk, user.get_username()) as change:
        require_steerable(change)
        lines = [*change.task.brief_note.splitlines(), f"{user.get_username()}: {line}"]
        change.set(brief_note="\n".join(lines[-MOST_LINES:]))
        text = brief.write(change.task, change.now)
        brief.keep(change.task, text, change.now)
        change.set(brief=text)
        change.record(Kind.PERSON, data={"did": "add to the brief", "text": line})
    return text
