"""Mutants: a module with one operator, constant or condition changed."""

from __future__ import annotations

import ast
import collections
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Pow: ast.Mult,
}  # fmt: skip
WORDS = ("explain", "__repr__", "__str__")
"""Methods that write words for people."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change: in which file, at the how-manieth node, which of the changes that the node allows.

    ``function`` is the qualified name of the outermost function around it; empty where the module's own code, a class
    body or a default is changed. ``key`` tells the mutant from all others of its file, whatever stands above it.
    ``lines`` are those of the statement that is changed, without what is nested in it.
    """

    path: Path
    node: int
    choice: int
    function: str
    key: str
    lines: range = range(0)


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Every mutant of a module, in the order of its code."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    seen: collections.Counter[str] = collections.Counter()
    for number, (node, where, function, lines) in enumerate(_nodes(tree)):
        for choice, changed in enumerate(_changes(node)):
            key = f"{where or 'module'}: {_short(node)} -> {_short(changed)}"
            seen[key] += 1
            yield Mutant(
                path, number, choice, function, key if seen[key] == 1 else f"{key} ({seen[key]})", lines
            )


def mutated(mutant: Mutant) -> ast.Module:
    """The module's tree with the change made."""
    tree = ast.parse(mutant.path.read_text(encoding="utf-8"))
    node = next(node for number, (node, *_) in enumerate(_nodes(tree)) if number == mutant.node)
    changed = ast.copy_location(list(_changes(node))[mutant.choice], node)

    class Replace(ast.NodeTransformer):
        def visit(self, seen: ast.AST) -> ast.AST:
            return changed if seen is node else super().visit(seen)

    return ast.fix_missing_locations(Replace().visit(tree))


def _nodes(
    tree: ast.AST, where: str = "", function: str = "", lines: range = range(0)
) -> Iterator[tuple[ast.expr, str, str, range]]:
    """The expressions that count, where they are, in which function and statement: no annotations, decorators or texts of errors."""
    for name, value in ast.iter_fields(tree):
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or name in ("annotation", "returns", "decorator_list"):
                continue
            if isinstance(child, (ast.Raise, ast.JoinedStr, ast.Assert)):
                continue
            if isinstance(child, ast.keyword) and child.arg == "strict":
                continue  # zip's own check of what cannot be
            inside, body = where, function
            if isinstance(child, (ast.FunctionDef, ast.ClassDef)):
                inside = f"{where}.{child.name}".lstrip(".")
                if isinstance(child, ast.FunctionDef) and child.name in WORDS:
                    continue
            if isinstance(tree, ast.FunctionDef) and name == "body":
                body = function or where
            if isinstance(child, ast.expr):
                yield child, inside, body, lines
            yield from _nodes(child, inside, body, _lines(child) if isinstance(child, ast.stmt) else lines)


def _lines(statement: ast.stmt) -> range:
    """The lines of a statement up to what is nested in it."""
    nested = getattr(statement, "body", None)
    end = nested[0].lineno - 1 if nested else statement.end_lineno or statement.lineno
    return range(statement.lineno, max(statement.lineno, end) + 1)


def _changes(node: ast.expr) -> Iterator[ast.expr]:
    match node:
        case ast.Compare(ops=[op, *_]) if type(op) in COMPARISONS:
            changed = copy.deepcopy(node)
            changed.ops[0] = COMPARISONS[type(op)]()
            yield changed
        case ast.BinOp(op=op) if type(op) in OPERATORS and not _is_text(node):
            changed_op = copy.deepcopy(node)
            changed_op.op = OPERATORS[type(op)]()
            yield changed_op
        case ast.BoolOp(op=op):
            turned = copy.deepcopy(node)
            turned.op = ast.Or() if isinstance(op, ast.And) else ast.And()
            yield turned
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield operand
        case ast.IfExp(body=body, orelse=other):
            yield body
            yield other
        case ast.Constant(value=bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(value=int() | float() as value):
            yield ast.Constant(value + 1)


def _is_text(node: ast.BinOp) -> bool:
    """Whether texts are joined or formatted, which subtraction cannot do."""
    sides = (node.left, node.right)
    return any(
        isinstance(side, ast.JoinedStr) or (isinstance(side, ast.Constant) and isinstance(side.value, str))
        for side in sides
    )


def _short(node: ast.expr) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 100 else text[:99] + "…"
