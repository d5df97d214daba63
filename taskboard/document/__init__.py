"""A task as one JSON document: export, validation, import; docs/state-document.schema.json is its form."""

from taskboard.document.export import members, of, stream
from taskboard.document.files import read, save, save_journal
from taskboard.document.load import load

__all__ = ["load", "members", "of", "read", "save", "save_journal", "stream"]
