"""The contract is written once: routes answer with its models, the client returns them, trainers use its words."""

import hashlib
import inspect
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import httpx
import pytest
from fastapi.routing import APIRoute
from pydantic import BaseModel

from phylon import Client, load_preset
from phylon.backend.routes import router
from phylon.contract.artifacts import Artifact
from phylon.contract.experiments import BulkAction
from phylon.contract.views import NewView, ViewLayout
from phylon.contract.vocabulary import MetricName, Phase
from phylon.contract.webhooks import WebhookChange, WebhookEvent
from phylon.series import Series

ROOT = Path(__file__).parents[2]
DOCUMENT = json.loads((ROOT / "frontend" / "openapi.json").read_text())
TEXT = "three letters"

ARGUMENTS: dict[str, Any] = {
    "run_ids": [1],
    "source": load_preset("td3-pbt-pendulum-smoke").yaml,
    "table": "metrics",
    "environment": "CartPole-v1",
    "format": "csv",
    "names": [TEXT],
    "labels": [TEXT],
    "budget": {"env_steps": 4000},
    "address": "https://example.org/hook",
    "events": [WebhookEvent.RUN_FINISHED],
    "change": WebhookChange(enabled=False),
    "experiments": [1],
    "ids": [1],
    "action": BulkAction.STAR,
    "view": NewView(name=TEXT, query="", layout=ViewLayout(columns=[], sort=None, group_by=None)),
}
"""Of parameters that have no default; all others that have none are numbers of something."""

NOT_A_ROUTE = {
    "close": "ends the connection",
    "download_policy": "finds an artifact and downloads it",
    **dict.fromkeys(
        ("wait_for_study", "wait_for_evaluation", "wait_for_environment_check"), "asks for it again until it has ended"
    ),
    "table": "puts the exports of all runs together",
    "frame": "puts the exports of all runs together",
}
METHODS = sorted(
    name
    for name, _ in inspect.getmembers(Client, inspect.isfunction)
    if not name.startswith("_") and name not in NOT_A_ROUTE
)
NOT_IN_THE_CLIENT = {
    "import_ray_lineage": "phylon.lineage does it without a service",
    "summarise_lineage": "phylon.lineage does it without a service",
    "trace_span": "phylon.lineage does it without a service",
    "derive_span_schedule": "phylon.lineage does it without a service",
    "download_newick": "`phylon lineage --format newick` writes it from the lineage",
    "download_ray_logs": "`phylon lineage --format ray` writes it from the lineage",
    "download_comparison": "`phylon compare --format` writes it from the comparison",
    "create_first_admin": "a link opens its page",
    "accept_invitation": "a link opens its page",
    "read_link": "a link opens its page",
    "reset_password": "a link opens its page",
    "stream_study_events": "a study is asked for again; it has few cells",
    "stream_evaluation_events": "an evaluation is asked for again",
    "stream_environment_check_events": "a check is asked for again",
}


def sample(schema: dict[str, Any]) -> Any:
    """A value that the schema allows, with every field of every object."""
    if "$ref" in schema:
        return sample(DOCUMENT["components"]["schemas"][schema["$ref"].rsplit("/", 1)[-1]])
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    for union in ("anyOf", "oneOf"):
        if union in schema:
            return sample(schema[union][0])
    match schema.get("type"):
        case "object":
            fields = {name: sample(field) for name, field in schema.get("properties", {}).items()}
            extra, names = schema.get("additionalProperties"), schema.get("propertyNames")
            key = sample(names) if names else "1"
            return fields | ({key: sample(extra)} if isinstance(extra, dict) else {})
        case "array":
            return [sample(item) for item in schema.get("prefixItems", [schema.get("items", {})])]
        case "string":
            return "2026-01-01T00:00:00Z" if schema.get("format") == "date-time" else TEXT
        case "integer":
            return max(1, schema.get("minimum", 1))
        case "number":
            return 1.5
        case "boolean":
            return True
        case "null":
            return None
        case _:
            return TEXT


