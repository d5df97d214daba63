"""Tags of lists of questions: texts that are cut say by how much."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import ngettext

from taskboard.templatetags.taskboard import printable

register = template.Library()


@register.simple_tag
def cut(text: str, most: int = 140) -> SafeString:
    """The beginning of a foreign text, and how many characters are missing."""
    line = " ".join(text.split())
    if len(line) <= most:
        return printable(line)
    missing = len(line) - most
    told = ngettext("+%(n)s character", "+%(n)s characters", missing) % {"n": f"{missing:,}"}
    return format_html('{}… <span class="cut">{}</span>', printable(line[:most]), told)
