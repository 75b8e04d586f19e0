"""A service with accounts on Postgres, a project with people in every role, and another project that they must not see.

The service is a process of its own; accounts are written to its database beside it.
"""

import contextlib
import os
import sys
from pathlib import Path
from typing import Any

import httpx
from sqlalchemy import delete, update

from phylon.backend.accounts import codes
from phylon.backend.accounts.codes import Purpose
from phylon.backend.app import create_app
from phylon.backend.migrate import migrate
from phylon.backend.models import Membership, User, Worker
from phylon.backend.settings import Settings
from phylon.spec import study_to_yaml
from tests.backend.conftest import SPEC, WorkerClient
from tests.backend.studies import SPEC as STUDY
from tests.backend.team import PEOPLE, Team
from tests.chaos.fleet import wait
from tests.chaos.postgres import Postgres
from tests.conftest import Process, free_port

SECRET = "beta-must-not-be-seen"
"""In the name of whatever the other project has."""
PERSON_OF = {"viewer": "watcher", "member": "owner", "project admin": "lead", "admin": "admin"}
ROLES = ("nobody", *PERSON_OF, "worker")
ANSWER_SECONDS = 60.0
"""On a busy machine; one that takes longer is a finding."""
OUTSIDE_BETA = ("nobody", "viewer", "member", "project admin")


class World:
    def __init__(self, folder: Path) -> None:
        self._postgres = Postgres()
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        environment = os.environ | {
            "PHYLON_HOME": str(folder),
            "PHYLON_DATABASE_URL": self._postgres.url,
            "PHYLON_REDIS_URL": f"redis+socket://{folder}/no-redis.sock",
            "PHYLON_PUBLIC_URL": self.url,
            "PHYLON_TRUSTED_PROXIES": "127.0.0.1",
            "PHYLON_WEBHOOK_ALLOW_PRIVATE": "1",  # its own machine is the only one that a test may call
        }
        command = [sys.executable, "-m", "phylon.backend.serve", "--port", str(port)]
        self.api = Process("api", command, environment, folder)
        settings = Settings(self._postgres.url, folder / "artifacts", environment["PHYLON_REDIS_URL"], self.url)
        migrate(self._postgres.url)
        self._app = create_app(settings)
        self._context = self._app.state.context
        self._callers = 0
        self._http = httpx.Client(timeout=ANSWER_SECONDS)
        self._headers: dict[str, dict[str, str]] = {}
        self.ids: dict[str, list[int]] = {}
        """By the noun of a route: something of the project's own, and something of the other's."""
        try:
            self._settle()
        except BaseException:
            self.close()
            raise

    def _settle(self) -> None:
        self.api.start()
        wait(self._answers, "the API to answer")
        self._team = Team(self._app)
        self.refresh()
        theirs = self._make("stranger", "beta", SECRET)
        ours = self._make("owner", "alpha", "alpha")
        self.ids = {noun: [ours[noun], theirs[noun]] for noun in ours}
        self.ids["workers"] = [self._worker_id]
        self.ids["worker"] = [self._worker_id]
        self.ids["projects"] = [self._team.projects["alpha"], self._team.projects["beta"]]
        self.ids["people"] = list(self._team.ids.values())
        self.ids["jobs"] = list(range(1, 9))

    def _make(self, person: str, project: str, name: str) -> dict[str, int]:
        headers = {"Authorization": f"Bearer {self._team.token(person)}"}
        hook = {
            "project_id": self._team.projects[project],
            "url": "http://127.0.0.1:9/hook",
            "events": ["run.finished"],
        }
        common = {key: value for key, value in SPEC.items() if key not in ("name", "version", "kind")}
        group = {"version": 1, "name": name, "kind": "group", "base": common, "experiments": {"a": {}}}
        study = study_to_yaml(STUDY.model_copy(update={"name": name}))
        lead = {"Authorization": f"Bearer {self._team.token('admin')}"}

        def post(path: str, body: dict[str, Any], headers: dict[str, str] = headers) -> Any:
            answer = self._http.post(f"{self.url}/api/v1/{path}", json=body, headers=headers)
            assert answer.is_success, answer.text
            return answer.json()

        experiment = post("experiments", {"spec": SPEC | {"name": name}, "project": project})
        return {
            "experiments": experiment["id"],
            "runs": experiment["runs"][0]["id"],
            "groups": post("groups", {"spec": group, "project": project})["id"],
            "studies": post("studies", {"yaml": study, "project": project})["id"],
            "tokens": post("accounts/tokens", {"name": name})["id"],
            "webhooks": post("webhooks", hook | {"format": "json"}, lead)["id"],
            "invitations": post("accounts/invitations", {"email": f"{name}@example.org", "project": project}, lead)[
                "id"
            ],
        }

    def refresh(self) -> None:
        """Whatever requests did to them: the people have their roles again, and everyone a credential."""
        with self._context.database.write() as session:
            session.execute(update(User).values(disabled_at=None, is_admin=User.name == "admin"))
            session.execute(delete(Membership).where(Membership.project_id.in_(self._team.projects.values())))
            for name, place in PEOPLE.items():
                if place is not None:
                    project, role = self._team.projects[place[0]], place[1]
                    session.add(Membership(project_id=project, user_id=self._team.ids[name], role=role))
            session.execute(update(Worker).values(revoked_at=None, draining_since=None, quarantined_at=None))
            code = codes.issue(session, Purpose.ENROLMENT, {"name": None}).code
        body = {"code": code, "registration": WorkerClient.registration("of the team")}
        enrolled = self._http.post(f"{self.url}/api/v1/worker/enrol", json=body, headers=self.address())
        assert enrolled.is_success, enrolled.text
        credential = {"Authorization": f"Bearer {enrolled.json()['credential']}"}
        self._headers = {
            "nobody": {},
            "worker": credential,
            **{role: {"Authorization": f"Bearer {self._team.token(person)}"} for role, person in PERSON_OF.items()},
        }
        answer = self._http.post(f"{self.url}/api/v1/worker/register", json=body["registration"], headers=credential)
        self._worker_id = answer.json()["worker_id"]

    def headers(self, role: str) -> dict[str, str]:
        return self._headers[role] | self.address()

    def address(self) -> dict[str, str]:
        """Another one each time: how often one address may ask is tested elsewhere."""
        self._callers += 1
        return {"X-Forwarded-For": f"10.{self._callers // 65536}.{self._callers // 256 % 256}.{self._callers % 256}"}

    def _answers(self) -> bool:
        with contextlib.suppress(httpx.HTTPError):
            return self._http.get(f"{self.url}/api/v1/health").is_success
        return False

    def close(self) -> None:
        self.api.close()
        self._http.close()
        self._context.doorbell.close()
        self._context.database.dispose()
        self._postgres.close()
