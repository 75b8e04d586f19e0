"""The part of the client that is about people, their tokens and projects, and the machines that may work for them."""

from collections.abc import Iterator, Sequence

from phylon.connection import Connection
from phylon.contract.accounts import (
    AuditFilter,
    AuditRecord,
    Invitation,
    Me,
    Member,
    NewInvitation,
    NewToken,
    Person,
    Project,
    ResetLink,
    SignIn,
    Token,
)
from phylon.contract.vocabulary import Role, Scope
from phylon.contract.workers import EnrolmentCode

_ALL = AuditFilter()


class AccountsClient(Connection):
    def me(self) -> Me:
        """Who this connection stands for."""
        return self._get("/accounts/me", Me)

    def sign_in(self, email: str, password: str) -> Me:
        """For as long as this connection lasts; scripts use a token instead."""
        body = {"email": email, "password": password}
        return self._read(Me, self._transport.sign_in("/accounts/sign-in", body))

    def sign_out(self) -> None:
        """Ends the sign-in, or revokes the token that this connection uses."""
        self._transport.request("POST", "/accounts/sign-out")

    def change_password(self, current: str, new: str) -> Me:
        """Ends all other sign-ins. Tokens stay."""
        body = {"current": current, "new": new}
        return self._read(Me, self._transport.request("PUT", "/accounts/password", json=body))

    def sign_ins(self) -> list[SignIn]:
        """The browsers in which one is signed in."""
        return self._list("/accounts/sign-ins", SignIn)

    def end_sign_in(self, id: str) -> None:
        self._transport.request("DELETE", f"/accounts/sign-ins/{id}")

    def tokens(self) -> list[Token]:
        """One's own."""
        return self._list("/accounts/tokens", Token)

    def create_token(self, name: str, scopes: Sequence[Scope] = (Scope.READ, Scope.WRITE), days: int = 30) -> NewToken:
        """Its secret is in this answer and never shown again."""
        body = {"name": name, "scopes": list(scopes), "days": days}
        return self._read(NewToken, self._transport.request("POST", "/accounts/tokens", json=body))

    def revoke_token(self, id: int) -> None:
        self._transport.request("DELETE", f"/accounts/tokens/{id}")

    def people(self) -> list[Person]:
        """Everyone for admins of the service; for others those with whom they share a project."""
        return self._list("/accounts/people", Person)

    def change_person(self, id: int, is_admin: bool | None = None, is_disabled: bool | None = None) -> Person:
        body = {"is_admin": is_admin, "is_disabled": is_disabled}
        return self._read(Person, self._transport.request("PATCH", f"/accounts/people/{id}", json=body))

    def create_reset_link(self, id: int) -> ResetLink:
        """With which this person chooses a new password, once, within 24 hours."""
        return self._read(ResetLink, self._transport.request("POST", f"/accounts/people/{id}/reset-link"))

    def invitations(self) -> list[Invitation]:
        return self._list("/accounts/invitations", Invitation)

    def invite(self, email: str, project: str, role: Role = Role.MEMBER) -> NewInvitation:
        """The link in the answer works once, within 72 hours; it is for the invited person alone."""
        body = {"email": email, "project": project, "role": role}
        return self._read(NewInvitation, self._transport.request("POST", "/accounts/invitations", json=body))

    def withdraw_invitation(self, id: int) -> None:
        self._transport.request("DELETE", f"/accounts/invitations/{id}")

    def projects(self) -> list[Project]:
        return self._list("/accounts/projects", Project)

    def create_project(self, name: str) -> Project:
        return self._read(Project, self._transport.request("POST", "/accounts/projects", json={"name": name}))

    def rename_project(self, id: int, name: str) -> Project:
        return self._read(Project, self._transport.request("PATCH", f"/accounts/projects/{id}", json={"name": name}))

    def share_project(
        self,
        id: int,
        weight: float = 1.0,
        max_running: int | None = None,
        weekly_device_hours: float | None = None,
        allows_preemption: bool = False,
    ) -> Project:
        """Sets all of its share of the queue."""
        body = {
            "weight": weight,
            "max_running": max_running,
            "weekly_device_hours": weekly_device_hours,
            "allows_preemption": allows_preemption,
        }
        return self._read(Project, self._transport.request("PUT", f"/accounts/projects/{id}/share", json=body))

    def members(self, project_id: int) -> list[Member]:
        return self._list(f"/accounts/projects/{project_id}/members", Member)

    def set_member(self, project_id: int, email: str, role: Role) -> Member:
        """Adds someone who has an account, or changes their role."""
        path, body = f"/accounts/projects/{project_id}/members", {"email": email, "role": role}
        return self._read(Member, self._transport.request("PUT", path, json=body))

    def remove_member(self, project_id: int, person_id: int) -> None:
        """What they own stays in the project."""
        self._transport.request("DELETE", f"/accounts/projects/{project_id}/members/{person_id}")

    def audit(self, limit: int | None = None, wanted: AuditFilter = _ALL) -> list[AuditRecord]:
        """The newest first: all that are wanted, or at most `limit`."""
        return self._list("/accounts/audit", AuditRecord, limit, **wanted.model_dump(mode="json"))

    def export_audit(self, wanted: AuditFilter = _ALL) -> Iterator[str]:
        """The audit log, one JSON document per line, the newest first."""
        with self._transport.stream("/accounts/audit.ndjson", params=wanted.model_dump(mode="json")) as answer:
            yield from answer.iter_lines()

    def create_enrolment_code(self, name: str | None = None, labels: Sequence[str] = ()) -> EnrolmentCode:
        """With which one machine can become a worker, within an hour."""
        body = {"name": name, "labels": list(labels)}
        return self._read(EnrolmentCode, self._transport.request("POST", "/workers/codes", json=body))

    def revoke_worker(self, id: int) -> None:
        """Its credential counts no more, and what it executes goes to others."""
        self._transport.request("POST", f"/workers/{id}/revoke")
