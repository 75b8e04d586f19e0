"""The parts that live as long as the process and that requests share."""

from dataclasses import dataclass

from backend.kit.database import Database
from backend.kit.doorbell import Doorbell
from backend.settings import Settings


@dataclass(frozen=True)
class Context:
    settings: Settings
    database: Database
    doorbell: Doorbell
