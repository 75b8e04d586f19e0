"""The parts that live as long as the process and that requests share."""

from dataclasses import dataclass, field
from functools import cached_property

from phylon.backend.artifacts.storage import Store
from phylon.backend.artifacts.stores import open_store
from phylon.backend.kit.database import Database
from phylon.backend.kit.doorbell import Doorbell
from phylon.backend.monitoring.meters import Meters, make_meters
from phylon.backend.settings import Settings


@dataclass(frozen=True)
class Context:
    settings: Settings
    database: Database
    doorbell: Doorbell
    meters: Meters = field(default_factory=make_meters)

    @cached_property
    def artifacts(self) -> Store:
        return open_store(self.settings.artifacts)
