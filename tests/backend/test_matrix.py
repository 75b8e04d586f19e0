"""Every route, asked by everyone: nobody sees or changes what is not theirs. A new route needs a row here."""

import base64
import hashlib
import json
from collections.abc import Callable
from typing import Any, NamedTuple

import httpx
import pytest
import yaml
from fastapi import FastAPI
from sqlalchemy import select

from phylon.backend.accounts import codes
from phylon.backend.accounts.codes import Purpose
from phylon.backend.models import Artifact, Job
from phylon.backend.openapi import document, operation_id
from phylon.backend.routes import router
from phylon.spec import study_to_yaml

from .checkpoints import checkpoint_file
from .conftest import SPEC, WorkerClient
from .policies import policy_archive
from .studies import MACHINE, MEASURED
from .studies import SPEC as STUDY
from .team import Team

DATABASES = ("sqlite",)
"""Rights are decided by the same statements on both."""

ROLES = ("anonymous", "watcher", "owner", "other", "lead", "stranger", "admin", "worker")
"""`owner` has made what is asked for, in a project of `watcher`, `other` (members) and `lead` (its admin)."""

STANDING = ("study", "evaluation", "environment_check")
"""What jobs are for beside runs."""
CHECK = {"environment": "CartPole-v1", "project": "alpha"}

ANY = (200, 200, 200, 200, 200, 200, 200, 200)
SIGNED_IN = (401, 200, 200, 200, 200, 200, 200, 401)
SEEN = (401, 200, 200, 200, 200, 404, 200, 401)
CHANGED = (401, 403, 200, 403, 200, 404, 200, 401)
SUBMITTED = (401, 403, 201, 201, 201, 422, 201, 401)
OF_LEAD = (401, 403, 403, 403, 200, 404, 200, 401)
OF_ADMIN = (401, 403, 403, 403, 403, 403, 200, 401)
REFUSED = {"owner": 409, "lead": 409, "admin": 409}
UNSEEN = {"watcher": 404, "owner": 404, "other": 404}
OF_WORKERS = (401, 401, 401, 401, 401, 401, 401, 200)


