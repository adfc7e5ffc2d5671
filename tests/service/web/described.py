"""What is wrong with the examples of an API's description."""

from __future__ import annotations

from typing import Any

import jsonschema_rs


def misfits(told: dict[str, Any]) -> list[str]:
    """A line for every schema without an example, and for every example that does not fit."""
    out = []
    for name, schema in told["components"]["schemas"].items():
        whole = {"$ref": f"#/components/schemas/{name}", "components": told["components"]}
        examples = schema.get("examples", [])
        out += [] if examples else [f"{name}: no example"]
        for example in examples:
            for error in jsonschema_rs.Draft202012Validator(whole).iter_errors(example):
                out.append(f"{name}: {error.instance_path}: {error.message[:200]}")
    return out
