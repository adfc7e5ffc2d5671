"""Write docs/entries.md, docs/orders.md, the drawing in docs/referee.md and the list of orders in
docs/api.md from the code; `--check` only says whether they are so.

python scripts/referee_docs.py [--check]
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import re
import sys
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from service.journal import entries_hall, entries_play, entries_table
from service.journal.codec import encode
from service.journal.entries import KINDS, Body
from service.journal.entry import Role
from service.referee.order_spec import OrderSpec
from service.referee.order_table import ORDERS
from service.referee.phases import drawing

DOCS = Path(__file__).resolve().parent.parent / "docs"

HEAD = """# Journal entries

Every kind of entry, made from the code by `python scripts/referee_docs.py`. A journal is a SQLite
file whose table `entries` holds one row an entry: `seq` (1, 2, 3 ... without gaps), `text`
(canonical JSON: sorted keys, no spaces, UTF-8) and `hash`.

    {"at":12.3,"body":{...},"by":{"name":"","role":"player","side":"white"},"kind":"pressed",
     "seq":7,"v":1,"wall":1763760000.0}

`hash` = SHA-256 of the hash before (64 zeros for the first) followed by `text`. `at` is table
time: seconds that run only while the table runs. `wall` is the date in seconds since 1970 as the
machine believed it; without network time it is whatever the machine's clock said, and
`table_opened` and `restarted` say whether it can be right at all (`clock_trust`: machine, or none
on a machine that starts in 1970). Nothing is ever decided by `wall`. `by` is who said so: the
table itself (role `referee`), or a person by name, role and side.

Sites are White's own points 1 to 24, 0 off, 25 the bar; a roll is `[high, low]`; a placement is
`{"white": [26 counts], "black": [26 counts]}`. A field that stands at its default may be missing
in older entries. `evidence` is what reconcile rested its verdict on, as plain JSON.

An entry holds codes and facts, never a sentence of ours: whoever shows it says it, in the language
of whoever reads. `v` is the version of the body, 1 where nothing else stands below. Version 1 of
`illegal_noticed`, `alert_raised` and `played` kept the sentences themselves, in each language that
there was (`why`, in `played` under `evidence`); such a journal stays as it is, verifies as it is,
and is lifted when read: facts are got back from the sentence, and a sentence that fits no words of
this version is kept under the fact `said`.
"""


def described(name: str, kind: type[Body]) -> str:
    """One entry: its docstring and its fields."""
    hints = get_type_hints(kind)
    rows = [
        f"| `{f.name}` | {plain(hints[f.name])} | {default(f)} |" for f in dataclasses.fields(kind)
    ]
    text = " ".join(inspect.getdoc(kind).split()) if inspect.getdoc(kind) else ""
    table = (
        "\n".join(["| field | what | default |", "|---|---|---|", *rows]) if rows else "No fields."
    )
    version = f" (`v` {kind.version})" if kind.version > 1 else ""
    return f"### `{name}`{version}\n\n{text}\n\n{table}\n"


def plain(hint: Any) -> str:
    """A type as a reader of JSON knows it."""
    if isinstance(hint, UnionType) or str(get_origin(hint)) == "typing.Union":
        inner = [a for a in get_args(hint) if a is not type(None)]
        if len(inner) != 1:
            return "any JSON"
        return f"{plain(inner[0])} or null"
    if get_origin(hint) is tuple:
        arguments = get_args(hint)
        return (
            f"list of {plain(arguments[0])}"
            if arguments[-1] is Ellipsis
            else "[" + ", ".join(plain(a) for a in arguments) + "]"
        )
    if hasattr(hint, "__members__"):
        return " · ".join(str(m.value) for m in hint)
    known = {
        "str": "text",
        "float": "number",
        "int": "whole number",
        "bool": "true or false",
        "Roll": "roll",
        "Placement": "placement",
    }
    return known.get(getattr(hint, "__name__", ""), "mapping")


def default(field: dataclasses.Field[Any]) -> str:
    if field.default is not dataclasses.MISSING:
        return f"`{json.dumps(encode(field.default))}`"
    return "`{}`" if field.default_factory is not dataclasses.MISSING else ""


def entries_page() -> str:
    parts = [HEAD]
    for module, title in (
        (entries_play, "The game on the board"),
        (entries_table, "Everything around the board"),
        (entries_hall, "A tournament, in the hall's own journal"),
    ):
        parts.append(f"## {title}\n")
        parts += [
            described(name, kind)
            for name, kind in KINDS.items()
            if kind.__module__ == module.__name__
        ]
    return "\n".join(parts)


ORDERS_HEAD = """# Orders

