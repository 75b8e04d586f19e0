"""Who asks, and what they may do. Every query is limited to what the viewer may see."""

from collections.abc import Mapping
from typing import NamedTuple

from phylon.backend.models import DEFAULT_PROJECT, LOCAL_USER
from phylon.contract.vocabulary import Role, Scope

ALL_SCOPES = frozenset(Scope)


class Owner(NamedTuple):
    """To whom, and to which project, something new belongs."""

    user_id: int
    project_id: int


class Caller(NamedTuple):
    """Where a request comes from, as far as that is known."""

    address: str | None
    """IP address."""
    browser: str | None
    """As it names itself."""


class Viewer(NamedTuple):
    user_id: int
    name: str
    is_admin: bool
    """Of the whole service: sees and may change everything."""
    roles: Mapping[int, Role]
    """By the number of the project."""
    scopes: frozenset[Scope] = ALL_SCOPES
    """Of the token. Without `admin`, `is_admin` is false and no role is above member, whatever the owner may do."""
    address: str | None = None
    """The IP address that the request came from."""


LOCAL_VIEWER = Viewer(LOCAL_USER, "local", is_admin=True, roles={DEFAULT_PROJECT: Role.ADMIN})
"""Anyone who reaches a service without accounts."""

LOCAL_OWNER = Owner(LOCAL_USER, DEFAULT_PROJECT)
