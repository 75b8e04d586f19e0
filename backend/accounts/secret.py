"""Secrets that the service makes: random, recognisable, and stored as hashes alone.

A token is a prefix, 30 random characters and their checksum, so that a scanner of published files knows one when it
sees it, and a mistyped one is refused without a look into the database. They have 178 random bits, so that a fast hash
is enough: there is nothing to guess.
"""

import hashlib
import secrets
import string
import zlib

PERSONAL = "phylon_"
WORKER = "phylonw_"

_BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase
_RANDOM, _CHECK = 30, 6


def make_token(prefix: str) -> str:
    body = "".join(secrets.choice(_BASE62) for _ in range(_RANDOM))
    return prefix + body + _checksum(body)


def is_token(text: str, prefix: str) -> bool:
    body = text.removeprefix(prefix)
    return text.startswith(prefix) and len(body) == _RANDOM + _CHECK and _checksum(body[:_RANDOM]) == body[_RANDOM:]


def make_secret() -> str:
    """256 bits that stand in an address or in a cookie."""
    return secrets.token_urlsafe(32)


def digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _checksum(body: str) -> str:
    number, characters = zlib.crc32(body.encode()), ""
    for _ in range(_CHECK):
        number, rest = divmod(number, len(_BASE62))
        characters = _BASE62[rest] + characters
    return characters
