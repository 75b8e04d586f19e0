"""The store that the settings name."""

from pathlib import Path

from phylon.backend.artifacts.bucket import Bucket
from phylon.backend.artifacts.directory import Directory
from phylon.backend.artifacts.storage import Store


def open_store(place: Path | str) -> Store:
    """A directory for a path, a bucket for an address."""
    return Directory(place) if isinstance(place, Path) else Bucket(place)