What people may tell a table, made from `service/referee/order_table.py` by `python
scripts/referee_docs.py`. An order is one JSON line over the table's socket (or a POST of the
API); it is answered once it stands in the journal, or refused with what was expected and what
came; nothing has changed then.

    {"id":"c1","order":"freeze","args":{"reason":"a dispute"},
     "by":{"name":"Ava","role":"director","side":null}}

A *player* with a device of its own speaks for its own side; the *tablet* is the player that both
share. Everybody else speaks for both. Arguments in *italics* may be left out; `/openapi.json` has
their schema.
"""


def orders_page() -> str:
    """Every order by name."""
    rows = [
        ORDERS_HEAD,
        "| order | what it does | arguments | when | who | conduct |",
        "|---|---|---|---|---|---|",
    ]
    rows += [order_row(ORDERS[name]) for name in sorted(ORDERS)]
    return "\n".join(rows) + "\n"


def order_row(spec: OrderSpec) -> str:
    """One line of the table of orders."""
    args = ", ".join(f"`{a.name}`" if a.needed else f"*{a.name}*" for a in spec.args)
    phases = spec.when or ", ".join(p.value for p in spec.phases)
    where = "" if spec.afar else "not from the hall"
    when = "; ".join(w for w in (phases, spec.clock.value, spec.turn.value, where) if w)
    cells = (f"`{spec.name}`", spec.does, args, when, ", ".join(who_may(spec)), spec.conduct)
    return "| " + " | ".join(cells) + " |"


def who_may(spec: OrderSpec) -> list[str]:
    """Everybody who may give an order, players and their tablet apart."""
    found = [role.value for role in Role if role is not Role.PLAYER and spec.may(role)]
    if spec.may(Role.PLAYER):
        found = ["tablet", *found]
    return ["player", *found] if spec.may(Role.PLAYER, one_side=True) else found


STANDINGS = (
    ("player with a side", "{}: for that side", Role.PLAYER, True),
    ("the table's clock", "what a board's buttons do: {}", Role.CLOCK, False),
    ("house tablet", "the same for both sides; {}", Role.PLAYER, False),
    ("annotator", "all that, and {}", Role.ANNOTATOR, False),
    ("arbiter", "all that, and {}", Role.ARBITER, False),
    ("director, console", "all that, and the hardware: {}", Role.DIRECTOR, False),
)
"""Who stands before the page, from the least rights to the most."""


def api_page(text: str) -> str:
    """The page with its list of orders as the table has it now."""
    rows, known = ["| who | may order |", "|---|---|"], set[str]()
    for who, words, role, one_side in STANDINGS:
        may = [spec.name for spec in ORDERS.values() if spec.may(role, one_side)]
        rows.append(f"| {who} | {words.format(', '.join(n for n in may if n not in known))} |")
        known |= set(may)
    table = "\n".join(rows) + "\n"
    return re.sub(r"\| who \| may order \|\n(\|.*\n)+", lambda _: table, text)


def referee_page(text: str) -> str:
    """The page with its drawing as the table has it now."""
    return re.sub(r"```mermaid\n.*?```", lambda _: f"```mermaid\n{drawing()}```", text, flags=re.S)


def main() -> int:
    wanted = {DOCS / "entries.md": entries_page(), DOCS / "orders.md": orders_page()}
    for name, page in (("referee.md", referee_page), ("api.md", api_page)):
        wanted[DOCS / name] = page((DOCS / name).read_text(encoding="utf-8"))
    stale = [
        path
        for path, text in wanted.items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    if "--check" in sys.argv:
        for path in stale:
            print(f"{path.name} is not as the code says: run python scripts/referee_docs.py")
        return 1 if stale else 0
    for path in stale:
        path.write_text(wanted[path], encoding="utf-8")
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
