"""People, how they prove who they are, the projects they share, and the record of what they did."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from phylon.contract.base import ReadModel, Request
from phylon.contract.vocabulary import LinkPurpose, Role, Scope

Email = Annotated[str, Field(max_length=254, pattern=r"^[^@\s]+@[^@\s]+$")]
Name = Annotated[str, Field(min_length=1, max_length=100, pattern=r"\S")]
Days = Annotated[int, Field(ge=1, le=365)]


class PersonName(ReadModel):
    """Someone to whom something belongs."""

    id: int
    name: str


class ProjectName(ReadModel):
    """The project to which something belongs."""

    id: int
    name: str


class ProjectRole(ProjectName):
    role: Role


class Me(ReadModel):
    """Who asks, and what they may do."""

    id: int
    name: str
    email: str
    is_admin: bool
    """Of the whole service."""
    has_accounts: bool
    """False for a service that trusts everyone who reaches it: there is nobody to sign in as."""
    projects: list[ProjectRole]


class SignInRequest(Request):
    email: Email
    password: str


class FirstAdminRequest(Request):
    code: str
    email: Email
    name: Name
    password: str


class LinkRequest(Request):
    purpose: LinkPurpose
    code: str


class OneTimeLink(ReadModel):
    """For whom a link is and what it gives; what does not apply to its purpose is none."""

    email: str | None
    project: str | None
    role: Role | None
    expires_at: datetime


class PasswordReset(Request):
    code: str
    password: str


class ResetLink(ReadModel):
    email: str
    link: str
    """Shown this once. The first to open it chooses the password."""
    expires_at: datetime


class SignIn(ReadModel):
    """A browser in which one is signed in."""

    id: str
    created_at: datetime
    last_seen_at: datetime
    """To the minute."""
    address: str | None
    browser: str | None
    """As it names itself."""
    is_current: bool
    """It is the one that asks."""


class PasswordChange(Request):
    current: str
    new: str


class TokenRequest(Request):
    name: Name
    """What it is for."""
    scopes: Annotated[list[Scope], Field(min_length=1)] = Field(default=[Scope.READ, Scope.WRITE])
    days: Days = 30
    """Until it expires."""


class Token(ReadModel):
    id: int
    name: str
    scopes: list[Scope]
    created_at: datetime
    expires_at: datetime
    last_used_at: datetime | None
    """To the minute."""


class NewToken(Token):
    secret: str
    """Shown this once: the service keeps a hash alone."""


class Person(ReadModel):
    id: int
    name: str
    email: str
    is_admin: bool
    created_at: datetime
    disabled_at: datetime | None


class PersonChange(Request):
    """What is left out stays as it is."""

    is_admin: bool | None = None
    is_disabled: bool | None = None
    """Disabling ends all sessions and tokens."""


class Project(ReadModel):
    id: int
    name: str
    created_at: datetime
    weight: float
    """Its share of the devices, relative to other projects'."""
    max_running: int | None
    """Devices that its jobs may occupy at once."""
    weekly_device_hours: float | None
    allows_preemption: bool
    """Its jobs may be asked to hand back at a checkpoint for one of a higher class."""
    role: Role | None
    """The viewer's own; none for admins of the service who do not belong to it."""


class ProjectRequest(Request):
    name: Name


class ProjectShare(Request):
    """A project's part of the queue."""

    weight: Annotated[float, Field(gt=0, le=1000)] = 1.0
    max_running: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    weekly_device_hours: Annotated[float, Field(ge=0, le=1_000_000_000)] | None = None
    allows_preemption: bool = False


class Member(ReadModel):
    id: int
    """Of the person."""
    name: str
    email: str
    role: Role


class MemberRequest(Request):
    """Someone who has an account. Who is a member already gets the role."""

    email: Email
    role: Role


class InvitationRequest(Request):
    email: Email
    project: str
    """Its name."""
    role: Role = Role.MEMBER


class Invitation(ReadModel):
    id: int
    email: str
    project: ProjectName
    role: Role
    created_at: datetime
    expires_at: datetime


class NewInvitation(Invitation):
    link: str
    """Shown this once. The first to open it chooses the password."""


class InvitationAcceptance(Request):
    code: str
    name: Name
    password: str


class AuditFilter(Request):
    """Which records are wanted; what is none does not matter."""

    actor: str | None = None
    """A part of their name or of the e-mail address that was tried."""
    action: str | None = None
    """`experiment.stop`, or `experiment` for all that was done with experiments."""
    target: str | None = None
    """`experiment 3`, as records have it."""
    project: int | None = None
    since: datetime | None = None
    until: datetime | None = None


class AuditRecord(ReadModel):
    id: int
    at: datetime
    actor_id: int | None
    actor: str
    """Their name, or the e-mail address that was tried."""
    address: str | None
    action: str
    target: str
    project_id: int | None
    detail: dict[str, Any]
