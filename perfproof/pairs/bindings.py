"""The names that a file binds at module level, in order, with how each is bound.

Only two ways can be read without running the file: a function, and a plain assignment. Every other way (an import, an
`if`, `+=`) is kept with its name, so that a refusal can say what stands there instead.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

FUNCTION, VALUE, IMPORT = "a function", "a value", "an import"
Function = ast.FunctionDef | ast.AsyncFunctionDef

_OWN_SCOPE = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_COMPOUND = {
    ast.If: "an `if`",
    ast.For: "a `for`",
    ast.While: "a `while`",
    ast.With: "a `with`",
    ast.Try: "a `try`",
    ast.TryStar: "a `try`",
    ast.Match: "a `match`",
}


@dataclass(frozen=True)
class Binding:
    name: str
    line: int
    end_line: int
    order: int  # of its statement in the module
    how: str  # FUNCTION, VALUE, or what stands there instead: "an import", "inside an `if`"
    node: ast.AST | None  # the function, or the expression of the value


Bindings = dict[str, list[Binding]]


def read_bindings(tree: ast.Module) -> Bindings:
    found: Bindings = {}
    for order, statement in enumerate(tree.body):
        for name, how, node in _bound(statement):
            binding = Binding(name, statement.lineno, statement.end_lineno or statement.lineno, order, how, node)
            found.setdefault(name, []).append(binding)
    return found


def _bound(statement: ast.stmt) -> Iterator[tuple[str, str, ast.AST | None]]:
    if isinstance(statement, ast.Assign):
        for target in statement.targets:
            yield from _assigned(target, statement.value)
    elif isinstance(statement, Function):
        yield statement.name, FUNCTION, statement
    elif isinstance(statement, ast.AnnAssign):
        if statement.value is not None:
            yield from _assigned(statement.target, statement.value)
    elif not isinstance(statement, ast.Expr):
        inside = "inside " + _COMPOUND[type(statement)] if type(statement) in _COMPOUND else ""
        for name, how in _bound_inside(statement):
            yield name, how if how == IMPORT else inside or how, None


def _assigned(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, str, ast.AST | None]]:
    """The names of one assignment; `ROWS, COLS = 4, 8` is read as two."""
    if isinstance(target, ast.Name):
        yield target.id, VALUE, value
    elif isinstance(target, ast.Tuple | ast.List):
        values = value.elts if isinstance(value, ast.Tuple | ast.List) else []
        plain = len(values) == len(target.elts) and not any(isinstance(e, ast.Starred) for e in [*values, *target.elts])
        for position, element in enumerate(target.elts):
            if plain:
                yield from _assigned(element, values[position])
            else:
                yield from ((name, "part of an unpacking", None) for name, _ in _bound_inside(element))
    else:
        while isinstance(target, ast.Attribute | ast.Subscript | ast.Starred):
            target = target.value
        if isinstance(target, ast.Name):
            yield target.id, "changed in place", None


def _bound_inside(statement: ast.AST) -> Iterator[tuple[str, str]]:
    """Every name bound in a statement, not in the functions and classes it holds."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Function):
            yield node.name, FUNCTION
        elif isinstance(node, ast.ClassDef):
            yield node.name, "a class"
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from (((alias.asname or alias.name).split(".")[0], IMPORT) for alias in node.names)
        elif isinstance(node, ast.Name):
            if not isinstance(node.ctx, ast.Load):
                yield node.id, "changed in place"
        elif not isinstance(node, _OWN_SCOPE):
            if isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
                yield node.name, "changed in place"
            waiting.extend(ast.iter_child_nodes(node))
