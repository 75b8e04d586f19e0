"""Charges for use: when an attempt has ended, its device-seconds go to its owner's account, once."""

from datetime import datetime

from sqlalchemy.orm import Session

from phylon.backend.models import Usage
from phylon.backend.queue import repository
from phylon.backend.queue.shares import accrue, fade


def charge_ended(session: Session, now: datetime, half_life: float) -> None:
    """The mark and the charge are one transaction of the one scheduler, so nothing is charged twice or forgotten,
    whichever process ended the attempt and whenever this one was away."""
    ended = repository.uncharged(session)
    if not ended:
        return
    accounts = {(usage.project_id, usage.user_id): usage for usage in repository.usages(session)}
    for row in ended:
        key = row.project_id, row.owner_id
        if key not in accounts:
            accounts[key] = Usage(project_id=key[0], user_id=key[1], device_seconds=0.0, updated_at=now)
            session.add(accounts[key])
        usage = accounts[key]
        used = accrue(row.devices, (row.ended_at - row.claimed_at).total_seconds(), half_life)
        usage.device_seconds = fade(usage.device_seconds, (now - usage.updated_at).total_seconds(), half_life) + fade(
            used, (now - row.ended_at).total_seconds(), half_life
        )
        usage.updated_at = now
    session.flush()
    repository.mark_charged(session, [(row.job_id, row.number) for row in ended])