class World:
    """Makes what a request needs, new each time, since the request may change it."""

    def __init__(self, team: Team) -> None:
        self.team = team
        self.owner = team.as_("owner")
        self.worker = WorkerClient(team.browser)
        self.worker.register("of the team")

    def experiment(self, ended: bool = False) -> int:
        created = self.owner.post("/api/v1/experiments", json={"spec": SPEC, "project": "alpha"}).json()["id"]
        return self._ended("experiments", created) if ended else created

    def run(self, ended: bool = False) -> int:
        return self.owner.get(f"/api/v1/experiments/{self.experiment(ended)}").json()["runs"][0]["id"]

    def group(self, ended: bool = False) -> int:
        created = self.owner.post("/api/v1/groups", json=group_body() | {"project": "alpha"}).json()["id"]
        return self._ended("groups", created) if ended else created

    def view(self) -> int:
        return self.owner.post("/api/v1/views", json=VIEW | {"project": "alpha"}).json()["id"]

    def study(self, ended: bool = False) -> int:
        created = self.owner.post("/api/v1/studies", json=study_body()).json()["id"]
        return self._ended("studies", created) if ended else created

    def evaluation(self, ended: bool = False) -> int:
        created = self.owner.post("/api/v1/evaluations", json=self.evaluation_body()).json()["id"]
        return self._ended("evaluations", created) if ended else created

    def environment_check(self, ended: bool = False) -> int:
        created = self.owner.post("/api/v1/environment-checks", json=CHECK).json()["id"]
        return self._ended("environment-checks", created) if ended else created

    def evaluation_body(self) -> dict[str, Any]:
        return {"policies": [{"run": self.run_with_policy()}], "project": "alpha"}

    def _ended(self, path: str, number: int) -> int:
        assert self.owner.post(f"/api/v1/{path}/{number}/stop").is_success
        return number

    def run_with_history(self) -> int:
        """It has a lineage of one founder and has ended."""
        run_id = self.run()
        self._free_worker()
        self.worker.take(run_id)
        span: dict[str, Any] = {"id": 0, "slot": 0, "operator": "founder", "changes": {}, "weights": "00"}
        span |= dict.fromkeys(("parent", "hyperparams_before", "fitness", "parent_fitness", "rank"))
        span |= {"hyperparams": {"policy_learning_rate": 1e-3, "discount": 0.9}}
        lineage = {"kind": "lineage", "seq": 0, "step": 0, "wall": 0.0, "spans": [span]}
        returns = {
            **{"kind": "metrics", "seq": 1, "step": 10, "wall": 1.0},
            "frames": {"evaluation/return": [1.0, 2.0, 3.0, 4.0]},
        }
        stopped = {"kind": "stopped", "seq": 2, "step": 10, "wall": 2.0}
        answer = self.worker.report(run_id, 1, [lineage, returns, stopped])
        assert answer.is_success and answer.json()["next_seq"] == 3, answer.text
        return run_id

    def held_run(self) -> int:
        self._free_worker()
        run_id = self.run()
        self.worker.take(run_id)
        return run_id

    def _free_worker(self) -> None:
        with self.team.context.database.write() as session:
            for job in session.scalars(select(Job).where(Job.worker_id == self.worker.id)):
                job.worker_id, job.status = None, "stopped"

    def held_job(self) -> int:
        return self.worker.job_id(self.held_run())

    def artifact(self) -> int:
        run_id, content = self.held_run(), b"weights"
        self.worker.upload(run_id, 1, "000001.npz", content, hashlib.sha256(content).hexdigest())
        with self.team.context.database.read() as session:
            return session.scalars(select(Artifact.id).order_by(Artifact.id.desc())).first() or 0

    def run_with_checkpoint(self) -> int:
        run_id, content = self.held_run(), checkpoint_file()
        sha256 = hashlib.sha256(content).hexdigest()
        self.worker.upload(run_id, 1, "000001.npz", content, sha256, step=20)
        event = {"kind": "checkpoint", "seq": 0, "step": 20, "wall": 1.0, "number": 1, "file": "000001.npz"}
        answer = self.worker.report(run_id, 1, [event | {"bytes": len(content), "sha256": sha256}])
        assert answer.is_success, answer.text
        return run_id

    def run_with_policy(self) -> int:
        run_id, content = self.held_run(), policy_archive()
        self.worker.upload(run_id, 1, "policy.zip", content, hashlib.sha256(content).hexdigest())
        return run_id

    def job(self) -> int:
        """That waits for a worker."""
        self._free_worker()
        return self.worker.job_id(self.run())

    def sent_job(self) -> int:
        """That is on its way to the worker."""
        self._free_worker()
        run_id = self.run()
        self.worker.dispatch(run_id)
        return self.worker.job_id(run_id)

    def webhook_body(self) -> dict[str, Any]:
        return {
            "project_id": self.project(),
            "url": "https://1.1.1.1/hook",
            "events": ["run.finished"],
            "format": "json",
        }

    def webhook(self) -> int:
        return self.team.as_("admin").post("/api/v1/webhooks", json=self.webhook_body()).json()["id"]

    def invitation(self) -> int:
        body = {"email": "new@example.org", "project": "alpha"}
        return self.team.as_("admin").post("/api/v1/accounts/invitations", json=body).json()["id"]

    def code(self, purpose: Purpose, **detail: Any) -> str:
        project = self.team.projects["alpha"] if purpose == Purpose.INVITATION else None
        with self.team.context.database.write() as session:
            return codes.issue(session, purpose, detail, project).code

    def other_worker(self) -> int:
        worker = WorkerClient(self.team.browser)
        return worker.register("another")

    def member(self) -> int:
        body = {"email": "other@example.org", "role": "member"}
        self.team.as_("admin").put(f"/api/v1/accounts/projects/{self.project()}/members", json=body)
        return self.team.ids["other"]

    def project(self) -> int:
        return self.team.projects["alpha"]


VIEW: dict[str, Any] = {
    "name": "best",
    "query": "final > 3",
    "layout": {"columns": ["name", "final"], "sort": "-final", "group_by": None},
}


def group_body() -> dict[str, Any]:
    common = {key: value for key, value in SPEC.items() if key not in ("name", "version", "kind")}
    return {"spec": {"version": 1, "name": "both", "kind": "group", "base": common, "experiments": {"a": {}, "b": {}}}}


