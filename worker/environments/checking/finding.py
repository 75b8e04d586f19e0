"""What a check found."""

from typing import Literal, NamedTuple

Verdict = Literal["ok", "slow", "wrong"]


class Finding(NamedTuple):
    subject: str
    verdict: Verdict
    message: str
    remedy: str = ""
    """What to do about it; empty where nothing has to be done."""
