"""Passwords: what one must be like, and argon2, which makes each guess at a stolen hash expensive."""

import os
import threading
import unicodedata
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from phylon.backend.kit.errors import Invalid

SHORTEST, LONGEST = 15, 128

_hasher = PasswordHasher()
_at_once = threading.BoundedSemaphore(max(1, (os.cpu_count() or 1) // 2))
"""A hash takes 64 MiB and a core: however many sign in at once, the service keeps some for everyone else."""


class PasswordRefused(Invalid):
    """The password is too short or too long."""

    def __init__(self, length: int) -> None:
        super().__init__(
            f"The password has {length} characters.",
            f"Use {SHORTEST} to {LONGEST} characters; a few words that do not belong together are easy to remember.",
        )


def check(password: str) -> None:
    if not SHORTEST <= len(_normal(password)) <= LONGEST:
        raise PasswordRefused(len(_normal(password)))


def make_hash(password: str) -> str:
    with _at_once:
        return _hasher.hash(_normal(password))


def matches(password_hash: str | None, password: str) -> bool:
    """Takes as long when there is no hash, so that nobody learns who has an account."""
    if len(password) > 4 * LONGEST:
        return False
    with _at_once:
        nobodys = _nobodys_hash()  # made whether or not it is needed: the first to sign in waits for it, known or not
        try:
            return _hasher.verify(password_hash or nobodys, _normal(password)) and password_hash is not None
        except (VerificationError, InvalidHashError):
            return False


def is_outdated(password_hash: str) -> bool:
    """Made with weaker parameters than today's."""
    return _hasher.check_needs_rehash(password_hash)


def _normal(password: str) -> str:
    """The same characters, however a keyboard composed them."""
    return unicodedata.normalize("NFKC", password)


@cache
def _nobodys_hash() -> str:
    return _hasher.hash(os.urandom(16).hex())