def study_body() -> dict[str, Any]:
    return {"yaml": study_to_yaml(STUDY), "project": "alpha"}


def upload_body() -> dict[str, Any]:
    lines = [{"spec": STUDY.model_dump(mode="json"), "machine": MACHINE}, *MEASURED]
    return {"content": "".join(json.dumps(line) + "\n" for line in lines), "project": "alpha"}


IMPORT: dict[str, Any] = {
    "name": "rival",
    "files": [{"path": "a.csv", "content": base64.b64encode(b"step,return\n1,2\n").decode()}],
    "project": "alpha",
}
LINEAGE = {"population_size": 1, "end_step": 1, "tuned": [], "spans": []}


class Row(NamedTuple):
    expected: tuple[int, ...]
    """By role, as in `ROLES`. 200 stands for every success."""
    fill: Callable[[World], dict[str, Any]] = lambda world: {}
    """Path parameters; `json`, `params` and `content` are the rest of the request."""
    is_empty_for_strangers: bool = False


def changed(expected: tuple[int, ...], **roles: int) -> tuple[int, ...]:
    return tuple(roles.get(role, status) for role, status in zip(ROLES, expected, strict=True))


def of_people(status: int) -> tuple[int, ...]:
    """The same for everyone who is signed in."""
    return changed(SIGNED_IN, **dict.fromkeys(ROLES[1:7], status))


def of(noun: str, **more: Any) -> Callable[[World], dict[str, Any]]:
    return lambda world: {"id": getattr(world, noun)(), **more}


def ended(noun: str, **more: Any) -> Callable[[World], dict[str, Any]]:
    return lambda world: {"id": getattr(world, noun)(ended=True), **more}


LISTED = Row(SIGNED_IN, lambda world: {"made": [getattr(world, noun)() for noun in ("run", "group", *STANDING)]}, True)
READ = Row(SIGNED_IN)

ACTED = ("experiment", "group", *STANDING, "run")

