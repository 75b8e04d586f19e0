"""A team for the tests of accounts: people with roles in a project, one in another project, an admin of the service."""

from typing import Any

from fastapi import FastAPI
from starlette.testclient import TestClient

from phylon.backend.accounts.authentication import viewer_of
from phylon.backend.accounts.tokens import service as tokens
from phylon.backend.accounts.viewer import ALL_SCOPES
from phylon.backend.context import Context
from phylon.backend.kit import clock
from phylon.backend.models import Membership, Project, User
from phylon.contract.accounts import TokenRequest
from phylon.contract.vocabulary import Role, Scope

PUBLIC_URL = "https://phylon.example.org"
PASSWORD = "correct horse battery staple"
HASH = (
    "$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$"  # weak, so that it is made again at the first sign-in
    "lUbZ8Jzij/5bOe3RDFNWB4YcFPBWi0usvNmLvSsyG7I"
)
PEOPLE: dict[str, tuple[str, Role] | None] = {
    "watcher": ("alpha", Role.VIEWER),
    "owner": ("alpha", Role.MEMBER),
    "other": ("alpha", Role.MEMBER),
    "lead": ("alpha", Role.ADMIN),
    "stranger": ("beta", Role.MEMBER),
    "admin": None,
}


class Team:
    """`as_` is a client that sends a person's token; `browser` is one without any."""

    def __init__(self, app: FastAPI) -> None:
        self.app = app
        self.context: Context = app.state.context
        self.browser = TestClient(app, base_url=PUBLIC_URL)
        self.ids: dict[str, int] = {}
        self.projects: dict[str, int] = {}
        self._clients: dict[str, TestClient] = {}
        with self.context.database.write() as session:
            for name in ("alpha", "beta"):
                project = Project(name=name, created_at=clock.now())
                session.add(project)
                session.flush()
                self.projects[name] = project.id
            for name, place in PEOPLE.items():
                user = User(
                    email=f"{name}@example.org",
                    name=name,
                    password_hash=HASH,
                    is_admin=name == "admin",
                    created_at=clock.now(),
                )
                session.add(user)
                session.flush()
                self.ids[name] = user.id
                if place is not None:
                    project, role = place
                    session.add(Membership(project_id=self.projects[project], user_id=user.id, role=role))

    def token(self, name: str, *scopes: Scope) -> str:
        with self.context.database.write() as session:
            viewer = viewer_of(session, session.get_one(User, self.ids[name]), ALL_SCOPES, None)
            return tokens.create(session, viewer, TokenRequest(name="tests", scopes=list(scopes or Scope))).secret

    def as_(self, name: str, *scopes: Scope) -> TestClient:
        key = " ".join((name, *scopes))
        if key not in self._clients:
            headers = {"Authorization": f"Bearer {self.token(name, *scopes)}"}
            self._clients[key] = TestClient(self.app, base_url=PUBLIC_URL, headers=headers)
        return self._clients[key]

    def sign_in(self, name: str, password: str = PASSWORD, **headers: str) -> Any:
        body = {"email": f"{name}@example.org", "password": password}
        return self.browser.post("/api/v1/accounts/sign-in", json=body, headers={"Origin": PUBLIC_URL, **headers})
