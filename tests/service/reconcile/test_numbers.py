"""The numbers that somebody chose, counted: what reconcile weighs with may become less, never more,
unless it is measured or fitted.
"""

from __future__ import annotations

import ast
from pathlib import Path

from service import reconcile

FOLDER = Path(reconcile.__file__).parent
FACTS = frozenset(
    {
        # Shapes and the board itself.
        *("COUNTS", "IMPOSSIBLE", "NEVER", "ONE_CHECKER", "WHOLE_FIELD", "LOG_PRIOR", "SITES"),
        *("MOVED", "MOST_MOVES"),
        # Sizes that bound work and change no answer that is given.
        *("AT_ONCE", "RUNNERS", "DOUBTS", "MEMORY", "MOST_STILLS", "beam", "candidates"),
        *("CLOUD", "MOST_HITS", "MOST_WAYS", "_MARKED_EVERY"),
        # Values that begin at nothing.
        *("stirred_at", "seen_at", "number", "rests", "moved_at", "seen", "missed", "late_s"),
        *("since", "misfit_", "placed", "gap", "cost", "throws", "game", "total", "p", "frame"),
        *("owed", "between_nats"),
    }
)
"""Numbers that are no choice about how a table is judged."""
MEASURED = frozenset(
    {
        *("roll_flat", "UNSEEN_TURN", "bar_nats", "tall_nats", "misread_pile_nats"),
        *("TALL", "one_site_nats", "die_floor"),
    }
)
"""Of what readers and boards were measured to do; their docstrings say with what. The
last three are held against the measured readings by `test_measured`."""
GOAL = 40
CHOSEN_NOW = 53
"""So many are chosen now. Lower it when one goes; the goal is `GOAL`."""


def is_number(node: ast.expr | None) -> bool:
    """Whether a value is a number, written out or with a sign."""
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, int | float)
        and not isinstance(node.value, bool)
    )


def numbers_of(tree: ast.Module) -> set[str]:
    """Names of the numbers of a module: constants, values of tables, defaults of fields."""
    found: set[str] = set()
    blocks = [tree.body, *(n.body for n in tree.body if isinstance(n, ast.ClassDef))]
    for node in (node for block in blocks for node in block):
        if isinstance(node, ast.AnnAssign):
            target, value = node.target, node.value
        elif isinstance(node, ast.Assign):
            target, value = node.targets[0], node.value
        else:
            continue
        if not isinstance(target, ast.Name):
            continue
        if is_number(value):
            found.add(target.id)
        elif isinstance(value, ast.Dict):
            keys = zip(value.keys, value.values, strict=True)
            found |= {f"{target.id}[{ast.unparse(k)}]" for k, v in keys if k and is_number(v)}
    return found


def chosen() -> set[str]:
    """Every number of the room that somebody chose."""
    found: set[str] = set()
    for file in sorted(FOLDER.glob("*.py")):
        tree = ast.parse(file.read_text("utf-8"))
        enums = {
            n.name
            for n in tree.body
            if isinstance(n, ast.ClassDef) and any("Enum" in ast.unparse(b) for b in n.bases)
        }
        tree.body = [n for n in tree.body if getattr(n, "name", "") not in enums]
        found |= {f"{file.stem}.{name}" for name in numbers_of(tree)}
    return {name for name in found if name.partition(".")[2] not in FACTS | MEASURED}


def test_the_numbers_that_somebody_chose_do_not_become_more() -> None:
    now = chosen()
    assert len(now) <= CHOSEN_NOW, sorted(now)
    assert GOAL <= CHOSEN_NOW


def test_what_is_called_measured_is_there() -> None:
    text = "\n".join(file.read_text("utf-8") for file in FOLDER.glob("*.py"))
    assert all(f"{name}:" in text for name in MEASURED)
