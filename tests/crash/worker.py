"""`python -m tests.crash.worker work --until-idle`: a management command that dies at CRASH_AT."""

import sys

import django

django.setup()

from django.core.management import execute_from_command_line  # noqa: E402 after setup

from tests.crash import moments  # noqa: E402, F401 wraps the engine

if __name__ == "__main__":
    execute_from_command_line(["manage.py", *sys.argv[1:]])
