"""A ready-made experiment."""

from backend.kit.schema import Schema


class PresetRead(Schema):
    name: str
    description: str
    smoke: bool
    """Finishes in about a minute on two CPU cores."""
    yaml: str
