"""OpenAPI entries of routes that take or answer with a file."""

from typing import Any

BINARY: dict[str, Any] = {"schema": {"type": "string", "format": "binary"}}


def file_response(*media_types: str) -> dict[int | str, dict[str, Any]]:
    """For a route's `responses`."""
    return {200: {"content": dict.fromkeys(media_types, BINARY), "description": "The file."}}
