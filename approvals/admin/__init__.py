"""Questions, answers and messages in the admin; importing this registers them."""

from approvals.admin import questions, telling

__all__ = ["questions", "telling"]
