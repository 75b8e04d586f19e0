"""Prints the OpenAPI document, from which the TypeScript client is generated: `python -m phylon.backend.openapi`."""

import json
import sys
from typing import Any, cast

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute

JSON = dict[str, Any]


def operation_id(route: APIRoute) -> str:
    """The plain function name, so that generated functions read well."""
    return route.name


def document(app: FastAPI) -> JSON:
    schema = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
    _name_stream_messages(schema)
    _tell_of_non_finite_numbers(schema)
    return schema


def _name_stream_messages(schema: JSON) -> None:
    """FastAPI says what a message carries in OpenAPI 3.2's `itemSchema`; generators of 3.1 look for `schema`.

    It also gives errors the media type of the route's success, but ours are always JSON.
    """
    for path in schema["paths"].values():
        for operation in path.values():
            for status, response in operation["responses"].items():
                content: JSON = response.get("content", {})
                if "itemSchema" in content.get("text/event-stream", {}):
                    message = content["text/event-stream"]
                    message["schema"] = message["itemSchema"]["properties"]["data"]["contentSchema"]
                elif int(status) >= 400:
                    response["content"] = {"application/json": {"schema": next(iter(content.values()))["schema"]}}


_MEASURING = ("Metrics", "Span", "Finished", "Failed")
"""Events whose numbers come from training. They are the shared language's, which does not know of `Real`."""


def _tell_of_non_finite_numbers(schema: JSON) -> None:
    components = schema["components"]["schemas"]
    for name in _MEASURING:
        components[name] = _with_real(components[name])


def _with_real(node: Any) -> Any:
    if isinstance(node, list):
        return [_with_real(item) for item in cast(list[Any], node)]
    if not isinstance(node, dict):
        return node
    mapping = cast(JSON, node)
    if mapping.get("type") == "number" and mapping.get("title") != "Wall":
        return {"$ref": "#/components/schemas/Real"}
    return {key: _with_real(value) for key, value in mapping.items()}


def main() -> None:
    from phylon.backend.app import create_app
    from phylon.backend.settings import from_environment

    json.dump(create_app(from_environment()).openapi(), sys.stdout, indent=2, sort_keys=True)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
