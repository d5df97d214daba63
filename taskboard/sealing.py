"""Encryption at rest, with a key made from SECRET_KEY: for what the database must hold and nobody may read there."""

import base64
import hmac
from functools import cache
from hashlib import sha256

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

PURPOSE = b"taskboard: secret parameters"


def seal(text: str) -> str:
    """The text encrypted; by the newest key."""
    return _box().encrypt(text.encode()).decode()


def unseal(sealed: str) -> str | None:
    """The text again; None if it was sealed with a key that this installation no longer has."""
    try:
        return _box().decrypt(sealed.encode()).decode()
    except InvalidToken:
        return None


def fingerprint(text: str) -> str:
    """Six characters by which two values can be told apart, and that say nothing about them without the key."""
    return hmac.new(_key(settings.SECRET_KEY), text.encode(), sha256).hexdigest()[:6]


def _box() -> MultiFernet:
    return _made((settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS))


@cache
def _made(keys: tuple[str, ...]) -> MultiFernet:
    return MultiFernet([Fernet(base64.urlsafe_b64encode(_key(key))) for key in keys])


@cache
def _key(secret: str) -> bytes:
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=PURPOSE).derive(secret.encode())