MATRIX: dict[str, Row] = {
    "get_health": Row(ANY),
    **dict.fromkeys(
        (
            *("list_algorithms", "list_environments", "list_methods", "list_presets", "list_suites", "list_workers"),
            "get_spec_schema",
        ),
        READ,
    ),
    "validate_spec": Row(SIGNED_IN, lambda world: {"json": {"yaml": "version: 2"}}),
    "advise_spec": Row(SIGNED_IN, lambda world: {"json": {"yaml": as_yaml()}}),
    "import_ray_lineage": Row(
        changed(SIGNED_IN, **dict.fromkeys(ROLES[1:7], 422)), lambda world: {"json": {"files": {}}}
    ),
    "summarise_lineage": Row(SIGNED_IN, lambda world: {"json": LINEAGE}),
    **dict.fromkeys(
        ("trace_span", "derive_span_schedule"),
        Row(of_people(404), lambda world: {"span": 5, "json": LINEAGE}),
    ),
    # what people make
    **dict.fromkeys(("list_experiments", "list_groups"), LISTED),
    **dict.fromkeys(("list_studies", "list_evaluations", "list_environment_checks"), LISTED),
    "create_experiment": Row(SUBMITTED, lambda world: {"json": {"spec": SPEC, "project": "alpha"}}),
    "create_group": Row(SUBMITTED, lambda world: {"json": group_body() | {"project": "alpha"}}),
    "create_study": Row(SUBMITTED, lambda world: {"json": study_body()}),
    "create_evaluation": Row(changed(SUBMITTED, stranger=404), lambda world: {"json": world.evaluation_body()}),
    "create_environment_check": Row(SUBMITTED, lambda world: {"json": CHECK}),
    "upload_study": Row(SUBMITTED, lambda world: {"json": upload_body()}),
    "create_import": Row(SUBMITTED, lambda world: {"json": IMPORT}),
    **dict.fromkeys(("list_fields", "list_views"), READ),
    "count_experiments": Row(SIGNED_IN, lambda world: {"made": world.run(), "params": {"by": "algorithm"}}, True),
    "act_on_experiments": Row(SIGNED_IN, lambda world: {"json": {"ids": [world.experiment()], "action": "star"}}),
    "create_view": Row(SUBMITTED, lambda world: {"json": VIEW | {"project": "alpha"}}),
    "change_view": Row(CHANGED, of("view", json={"name": "renamed"})),
    "delete_view": Row(CHANGED, of("view")),
    "change_experiment": Row(CHANGED, of("experiment", json={"tags": ["paper"], "archived": True})),
    "star_experiment": Row(SEEN, of("experiment", json={"starred": True})),
    "get_experiment": Row(SEEN, of("experiment")),
    "get_group": Row(SEEN, of("group")),
    **{f"get_{noun}": Row(SEEN, of(noun)) for noun in STANDING},
    "get_run": Row(SEEN, of("run")),
    **{f"stop_{noun}": Row(CHANGED, of(noun)) for noun in ACTED},
    **{f"pause_{noun}": Row(CHANGED, of(noun)) for noun in ACTED},
    **{f"resume_{noun}": Row(CHANGED, ended(noun)) for noun in ACTED},
    # Nothing failed and nothing was trained, so whoever may do it hears that there is nothing to do.
    **{f"retry_{noun}": Row(changed(CHANGED, **REFUSED), of(noun)) for noun in ACTED},
    **{
        f"extend_{noun}": Row(changed(CHANGED, **REFUSED), of(noun, json={"budget": {"env_steps": 4000}}))
        for noun in ("experiment", "group", "run")
    },
    "list_run_attempts": Row(SEEN, of("run")),
    "get_run_extension": Row(SEEN, of("run")),
    "get_run_forkable": Row(SEEN, of("run")),
    "list_run_forks": Row(SEEN, of("run")),
    "get_controls": Row(SEEN, of("run")),
    # The run has not finished.
    "start_controls": Row(changed(SEEN, **dict.fromkeys(ROLES[1:5], 409), admin=409), of("run", json={})),
    "draft_fork": Row(SEEN, of("run_with_checkpoint")),
    "fork_run": Row(changed(SUBMITTED, stranger=404), of("run_with_checkpoint", json={})),
    "get_queue": READ,
    "change_job": Row(CHANGED, of("job", json={"priority": "low"})),
    "delete_experiment": Row(CHANGED, ended("experiment")),
    "delete_group": Row(CHANGED, ended("group")),
    **{f"delete_{noun}": Row(CHANGED, ended(noun)) for noun in STANDING},
    **dict.fromkeys(
        ("list_run_artifacts", "list_run_logs", "list_metric_names", "get_run_lineage", "get_lineage_summary"),
        Row(SEEN, of("run")),
    ),
    "get_run_explanation": Row(SEEN, of("run_with_history")),
    **dict.fromkeys(("download_newick", "download_ray_logs"), Row(SEEN, of("run_with_history"))),
    "get_run_schedule": Row(SEEN, of("run_with_history", params={"member": "0"})),
    **dict.fromkeys(("get_span_ancestry", "get_span_schedule"), Row(SEEN, of("run_with_history", span=0))),
    "get_run_metrics": Row(SEEN, of("run", params={"name": "evaluation/return"})),
    **dict.fromkeys(
        ("get_comparison", "get_compared_curves", "get_compared_budgets", "get_pooled_explanation"),
        Row(SEEN, lambda world: {"params": {"experiments": [world.experiment()], "groups": [world.group()]}}),
    ),
    "download_comparison": Row(
        SEEN, lambda world: {"format": "csv", "params": {"experiments": [world.experiment()], "groups": []}}
    ),
    "export_run": Row(SEEN, of("run", table="metrics", format="csv")),
    "stream_run_events": Row(SEEN, ended("run")),
    "stream_events": Row(SIGNED_IN, lambda world: {"params": {"runs": world.run(ended=True)}}),
    **{f"stream_{noun}_events": Row(SEEN, ended(noun)) for noun in STANDING},
    **{f"list_{noun}_logs": Row(SEEN, of(noun)) for noun in STANDING},
    "get_run_policy": Row(SEEN, of("run_with_policy")),
    "download_artifact": Row(SEEN, of("artifact")),
    # people
    "create_first_admin": Row(
        (403,) * 8,  # there is an admin
        lambda world: {"json": person_body(world.code(Purpose.FIRST_ADMIN))},
    ),
    "accept_invitation": Row(
        ANY, lambda world: {"json": invited_body(world.code(Purpose.INVITATION, email=fresh_email(), role="member"))}
    ),
    "sign_in": Row((401,) * 8, lambda world: {"json": {"email": fresh_email(), "password": "wrong" * 4}}),
    "sign_out": Row(ANY),
    "read_link": Row(
        ANY,
        lambda world: {
            "json": {
                "purpose": "invitation",
                "code": world.code(Purpose.INVITATION, email=fresh_email(), role="member"),
            }
        },
    ),
    "reset_password": Row(
        ANY,
        lambda world: {
            "json": {
                "code": world.code(Purpose.PASSWORD_RESET, person=world.team.ids["other"]),
                "password": "a long enough password",
            }
        },
    ),
    "list_sign_ins": READ,
    "end_sign_in": Row(of_people(404), lambda world: {"id": "0" * 16}),
    "get_me": READ,
    "change_password": Row(
        of_people(409),
        lambda world: {"json": {"current": "wrong", "new": "a long enough password"}},
    ),
    "list_tokens": READ,
    "create_token": Row(SIGNED_IN, lambda world: {"json": {"name": "mine"}}),
    "revoke_token": Row(
        changed(SEEN, watcher=404, other=404, lead=404, admin=404), lambda world: {"id": a_token(world)}
    ),
    "list_people": READ,
    "change_person": Row(OF_ADMIN, lambda world: {"id": world.team.ids["other"], "json": {"is_disabled": False}}),
    "create_reset_link": Row(OF_ADMIN, lambda world: {"id": world.team.ids["other"]}),
    "list_invitations": READ,
    "create_invitation": Row(
        changed(OF_LEAD, stranger=422), lambda world: {"json": {"email": fresh_email(), "project": "alpha"}}
    ),
    "withdraw_invitation": Row(changed(OF_LEAD, watcher=404, owner=404, other=404), of("invitation")),
    "list_projects": READ,
    "create_project": Row(OF_ADMIN, lambda world: {"json": {"name": fresh_email()}}),
    "rename_project": Row(OF_LEAD, of("project", json={"name": "renamed"})),
    "share_project": Row(changed(OF_ADMIN, stranger=404), of("project", json={"weight": 2.0})),
    "list_members": Row(SEEN, of("project")),
    "set_member": Row(OF_LEAD, of("project", json={"email": "other@example.org", "role": "viewer"})),
    "remove_member": Row(OF_LEAD, lambda world: {"id": world.project(), "person": world.member()}),
    "list_audit_records": Row(OF_ADMIN),
    "export_audit_records": Row(OF_ADMIN),
    # webhooks carry what happens elsewhere, so that only admins of a project know of them
    "list_webhooks": READ,
    "create_webhook": Row(changed(OF_LEAD, **UNSEEN), lambda world: {"json": world.webhook_body()}),
    **dict.fromkeys(
        ("list_deliveries", "test_webhook", "delete_webhook"), Row(changed(OF_LEAD, **UNSEEN), of("webhook"))
    ),
    "change_webhook": Row(changed(OF_LEAD, **UNSEEN), of("webhook", json={"enabled": False})),
    # workers
    "get_worker_load": Row(SIGNED_IN, of("other_worker")),
    "drain_worker": Row(OF_ADMIN, of("other_worker", json={})),
    "undrain_worker": Row(OF_ADMIN, of("other_worker")),
    "release_worker": Row(changed(OF_ADMIN, admin=409), of("other_worker")),
    "change_worker": Row(OF_ADMIN, of("other_worker", json={"labels": ["a100"]})),
    "leave_service": Row(OF_WORKERS, lambda world: {"worker_id": world.worker.id}),
    "report_fault": Row(OF_WORKERS, lambda world: {"worker_id": world.worker.id, "json": {"fault": None}}),
    "find_needed_folders": Row(OF_WORKERS, lambda world: {"json": {"job_ids": [1]}}),
    "get_upload": Row(
        OF_WORKERS, of("held_job", name="a.npz", params={"attempt": 1, "sha256": hashlib.sha256(b"x").hexdigest()})
    ),
    "create_enrolment_code": Row(OF_ADMIN, lambda world: {"json": {}}),
    "revoke_worker": Row(OF_ADMIN, of("other_worker")),
    "enrol_worker": Row(
        ANY,
        lambda world: {
            "json": {"code": world.code(Purpose.ENROLMENT, name=None), "registration": WorkerClient.registration()}
        },
    ),
    "register_worker": Row(OF_WORKERS, lambda world: {"json": WorkerClient.registration()}),
    "beat_worker": Row(OF_WORKERS, lambda world: {"worker_id": world.worker.id}),
    "claim_job": Row(OF_WORKERS, lambda world: {"id": world.sent_job(), "json": {"worker_id": world.worker.id}}),
    "resume_job": Row(OF_WORKERS, of("held_job", json={"attempt": 1, "from_seq": 0})),
    "record_heartbeat": Row(OF_WORKERS, of("held_job", json={"attempt": 1, "events": [], "logs": []})),
    "release_job": Row(OF_WORKERS, of("held_job", json={"attempt": 1, "reason": "crashed", "detail": ""})),
    "upload_artifact": Row(
        OF_WORKERS,
        of(
            "held_job",
            name="a.npz",
            content=b"x",
            params={"attempt": 1, "sha256": hashlib.sha256(b"x").hexdigest(), "step": 0},
        ),
    ),
    "download_checkpoint": Row(OF_WORKERS, of("artifact")),
}


