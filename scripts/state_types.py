"""Write the JSON schema of the state document and the page's own types from its one definition,
`service.show.document`; `--check` only says whether they are so.

python scripts/state_types.py [--check]
"""

from __future__ import annotations

import ast
import enum
import inspect
import json
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, NotRequired, Union, get_args, get_origin, get_type_hints
from typing import is_typeddict as is_object

from service.referee.clock_document import Known, Limits, Words
from service.show.document import SCHEMA, StateDocument

STATIC = Path(__file__).resolve().parent.parent / "service/web/static"
COLUMNS = 100

Node = dict[str, Any]
PLAIN: dict[object, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}


def source_of(kind: type) -> ast.ClassDef:
    """A class as it is written."""
    found = ast.parse(inspect.getsource(kind)).body[0]
    assert isinstance(found, ast.ClassDef)
    return found


def bases_of(kind: type) -> list[type]:
    """The objects that a class extends; at run time a TypedDict has forgotten them."""
    named = [getattr(sys.modules[kind.__module__], ast.unparse(b)) for b in source_of(kind).bases]
    return [base for base in named if is_object(base)]


def notes_of(kind: type) -> dict[str, str]:
    """What the definition says below each field of a class and of those that it extends."""
    found: dict[str, str] = {}
    for base in bases_of(kind):
        found |= notes_of(base)
    body = source_of(kind).body
    for field, below in pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(below, ast.Expr):
            assert isinstance(field.target, ast.Name)
            assert isinstance(below.value, ast.Constant)
            found[field.target.id] = " ".join(str(below.value.value).split())
    return found


def fields_of(kind: type) -> Iterator[tuple[str, object, bool, str]]:
    """(name, type, required, note) of each field."""
    notes, whole = notes_of(kind), bool(getattr(kind, "__total__", True))
    for name, hint in get_type_hints(kind, include_extras=True).items():
        optional = get_origin(hint) is NotRequired
        yield (
            name,
            get_args(hint)[0] if optional else hint,
            whole and not optional,
            notes.get(name, ""),
        )


def parts(hint: object) -> tuple[object, tuple[object, ...]]:
    """A type without what is noted of it, and the notes."""
    if get_origin(hint) is Annotated:
        inner, *about = get_args(hint)
        return inner, tuple(about)
    return hint, ()


def words(about: tuple[object, ...]) -> list[str] | None:
    """The words that a text may be, None where it may be any."""
    for note in about:
        if isinstance(note, Words):
            return list(note.words)
        if isinstance(note, type) and issubclass(note, enum.Enum):
            return [str(member.value) for member in note]
    return None


def known_keys(about: tuple[object, ...]) -> tuple[tuple[str, type], ...]:
    """The keys that a free object is known to have."""
    return next((note.keys for note in about if isinstance(note, Known)), ())


# JSON schema.


def schema_of(hint: object) -> Node:
    """The JSON schema of a type."""
    inner, about = parts(hint)
    limits = next((note for note in about if isinstance(note, Limits)), Limits())
    if (known := words(about)) is not None:
        return {"const": known[0]} if len(known) == 1 else {"enum": known}
    if get_origin(inner) in (Union, UnionType):
        return {"anyOf": [schema_of(each) for each in get_args(inner)]}
    if inner is type(None):
        return {"type": "null"}
    if get_origin(inner) is list:
        items = schema_of(get_args(inner)[0]) | bounds(limits)
        ends = {"minItems": limits.items, "maxItems": limits.items} if limits.items else {}
        return {"type": "array", "items": items, **ends}
    if get_origin(inner) is dict:
        of, keys = get_args(inner)[1], known_keys(about)
        if keys:
            return {"type": "object", "properties": {k: schema_of(t) for k, t in keys}}
        plain = of in PLAIN or is_object(of) or get_origin(of) is list
        return {"type": "object", **({"additionalProperties": schema_of(of)} if plain else {})}
    if isinstance(inner, type) and is_object(inner):
        return object_schema(inner)
    return {"type": PLAIN[inner], **bounds(limits)}


def bounds(limits: Limits) -> Node:
    """What a number may be."""
    found = {"minimum": limits.least, "maximum": limits.most}
    return {key: value for key, value in found.items() if value is not None}


def object_schema(kind: type) -> Node:
    """The JSON schema of one of the document's objects."""
    properties: Node = {}
    required = []
    for name, hint, needed, note in fields_of(kind):
        properties[name] = schema_of(hint) | ({"description": note} if note else {})
        if needed:
            required.append(name)
    ends = {"required": required} if required else {}
    return {"type": "object", "properties": properties, **ends}


