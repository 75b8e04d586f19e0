"""What a check found."""

from typing import NamedTuple

from phylon.contract.environment_checks import Verdict


class Finding(NamedTuple):
    subject: str
    verdict: Verdict
    message: str
    remedy: str = ""
    """What to do about it; empty where nothing has to be done."""