def as_yaml() -> str:
    return yaml.safe_dump(SPEC)


_numbers = iter(range(10**9))


def fresh_email() -> str:
    return f"nobody-{next(_numbers)}@example.org"


def person_body(code: str) -> dict[str, str]:
    return {"code": code, "email": fresh_email(), "name": "New", "password": "a long enough password"}


def invited_body(code: str) -> dict[str, str]:
    return {"code": code, "name": "New", "password": "a long enough password"}


def a_token(world: World) -> int:
    """Of the owner, other than the one that they use."""
    return world.owner.post("/api/v1/accounts/tokens", json={"name": "another"}).json()["id"]


@pytest.fixture(scope="session")
def operations() -> dict[str, tuple[str, str]]:
    app = FastAPI(generate_unique_id_function=operation_id)
    app.include_router(router)
    return {
        operation["operationId"]: (method.upper(), path)
        for path, methods in document(app)["paths"].items()
        for method, operation in methods.items()
    }


def test_every_route_has_a_row(operations):
    assert operations.keys() == MATRIX.keys()


def ask(world: World, role: str, method: str, path: str, filled: dict[str, Any]) -> httpx.Response:
    rest = {key: filled[key] for key in ("json", "params", "content") if key in filled}
    numbers = {key: value for key, value in filled.items() if key not in ("json", "params", "content", "made")}
    if role in ("anonymous", "worker"):
        world.team.browser.cookies.clear()
        headers = world.worker.headers if role == "worker" else {}
        return world.team.browser.request(method, path.format(**numbers), headers=headers, **rest)
    return world.team.as_(role).request(method, path.format(**numbers), **rest)