class Service:
    """Answers every request with what the OpenAPI document says, and remembers which operations were asked for."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        for path, operations in DOCUMENT["paths"].items():
            pattern = re.sub(r"\{\w+\}", "[^/]+", path.replace(".", r"\."))
            operation = operations.get(request.method.lower())
            if operation and re.fullmatch(pattern, request.url.path):
                return self._answer(operation)
        raise AssertionError(f"no route for {request.method} {request.url.path}")

    def _answer(self, operation: dict[str, Any]) -> httpx.Response:
        status, response = next((int(code), each) for code, each in operation["responses"].items() if code[0] == "2")
        media_type, media = next(iter(response.get("content", {"": {}}).items()))
        schema = media.get("schema", {})
        is_first = operation["operationId"] not in dict(self.asked)
        self.asked.append((operation["operationId"], schema))
        if media_type == "application/json":
            body = sample(schema)
            if "next" in body and not is_first:
                body |= {"items": [], "next": None}
            return httpx.Response(status, json=body)
        if media_type == "text/event-stream":
            run = sample({"$ref": "#/components/schemas/Run"}) | {"status": "finished"}
            if operation["operationId"] == "stream_events":
                run = {"kind": "run", "id": 1, "position": TEXT, "message": run}
            text = f"event: status\ndata: {json.dumps(run)}\n\n"
            return httpx.Response(status, text=text, headers={"Content-Type": media_type})
        return httpx.Response(status, content=b"bytes" if media_type else b"")


@pytest.fixture
def service() -> Service:
    return Service()


@pytest.fixture
def client(service: Service) -> Iterator[Client]:
    with Client("http://service") as connected:
        transport = httpx.MockTransport(service)
        connected._transport._http = httpx.Client(transport=transport, base_url="http://service/api/v1")
        yield connected


def call(client: Client, name: str, folder: Path) -> Any:
    method: Callable[..., Any] = getattr(client, name)
    study = folder / "study.jsonl"
    study.write_text("{}\n")
    artifact = Artifact.model_validate(sample({"$ref": "#/components/schemas/Artifact"}))
    results = folder / "results.csv"
    results.write_text("step,return\n1,2\n")
    special = ARGUMENTS | {"path": results, "file": study, "artifact": artifact, "folder": folder}
    if name == "submit_study":
        special["source"] = load_preset("figure2-td3-sac-smoke").yaml
    arguments = {
        parameter.name: special.get(parameter.name, 1)
        for parameter in inspect.signature(method).parameters.values()
        if parameter.default is inspect.Parameter.empty or parameter.name == "folder"
    }
    if name == "download":  # of bytes whose hash is known
        arguments["artifact"] = artifact.model_copy(update={"sha256": hashlib.sha256(b"bytes").hexdigest()})
    answer = method(**arguments)
    return list(answer) if isinstance(answer, Iterator) else answer


@pytest.mark.parametrize("name", METHODS)
def test_a_method_returns_what_its_route_answers(client: Client, service: Service, tmp_path: Path, name: str):
    """What the document describes can be parsed, and into the class of the name that the document gives it."""
    answer = call(client, name, tmp_path)
    assert service.asked, f"{name} asks for nothing"
    schema = service.asked[-1][1]
    said = schema.get("$ref", "").rsplit("/", 1)[-1]
    returned = getattr(Client, name).__annotations__["return"]
    if said.startswith("Page_"):
        (item,) = get_args(returned)
        assert get_origin(returned) in (list, Iterator) and said == f"Page_{item.__name__}_"
        assert answer and all(isinstance(each, item) for each in answer)
    elif name == "metrics":
        assert said == "RunMetrics" and isinstance(answer[TEXT], Series)
    elif said and said not in ("StreamMessage", "JobMessage"):
        assert type(answer).__name__ == said
        assert said in str(returned)


def test_every_route_has_a_method(client: Client, service: Service, tmp_path: Path):
    for name in METHODS:
        call(client, name, tmp_path)
    client.submit(load_preset("dmc15-smoke").yaml)
    client.schedule(1, span=1)
    client.metrics(1, [TEXT])
    asked = {operation for operation, _ in service.asked} | set(NOT_IN_THE_CLIENT)
    public = {
        operation["operationId"]
        for path, operations in DOCUMENT["paths"].items()
        for operation in operations.values()
        if not path.startswith("/api/v1/worker/")
    }
    assert public == asked


def models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    annotation = getattr(annotation, "__value__", annotation)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
        for field in annotation.model_fields.values():
            yield from models_in(field.annotation)
    for part in get_args(annotation):
        yield from models_in(part)


def test_answers_are_models_of_the_contract():
    outside = {
        f"{model.__module__}.{model.__qualname__}"
        for route in router.routes
        if isinstance(route, APIRoute)
        for model in models_in(get_type_hints(route.endpoint).get("return"))
        if not model.__module__.startswith("phylon.contract.")
    }
    assert not outside


def test_bodies_of_public_routes_are_requests_of_the_contract():
    for route in router.routes:
        if isinstance(route, APIRoute) and route.body_field is not None:
            for model in models_in(route.body_field.field_info.annotation):
                assert model.__module__.startswith("phylon.contract."), (route.path, model)


def test_trainers_use_the_words_of_the_contract():
    source = "\n".join(file.read_text() for file in (ROOT / "worker").rglob("*.py"))
    names = set(re.findall(r'"((?:evaluation|speed|population)/[a-z_]+)"', source))
    assert names and names <= {str(name) for name in MetricName}
    phases = set(re.findall(r'\.phase\("(\w+)"\)', source))
    assert phases and phases | {"compile", "other"} == {str(phase) for phase in Phase}
