"""The reference stands alone: it calls no side and no side calls it, also not through helpers of the file.

If one called the other, an answer would be compared with itself. Sharing a helper is allowed.
"""

import ast
import symtable
from collections.abc import Iterator

from perfproof.pairs.bindings import Function, read_bindings
from perfproof.pairs.names import is_variant
from perfproof.pairs.source import Source, nodes

REMEDY = "compute it in a way of its own, or move what both need into a helper"


def refuse_shared_answers(source: Source) -> None:
    read = {node.id for node in nodes(source.tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    if not any(name in ("reference", "baseline") or is_variant(name) or name.startswith("prepare_") for name in read):
        return  # nothing of the file calls any of them
    uses = _uses(source)
    sides = {name for name in uses if name == "baseline" or is_variant(name)}
    sides |= {f"prepare_{side}" for side in sides}
    for name, targets in [("reference", sides), *((side, {"reference"}) for side in sorted(sides))]:
        if path := _path(uses, name, targets):
            through = f" through {', '.join(f'`{helper}`' for helper in path[1:-1])}" if path[2:] else ""
            what = f"`{name}` calls `{path[-1]}`{through}, so an answer is compared with itself"
            raise source.refusal(f"{what}; {REMEDY}", _line(source, name))


def _uses(source: Source) -> dict[str, set[str]]:
    """For every name of the module: the names of the module that stand in the statements which bind or fill it."""
    try:
        tables = symtable.symtable(source.text, source.path.name, "exec").get_children()
    except SyntaxError as error:
        raise source.refusal(f"not Python: {error.msg}; correct the line", error.lineno) from None
    bound = {name: [each.order for each in found] for name, found in read_bindings(source.tree).items()}
    for order, statement in enumerate(source.tree.body):
        if name := _filled(statement):
            bound.setdefault(name, []).append(order)
    read = [_read_by(statement, tables) for statement in source.tree.body]
    return {name: set().union(*(read[order] for order in orders)) - {name} for name, orders in bound.items()}


def _filled(statement: ast.stmt) -> str:
    """`TABLE` in `TABLE.update(plain=baseline)`."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(name)))):
            return name
    return ""


def _read_by(statement: ast.stmt, tables: list[symtable.SymbolTable]) -> set[str]:
    """Names of the module that a statement reads, or that functions and classes in it do."""
    names, waiting = set(), [statement]
    while waiting:
        node: ast.AST = waiting.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            names.add(node.id)
        if isinstance(node, Function | ast.ClassDef | ast.Lambda):  # what is inside has a table
            arguments = getattr(node, "args", None)
            defaults = [*arguments.defaults, *filter(None, arguments.kw_defaults)] if arguments else []
            waiting += [*getattr(node, "decorator_list", []), *getattr(node, "bases", []), *defaults]  # type: ignore[arg-type]
        else:
            waiting += ast.iter_child_nodes(node)  # type: ignore[arg-type]
    first = min([statement.lineno, *(one.lineno for one in getattr(statement, "decorator_list", []))])
    lines = range(first, (statement.end_lineno or statement.lineno) + 1)
    return names.union(*(_globals(table) for table in tables if table.get_lineno() in lines))


def _globals(table: symtable.SymbolTable) -> Iterator[str]:
    """Names of the module that a function or class reads, and those that stand in it do."""
    yield from (symbol.get_name() for symbol in table.get_symbols() if symbol.is_global() and symbol.is_referenced())
    for child in table.get_children():
        yield from _globals(child)


def _path(uses: dict[str, set[str]], start: str, targets: set[str]) -> list[str]:
    """The shortest way from one name to any of the targets, or nothing."""
    ways, seen = [[start]], {start}
    for way in ways:
        for name in sorted(uses.get(way[-1], set()) - seen):
            if name in targets:
                return [*way, name]
            seen.add(name)
            ways.append([*way, name])
    return []


def _line(source: Source, name: str) -> int | None:
    return next((s.lineno for s in source.tree.body if isinstance(s, Function) and s.name == name), None)
