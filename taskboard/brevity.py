"""Text that must keep to a number of bytes: sections that share the room fairly. Pure."""

from collections.abc import Iterable, Sequence

GAP = "\n\n"


def section(title: str, lines: Iterable[object]) -> str:
    """A heading with a list; empty where there is nothing to list."""
    told = [f"- {' '.join(str(line).split())}" for line in lines]
    return f"## {title}\n" + "\n".join(told) if told else ""


def fit(sections: Sequence[str], most: int) -> str:
    """The sections one after the other in at most `most` bytes. The short ones stay whole; what they leave
    is shared by the long ones, so that none pushes another one out."""
    told = [text for text in sections if text]
    room = most - len(GAP.encode()) * max(len(told) - 1, 0)
    limit = _share([len(text.encode()) for text in told], room)
    return GAP.join(cut(text, limit) for text in told)


def cut(text: str, most: int) -> str:
    """The text in at most `most` bytes, never within a character; `…` tells that there was more."""
    raw = text.encode()
    if len(raw) <= most:
        return text
    return raw[: max(most - 3, 0)].decode(errors="ignore").rstrip() + "…"[: most // 3]


def _share(sizes: Sequence[int], room: int) -> int:
    """The largest size at which all sections, each cut to it, fit into the room."""
    for number, size in enumerate(ordered := sorted(sizes)):
        fair = room // (len(ordered) - number)
        if size > fair:
            return max(fair, 0)
        room -= size
    return max(sizes, default=0)
