"""Prints the OpenAPI document, from which the TypeScript client is generated: `python -m phylon.backend.openapi`."""

import json
import sys
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from pydantic import TypeAdapter

from phylon.contract.events import EVENT_KINDS
from phylon.contract.problems import MEDIA_TYPE, ProblemDocument
from phylon.contract.vocabulary import ActiveStatus, MetricName, Phase

JSON = dict[str, Any]


def operation_id(route: APIRoute) -> str:
    """The plain function name, so that generated functions read well."""
    return route.name


def document(app: FastAPI) -> JSON:
    schema = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
    for path in schema["paths"].values():
        for operation in path.values():
            for response in operation["responses"].values():
                if "content" in response:
                    response["content"] = _content(response["content"])
    _add_vocabularies(schema["components"]["schemas"])
    return schema


def _content(content: JSON) -> JSON:
    """FastAPI gives an error the media type of the route's success, but ours are always problem documents.

    What a message of a stream carries it says in OpenAPI 3.2's `itemSchema`; generators of 3.1 look for `schema`.
    """
    for media in content.values():
        if media.get("schema", {}).get("$ref", "").endswith(f"/{ProblemDocument.__name__}"):
            return {MEDIA_TYPE: {"schema": media["schema"]}}
        if "itemSchema" in media:
            media["schema"] = media["itemSchema"]["properties"]["data"]["contentSchema"]
    return content


def _add_vocabularies(components: JSON) -> None:
    """Words that no route mentions, but that its readers need."""
    for words in (ActiveStatus, MetricName, Phase):
        components[words.__name__] = TypeAdapter(words).json_schema()
    components["EventKind"] = {"type": "string", "enum": list(EVENT_KINDS), "title": "EventKind"}


def main() -> None:
    from phylon.backend.app import create_app
    from phylon.backend.settings import from_environment

    json.dump(create_app(from_environment()).openapi(), sys.stdout, indent=2, sort_keys=True)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
