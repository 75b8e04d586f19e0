"""Requests that nobody thought of, made by schemathesis from the OpenAPI document, as every role.

No answer may be a server error, and nobody may read anything of a project that is not theirs.
"""

import random
import re
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode

from tests.chaos.world import ANSWER_SECONDS, OUTSIDE_BETA, ROLES, SECRET, World

STREAM = "text/event-stream"
READ_BYTES = 2**22
CHANGES_CREDENTIALS = re.compile(r"/accounts/|/workers?/")
"""Operations after which a role may have lost its credential, or what it may do."""
MOST_WITH_ONE_TOKEN = 200
"""Requests, of all roles together: then tokens are renewed, since the service limits how often one is used."""
EXISTING = 0.8
"""How often a route's number is replaced by one of something that is there."""


class Finding(NamedTuple):
    what: str
    role: str
    request: str
    answer: str


class Walk(NamedTuple):
    """What came of a walk through all operations."""

    operations: int
    statuses: Counter[int]
    findings: list[Finding]


def walk(world: World, cases_each: int, start: int, say: Callable[[str], None] = print) -> Walk:
    """So many requests of each operation; the roles take turns, and at six each had a turn."""
    document = requests.get(f"{world.url}/api/openapi.json", timeout=ANSWER_SECONDS).json()
    schema = schemathesis.openapi.from_dict(document)
    statuses, findings, operations, asked = Counter[int](), list[Finding](), 0, 0
    for result in schema.get_all_operations():
        operation = result.ok()
        chance = random.Random(f"{start} {operation.label}")
        operations += 1
        asked += cases_each
        for number, case in enumerate(make_cases(operation, cases_each, start)):
            role = ROLES[(number + operations) % len(ROLES)]
            name_something(case, world, chance)
            status, finding = ask(world, role, case)
            statuses[status] += 1
            if finding is not None:
                say(str(finding))
                findings.append(finding)
        if (operation.method != "get" and CHANGES_CREDENTIALS.search(operation.path)) or asked >= MOST_WITH_ONE_TOKEN:
            world.refresh()
            asked = 0
    return Walk(operations, statuses, findings)


def make_cases(operation: Any, count: int, start: int) -> list[Any]:
    """Half of them as the document wants them, half of them not, where one can fail to."""
    cases: list[Any] = []
    for mode, share in ((GenerationMode.POSITIVE, (count + 1) // 2), (GenerationMode.NEGATIVE, count)):

        @seed(start)
        @settings(
            **{"max_examples": max(1, share - len(cases)), "database": None, "deadline": None},
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(operation.as_strategy(mode))
        def collect(case: Any) -> None:
            cases.append(case)

        try:
            collect()
        except (Unsatisfiable, schemathesis.errors.SchemathesisError):
            continue  # what takes no parameter cannot be asked for wrongly
    while len(cases) < count:
        cases.append(cases[len(cases) % max(1, len(cases))])
    return cases[:count]


def name_something(case: Any, world: World, chance: random.Random) -> None:
    for noun, parameter in re.findall(r"/([a-z-]+)/\{(\w+)\}", case.path):
        if noun in world.ids and case.path_parameters and chance.random() < EXISTING:
            case.path_parameters[parameter] = chance.choice(world.ids[noun])


def ask(world: World, role: str, case: Any) -> tuple[int, Finding | None]:
    arguments = case.as_transport_kwargs(base_url=world.url)
    sent = {key: value for key, value in (arguments.pop("headers", None) or {}).items()}
    sent = {key: value for key, value in sent.items() if key.lower() not in ("authorization", "cookie")}
    arguments |= {"headers": sent | world.headers(role), "cookies": None, "stream": True, "timeout": ANSWER_SECONDS}
    shown = f"{case.method} {case.formatted_path} {str(case.query)[:200]} {str(case.body)[:300]}"
    try:
        with requests.request(**arguments) as answer:
            piece = next(answer.iter_content(READ_BYTES), b"") if is_endless(answer) else answer.content
    except requests.exceptions.InvalidHeader:
        return 0, None  # no client could send it
    text = piece.decode(errors="replace")
    if answer.status_code >= 500:
        return answer.status_code, Finding("server error", role, shown, f"{answer.status_code}: {text[:300]}")
    if role in OUTSIDE_BETA and SECRET in text:
        return answer.status_code, Finding("something of others", role, shown, excerpt(text))
    return answer.status_code, None


def is_endless(answer: requests.Response) -> bool:
    return answer.headers.get("Content-Type", "").startswith(STREAM)


def excerpt(text: str) -> str:
    place = text.index(SECRET)
    return text[max(0, place - 200) : place + 200]
