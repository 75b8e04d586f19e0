"""One value per member at one tick."""

from sqlalchemy import BigInteger, Double, ForeignKey, Index, LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column

from phylon.backend.models.base import Base


class MetricFrame(Base):
    """Read by event for the stream and by name for charts, hence the second index."""

    __tablename__ = "metric_frames"
    __table_args__ = (Index(None, "run_id", "name", "seq"),)

    run_id: Mapped[int] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)
    seq: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    name: Mapped[str] = mapped_column(String(200), primary_key=True)
    step: Mapped[int] = mapped_column(BigInteger)
    wall: Mapped[float] = mapped_column(Double)
    data: Mapped[bytes] = mapped_column(LargeBinary)
    """float32, little-endian: one value per member, or a single one for the population."""