@pytest.mark.parametrize("operation", MATRIX)
def test_who_may(team, operations, operation):
    world, row = World(team), MATRIX[operation]
    method, path = operations[operation]
    found: dict[str, int] = {}
    for role in ROLES:
        answer = ask(world, role, method, path, row.fill(world))
        found[role] = 200 if answer.is_success and 201 not in row.expected else answer.status_code
        if not answer.is_success:
            assert answer.json()["detail"], role
        if row.is_empty_for_strangers and answer.is_success:
            assert (answer.json()["total"] == 0) == (role == "stranger"), role
    assert found == dict(zip(ROLES, row.expected, strict=True))


def test_what_is_seen_names_its_owner_and_project(team):
    world = World(team)
    owned = {"owner": {"id": team.ids["owner"], "name": "owner"}, "project": {"id": world.project(), "name": "alpha"}}
    run_id, group, study = world.run(), world.group(), world.study()
    client = team.as_("lead")
    answers = [
        client.get(f"/api/v1/{path}").json() for path in (f"runs/{run_id}", f"groups/{group}", f"studies/{study}")
    ]
    answers += [client.get(f"/api/v1/{path}").json()["items"][0] for path in ("experiments", "groups", "studies")]
    for answer in answers:
        assert {key: answer[key] for key in owned} == owned
