"""What the table of experiments keeps of the results of their runs."""

import math
from collections.abc import Iterable

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from phylon.backend.models import Experiment, Run


def keep_returns(session: Session, experiment_id: int) -> None:
    """After a change of the returns of one of its runs."""
    session.flush()
    # Locked before its runs are read: two of them may report at the same moment, and the second must see the first.
    locked = select(Experiment.id).where(Experiment.id == experiment_id).with_for_update(key_share=True)
    session.execute(locked)
    runs = session.execute(
        select(Run.final, Run.best_return, Run.last_return).where(Run.experiment_id == experiment_id)
    ).all()
    finals = _numbers(float(final["mean"]) for final, _, _ in runs if final is not None)
    session.execute(
        update(Experiment)
        .where(Experiment.id == experiment_id)
        .values(
            final_return=sum(finals) / len(finals) if finals else None,
            best_return=max(_numbers(best for _, best, _ in runs), default=None),
            last_return=max(_numbers(last for _, _, last in runs), default=None),
        )
    )


def _numbers(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None and not math.isnan(value)]
