"""One value of an experiment's spec, or the newest value of one of its metrics, where a table finds it quickly.

To read a value out of ten thousand specs takes SQLite 150 ms; to read it here, five.
"""

from sqlalchemy import Double, ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from phylon.backend.models.base import Base

LONGEST_TEXT = 200


class ExperimentValue(Base):
    __tablename__ = "experiment_values"
    __table_args__ = {"sqlite_with_rowid": False}  # noqa: RUF012 - all values of a path lie side by side

    path: Mapped[str] = mapped_column(String(250), primary_key=True)
    """`spec.` and the dotted path of the value, or `metric.` and the metric's name."""
    experiment_id: Mapped[int] = mapped_column(
        ForeignKey("experiments.id", ondelete="CASCADE"), primary_key=True, index=True
    )
    replicate: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    """Of the run whose metric it is; 0 for a value of the spec."""
    number: Mapped[float | None] = mapped_column(Double)
    text: Mapped[str | None] = mapped_column(String(LONGEST_TEXT))
    """As one would write it, cut where it is long; None for metrics."""
