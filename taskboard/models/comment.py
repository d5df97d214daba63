"""What people say about a task or an item, to each other: nothing runs by it."""

from django.conf import settings
from django.db import models

from taskboard.models.task import Item, Task


class Comment(models.Model):
    """A note of one person. It is not edited; one that its author takes back stays as a withdrawn one."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="comments", db_index=False)
    item = models.ForeignKey(Item, null=True, blank=True, on_delete=models.CASCADE, related_name="comments")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    author_name = models.CharField(max_length=150)
    at = models.DateTimeField()
    text = models.TextField()
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("id",)
        indexes = (models.Index(fields=("task", "id"), name="comment_by_task"),)

    def __str__(self) -> str:
        return self.text[:80]
