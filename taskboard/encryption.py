"""Encryption at rest, with a key made from SECRET_KEY: for what the database must hold and nobody may read there."""

import base64
import hmac
import secrets
from functools import cache
from hashlib import sha256

from cryptography.exceptions import InvalidTag
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

PURPOSE = b"taskboard: secret parameters"
SHORT = b"taskboard: short secrets"
NONCE = 12


def seal(text: str) -> str:
    """The text encrypted; by the newest key."""
    return _box().encrypt(text.encode()).decode()


def unseal(sealed: str) -> str | None:
    """The text again; None if it was sealed with a key that this installation no longer has."""
    try:
        return _box().decrypt(sealed.encode()).decode()
    except InvalidToken:
        return None


def seal_bytes(secret: bytes) -> str:
    """As short as can be, for a column that has no room for more."""
    nonce = secrets.token_bytes(NONCE)
    return base64.b64encode(nonce + _short(settings.SECRET_KEY).encrypt(nonce, secret, None)).decode()


def unseal_bytes(sealed: str) -> bytes | None:
    """The secret again; None if it was sealed with a key that this installation no longer has."""
    raw = base64.b64decode(sealed)
    for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        try:
            return _short(key).decrypt(raw[:NONCE], raw[NONCE:], None)
        except InvalidTag:
            continue
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
def _short(key: str) -> AESGCM:
    return AESGCM(_key(key, SHORT))


@cache
def _key(secret: str, purpose: bytes = PURPOSE) -> bytes:
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=purpose).derive(secret.encode())
