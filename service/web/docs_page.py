"""The API's guide as a page of our own, made from the OpenAPI document: nothing is fetched from
elsewhere, so it works in a hall without internet."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, TypedDict

from service.web.policy import PUBLIC, Right

OpenApi = Mapping[str, Any]
"""An OpenAPI document or a part of it, as FastAPI makes it: walked by its keys, never kept."""


EXAMPLES: Final = Path(__file__).parent / "data" / "api_examples.json"
SECURITY: Final = {
    "bearer": {
        "type": "http",
        "scheme": "bearer",
        "description": "the token that signing in (POST /api/v1/sign-in) or pairing gave",
    },
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": "takhte",
        "description": "the same as a cookie, as browsers have it",
    },
}


def with_rights(
    document: Mapping[str, Any], rights: Mapping[tuple[str, str], Right]
) -> dict[str, Any]:
    """The document with who may use each route: nobody's rights are needed for what is public."""
    needed: list[dict[str, list[str]]] = [{name: []} for name in SECURITY]
    paths = {
        path: {
            method: {
                **about,
                "security": (
                    [{}, *needed]
                    if rights.get((method.upper(), path), Right.MANAGE) in PUBLIC
                    else needed
                ),
            }
            for method, about in methods.items()
        }
        for path, methods in document["paths"].items()
    }
    components = {**document.get("components", {}), "securitySchemes": SECURITY}
    return {**document, "paths": paths, "components": components}


def with_examples(document: Mapping[str, Any], files: Iterable[Path]) -> dict[str, Any]:
    """The document with an example of every schema that says none of its own: those are kept in
    files.
    """
    kept: dict[str, Any] = {}
    for file in files:
        kept |= json.loads(file.read_text(encoding="utf-8"))
    components = document["components"]
    schemas = {
        name: {**schema, "examples": [kept[name]]}
        if name in kept and "examples" not in schema
        else schema
        for name, schema in components["schemas"].items()
    }
    return {**document, "components": {**components, "schemas": schemas}}


class Operation(TypedDict):
    """One method of one path, as the guide shows it; `answers` are (status, what it means)."""

    method: str
    path: str
    description: str
    parameters: list[dict[str, str]]
    takes: str
    gives: str
    answers: list[tuple[str, str]]


def _resolve(document: OpenApi, schema: OpenApi) -> OpenApi:
    name = str(schema.get("$ref", "")).rpartition("/")[2]
    found: OpenApi = document["components"]["schemas"].get(name, schema) if name else schema
    return found


def _example(document: OpenApi, content: OpenApi) -> str:
    for media in content.values():
        if "example" in media:
            return str(media["example"])
        schema = _resolve(document, media.get("schema", {}))
        examples = schema.get("examples")
        if examples:
            return "\n".join(json.dumps(e, ensure_ascii=False, indent=1) for e in examples)
        fields = {
            key: _resolve(document, value)["examples"][0]
            for key, value in schema.get("properties", {}).items()
            if _resolve(document, value).get("examples")
        }
        if fields:
            return json.dumps(fields, ensure_ascii=False, indent=1)
    return ""


def operations(document: OpenApi) -> dict[str, list[Operation]]:
    """Operations by tag: method, path, summary, description, parameters, body and answer examples,
    answers.
    """
    groups: dict[str, list[Operation]] = {}
    for path, methods in document["paths"].items():
        for method, about in methods.items():
            success: OpenApi = next(
                (r for code, r in about["responses"].items() if code.startswith("2")), {}
            )
            groups.setdefault((about.get("tags") or ["other"])[0], []).append(
                {
                    "method": method.upper(),
                    "path": path,
                    "description": about.get("description") or about.get("summary", ""),
                    "parameters": [
                        {
                            "name": p["name"],
                            "where": p["in"],
                            "text": p.get("description")
                            or p.get("schema", {}).get("description", ""),
                        }
                        for p in about.get("parameters", [])
                    ],
                    "takes": _example(document, about.get("requestBody", {}).get("content", {})),
                    "gives": _example(document, success.get("content", {})),
                    "answers": [
                        (code, r.get("description", ""))
                        for code, r in sorted(about["responses"].items())
                    ],
                }
            )
    return groups
