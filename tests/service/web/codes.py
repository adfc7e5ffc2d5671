"""Every code that the house's own source can say in a place: literals, and what reaches that place
by a name, a choice of two, a parameter or a field. What cannot be followed is said by its source,
so that no code hides behind an expression.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from rules.conduct import CONDUCT
from rules.infraction import Broken

ROOT = Path(__file__).resolve().parents[3]
CHOSEN_BY_PEOPLE = {"INFRACTION.of(order)": {code.value for code in CONDUCT}}
"""Expressions whose values are an argument's own choices."""
Function = ast.FunctionDef | ast.AsyncFunctionDef


class Source:
    """What stands in service and rules: functions, calls and assignments, by name."""

    def __init__(self) -> None:
        self.functions: dict[str, list[Function]] = defaultdict(list)
        self.calls: dict[str, list[tuple[ast.Call, Function | None]]] = defaultdict(list)
        self.assigned: dict[str, list[tuple[ast.expr, Function | None]]] = defaultdict(list)
        self.makes: dict[Function, str] = {}
        self.homes: dict[ast.AST, Path] = {}
        for room in ("service", "rules"):
            for path in sorted((ROOT / room).rglob("*.py")):
                self._take(ast.parse(path.read_text(encoding="utf-8")), None, path)

    def _take(self, node: ast.AST, inside: Function | None, home: Path) -> None:
        for child in ast.iter_child_nodes(node):
            self.homes[child] = home
            if isinstance(child, Function):
                self.functions[child.name].append(child)
                # Whoever makes a thing calls its class.
                if child.name == "__init__" and isinstance(node, ast.ClassDef):
                    self.makes[child] = node.name
            if isinstance(child, ast.Call):
                self.calls[_called(child)].append((child, inside))
                for keyword in child.keywords:
                    self.assigned[f".{keyword.arg}"].append((keyword.value, inside))
            for name, value in _assignments(child):
                self.assigned[name].append((value, inside))
            self._take(child, child if isinstance(child, Function) else inside, home)

    def said(self, callee: str, index: int = 0, name: str = "") -> tuple[set[str], set[str]]:
        """The codes that a call of this can be given there, by place or by name, and expressions
        that nobody can follow; an empty text is no code.
        """
        codes: set[str] = set()
        unknown: set[str] = set()
        for call, inside in self.calls[callee]:
            given = [keyword.value for keyword in call.keywords if keyword.arg == name]
            if not (call.args and isinstance(call.args[0], ast.Starred)):
                given += call.args[index : index + 1]
            for value in given:
                for found in self.values(value, inside, frozenset()):
                    (unknown if " " in found else codes).add(found)
        return codes - {""}, unknown

    def values(
        self, node: ast.expr, inside: Function | None, seen: frozenset[int]
    ) -> Iterator[str]:
        """Each text that an expression can be; its own source after a space where that is not
        known.
        """
        if id(node) in seen:
            return
        seen |= {id(node)}
        match node:
            case ast.Constant(value=str(text)):
                yield text
            case ast.IfExp():
                yield from self.values(node.body, inside, seen)
                yield from self.values(node.orelse, inside, seen)
            case ast.BoolOp():
                for value in node.values:
                    yield from self.values(value, inside, seen)
            case ast.Attribute(value=ast.Name(id="Broken"), attr=name):
                yield Broken[name].value
            case ast.Attribute(value=inner, attr="value"):
                yield from self.values(inner, inside, seen)
            case ast.Name(id=name):
                yield from self._named(name, inside, seen)
            case ast.Attribute(attr=name) if found := self._anywhere(name):
                for value, where in found:
                    yield from self.values(value, where, seen)
            case ast.Call(func=ast.Name(id="Field" | "field")):
                # What a field is described as; its values are whatever is put there.
                return
            case ast.Call() if (text := ast.unparse(node)) in CHOSEN_BY_PEOPLE:
                yield from CHOSEN_BY_PEOPLE[text]
            case ast.Call() if made := _mentioned(self.functions[_called(node)]):
                yield from made
            case ast.Call(func=ast.Attribute(value=ast.Dict(values=choices)), args=[_, other]):
                # {404: "not_found"}.get(status, "http")
                for choice in (*choices, other):
                    yield from self.values(choice, inside, seen)
            case _:
                yield f"? {ast.unparse(node)}"

    def _named(self, name: str, inside: Function | None, seen: frozenset[int]) -> Iterator[str]:
        """A name is what its function assigns it or is given; else a constant."""
        if inside is not None:
            own = [value for value, where in self.assigned[name] if where is inside]
            place = [arg.arg for arg in inside.args.args if arg.arg != "self"]
            for value in own:
                yield from self.values(value, inside, seen)
            if own:
                return
            if name in place:
                for call, where in self.calls[self.makes.get(inside, inside.name)]:
                    given = [k.value for k in call.keywords if k.arg == name]
                    given += call.args[place.index(name) : place.index(name) + 1]
                    for value in given:
                        yield from self.values(value, where, seen)
                return
        constants = [value for value, where in self.assigned[name] if where is None]
        # Of two constants of one name the module's own is meant.
        here = [value for value in constants if inside and self.homes[value] == self.homes[inside]]
        constants = here or constants
        for value in constants:
            yield from self.values(value, None, seen)
        if not constants:
            yield f"? {name}"

    def _anywhere(self, name: str) -> list[tuple[ast.expr, Function | None]]:
        """Whatever a field of this name is given: by keyword, or by a local of its name."""
        found = [*self.assigned[f".{name}"], *self.assigned[name]]
        return [pair for pair in found if not isinstance(pair[0], ast.Call | ast.Attribute)]


def _called(call: ast.Call) -> str:
    func = call.func
    return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")


def _assignments(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            yield name, value
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            yield name, value
        case ast.NamedExpr(target=ast.Name(id=name), value=value):
            yield name, value
        case ast.For(target=ast.Name(id=name), iter=value):
            yield name, value


def _mentioned(functions: list[Function]) -> set[str]:
    """The rules broken that a function names."""
    return {
        Broken[node.attr].value
        for function in functions
        for node in ast.walk(function)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "Broken"
    }


@cache
def source() -> Source:
    """The house's source, read once."""
    return Source()
