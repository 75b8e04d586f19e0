"""The parts that live as long as the process and that requests share."""

from dataclasses import dataclass

from phylon.backend.kit.database import Database
from phylon.backend.kit.doorbell import Doorbell
from phylon.backend.settings import Settings


@dataclass(frozen=True)
class Context:
    settings: Settings
    database: Database
    doorbell: Doorbell