def schema() -> str:
    """The schema's file."""
    about = " ".join((inspect.getdoc(StateDocument) or "").split())
    whole = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA,
        "title": "takhte state document, version 1",
        "description": about,
        **object_schema(StateDocument),
    }
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


# The page's types.

HEAD = """/**
 * The state document `takhte-state/1`, made from service/show/document.py by
 * `python scripts/state_types.py`. For the checker alone: no browser loads this file.
 */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
"""


def type_of(hint: object) -> str:
    """A type as TypeScript writes it."""
    inner, about = parts(hint)
    limits = next((note for note in about if isinstance(note, Limits)), Limits())
    if (known := words(about)) is not None:
        return " | ".join(json.dumps(word) for word in known)
    if get_origin(inner) in (Union, UnionType):
        return " | ".join(type_of(each) for each in get_args(inner))
    if inner is type(None):
        return "null"
    if get_origin(inner) is list:
        of = type_of(get_args(inner)[0])
        return f"[{of}, {of}]" if limits.items == 2 else f"{of}[]"
    if get_origin(inner) is dict:
        of, keys = get_args(inner)[1], known_keys(about)
        if keys:
            rows = [f"{name}?: {type_of(kind)};" for name, kind in keys]
            return "{ " + " ".join(rows) + " [key: string]: Json | undefined }"
        plain = of in PLAIN or is_object(of) or get_origin(of) is list
        return f"Record<string, {type_of(of) if plain else 'Json'}>"
    if isinstance(inner, type) and is_object(inner):
        return inner.__name__
    return "number" if inner in (int, float) else PLAIN[inner]


def interfaces(kind: type, known: list[type]) -> None:
    """Every object that a type is made of, each before what needs it."""
    for base in bases_of(kind):
        interfaces(base, known)
    for _, hint, _, _ in fields_of(kind):
        for each in walked(hint):
            interfaces(each, known)
    if kind not in known:
        known.append(kind)


def walked(hint: object) -> Iterator[type]:
    """The objects that a type names."""
    inner, _ = parts(hint)
    if isinstance(inner, type) and is_object(inner):
        yield inner
    elif get_origin(inner) in (list, dict, Union, UnionType):
        for each in get_args(inner):
            yield from walked(each)


def comment(text: str, indent: str) -> list[str]:
    """A comment in as many lines as it needs."""
    one = f"{indent}/** {text} */"
    if len(one) <= COLUMNS:
        return [one]
    rows, row = [], ""
    for word in text.split():
        if len(f"{indent} * {row} {word}") > COLUMNS:
            rows.append(row)
            row = word
        else:
            row = f"{row} {word}".strip()
    return [f"{indent}/**", *(f"{indent} * {each}" for each in (*rows, row)), f"{indent} */"]


def field(name: str, hint: object, needed: bool) -> list[str]:
    """A field of an interface, as prettier would write it."""
    head = f"  {name}{'' if needed else '?'}:"
    one = f"{head} {type_of(hint)};"
    if len(one) <= COLUMNS:
        return [one]
    rows = [f"    | {each}" for each in type_of(hint).split(" | ")]
    return [head, *rows[:-1], f"{rows[-1]};"]


def types() -> str:
    """The file of the page's types."""
    known: list[type] = []
    interfaces(StateDocument, known)
    rows = [HEAD.rstrip()]
    for kind in known:
        bases = bases_of(kind)
        mine = {name for base in bases for name, *_ in fields_of(base)}
        ends = f" extends {bases[0].__name__}" if bases else ""
        rows.append("")
        if about := " ".join((kind.__doc__ or "").split()):
            rows += comment(about, "")
        rows.append(f"export interface {kind.__name__}{ends} {{")
        for name, hint, needed, note in fields_of(kind):
            if name not in mine:
                rows += comment(note, "  ") if note else []
                rows += field(name, hint, needed)
        rows.append("}")
    return "\n".join(rows) + "\n"


def main() -> int:
    wrong = []
    for path, text in (
        (STATIC / "schema/state-1.json", schema()),
        (STATIC / "js/state.d.ts", types()),
    ):
        if "--check" not in sys.argv:
            path.write_text(text, encoding="utf-8")
        elif not path.is_file() or path.read_text(encoding="utf-8") != text:
            wrong.append(path.name)
    if wrong:
        print(f"{', '.join(wrong)}: not as the code says; run python scripts/state_types.py")
    return bool(wrong)


if __name__ == "__main__":
    raise SystemExit(main())
