"""The OpenAPI document as one page to read: plain HTML without any script, made from our own files."""

import json
from collections import defaultdict
from collections.abc import Iterator
from html import escape
from typing import Any

JSON = dict[str, Any]

STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
code, pre { font-family: ui-monospace, monospace; font-size: 0.875rem; }
details { border-top: 1px solid #8884; padding: 0.4rem 0; }
summary { cursor: pointer; }
summary b { display: inline-block; min-width: 4.5rem; }
table { border-collapse: collapse; }
td, th { padding: 0.1rem 1rem 0.1rem 0; text-align: left; vertical-align: top; }
pre { overflow: auto; background: #8881; padding: 0.75rem; }
nav a { margin-right: 0.75rem; }
"""


def render(document: JSON) -> str:
    by_tag: dict[str, list[str]] = defaultdict(list)
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            by_tag[operation.get("tags", ["other"])[0]].append("".join(_operation(method, path, operation)))
    title, version = document["info"]["title"], document["info"]["version"]
    links = "".join(f'<a href="#{escape(tag)}">{escape(tag)}</a>' for tag in [*by_tag, "models"])
    sections = "".join(
        f'<h2 id="{escape(tag)}">{escape(tag)}</h2>{"".join(operations)}' for tag, operations in by_tag.items()
    )
    models = "".join(_model(name, schema) for name, schema in sorted(document["components"]["schemas"].items()))
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<title>{escape(title)} API</title><link rel="icon" href="data:,">'
        '<link rel="stylesheet" href="/api/docs.css"></head><body>'
        f"<h1>{escape(title)} API {escape(version)}</h1><p>{escape(document['info'].get('description', ''))} "
        'For generators: <a href="/api/openapi.json">openapi.json</a>. From Python: <code>phylon.Client</code>.</p>'
        f'<nav>{links}</nav>{sections}<h2 id="models">models</h2>{models}</body></html>'
    )


def _operation(method: str, path: str, operation: JSON) -> Iterator[str]:
    yield f'<details id="{escape(operation["operationId"])}"><summary><b>{method.upper()}</b> '
    yield f"<code>{escape(path)}</code> {escape(operation.get('summary', ''))}</summary>"
    if "description" in operation:
        yield f"<p>{escape(operation['description'])}</p>"
    if parameters := operation.get("parameters"):
        yield "<h4>Parameters</h4><table>"
        for each in parameters:
            needed = "required" if each.get("required") else "optional"
            yield f"<tr><td><code>{escape(each['name'])}</code><td>{escape(each['in'])}, {needed}"
            yield f"<td>{_type(each['schema'])}<td>{escape(each.get('description', ''))}</tr>"
        yield "</table>"
    if body := operation.get("requestBody"):
        yield f"<h4>Body</h4><p>{_content(body)}</p>"
    yield "<h4>Answers</h4><table>"
    for status, answer in operation["responses"].items():
        yield f"<tr><td>{escape(status)}<td>{_content(answer)}<td>{escape(answer.get('description', ''))}</tr>"
    yield "</table></details>"


def _content(part: JSON) -> str:
    return ", ".join(
        f"{_type(media.get('schema', {}))} <small>{escape(name)}</small>"
        for name, media in part.get("content", {}).items()
    )


def _type(schema: JSON) -> str:
    if "$ref" in schema:
        name = escape(schema["$ref"].rsplit("/", 1)[-1])
        return f'<a href="#model-{name}">{name}</a>'
    for union in ("anyOf", "oneOf"):
        if union in schema:
            return " or ".join(_type(each) for each in schema[union])
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    if "enum" in schema:
        return " | ".join(f"<code>{escape(str(each))}</code>" for each in schema["enum"])
    return escape(str(schema.get("type", "anything")))


def _model(name: str, schema: JSON) -> str:
    text = escape(json.dumps(schema, indent=2, ensure_ascii=False))
    return (
        f'<details id="model-{escape(name)}"><summary><code>{escape(name)}</code></summary><pre>{text}</pre></details>'
    )
