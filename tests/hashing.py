"""Passwords of tests: hashed as everywhere, but once instead of a million times."""

from django.contrib.auth.hashers import PBKDF2PasswordHasher


class QuickHasher(PBKDF2PasswordHasher):
    """What it makes can be read by the processes that tests start, which have Django's own hashers."""

    iterations = 1
