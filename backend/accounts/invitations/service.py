"""Invitations: links by which new people come in. An admin hands one over; the service sends no mail."""

from sqlalchemy.orm import Session

from phylon.backend.accounts import audit, codes, passwords, repository
from phylon.backend.accounts import service as accounts
from phylon.backend.accounts.codes import Purpose
from phylon.backend.accounts.projects import repository as projects
from phylon.backend.accounts.projects.service import ProjectUnknown
from phylon.backend.accounts.rights import has_role, require_project_admin
from phylon.backend.accounts.service import EmailTaken, SignedIn
from phylon.backend.accounts.viewer import Caller, Viewer
from phylon.backend.context import Context
from phylon.backend.kit import clock
from phylon.backend.kit.errors import NotFound
from phylon.backend.models import OneTimeCode
from phylon.contract.accounts import Invitation, InvitationAcceptance, InvitationRequest, NewInvitation, ProjectName
from phylon.contract.vocabulary import Role


def create(session: Session, viewer: Viewer, public_url: str, body: InvitationRequest) -> NewInvitation:
    project = projects.find_by_name(session, body.project)
    if project is None or not (viewer.is_admin or project.id in viewer.roles):
        raise ProjectUnknown(body.project, [known.name for known in projects.known_to(session, viewer)])
    require_project_admin(session, viewer, project.id, project.name)
    email = body.email.lower()
    if repository.find_user_by_email(session, email) is not None:
        raise EmailTaken(email)
    issued = codes.issue(session, Purpose.INVITATION, {"email": email, "role": body.role.value}, project.id)
    audit.record(
        session,
        viewer,
        "invitation.create",
        f"invitation {issued.row.id}",
        project_id=project.id,
        email=email,
        role=body.role,
    )
    link = codes.link(public_url, Purpose.INVITATION, issued.code)
    return NewInvitation(**dict(_read(issued.row, {project.id: project.name})), link=link)


def list_all(session: Session, viewer: Viewer) -> list[Invitation]:
    """Of the projects of which the viewer is an admin."""
    rows = [row for row in repository.codes(session, Purpose.INVITATION, clock.now()) if _may_manage(viewer, row)]
    names = repository.projects(session, [row.project_id for row in rows if row.project_id is not None])
    return [_read(row, names) for row in rows]


def withdraw(session: Session, viewer: Viewer, invitation_id: int) -> None:
    for row in repository.codes(session, Purpose.INVITATION, clock.now()):
        if row.id == invitation_id and _may_manage(viewer, row):
            session.delete(row)
            audit.record(
                session, viewer, "invitation.withdraw", f"invitation {invitation_id}", project_id=row.project_id
            )
            return
    raise NotFound("invitation", invitation_id)


def accept(context: Context, body: InvitationAcceptance, caller: Caller) -> SignedIn:
    passwords.check(body.password)
    with context.database.write() as session:
        codes.find(session, Purpose.INVITATION, body.code)
    password_hash = passwords.make_hash(body.password)
    with context.database.write() as session:
        invitation = codes.find(session, Purpose.INVITATION, body.code)
        assert invitation.project_id is not None  # invitations have one
        user = accounts.add_person(session, invitation.detail["email"], body.name, password_hash, is_admin=False)
        projects.set_role(session, invitation.project_id, user.id, invitation.detail["role"])
        session.delete(invitation)
        session.flush()
        return accounts.begin(session, context, user, caller)


def _may_manage(viewer: Viewer, row: OneTimeCode) -> bool:
    return row.project_id is not None and has_role(viewer, row.project_id, Role.ADMIN)


def _read(row: OneTimeCode, names: dict[int, str]) -> Invitation:
    assert row.project_id is not None  # invitations have one
    return Invitation(
        id=row.id,
        email=row.detail["email"],
        project=ProjectName(id=row.project_id, name=names[row.project_id]),
        role=Role(row.detail["role"]),
        created_at=row.created_at,
        expires_at=row.expires_at,
    )
