"""Another number of ranks for a pair, `--set ranks=4`: the one declaration that can be changed like a size."""

import ast
from dataclasses import replace
from typing import Any

from perfproof.core.errors import UsageError
from perfproof.pairs.pair import Pair
from perfproof.pairs.source import read_source, shown

KEY = "ranks"
MOST = 128  # each is a process of this machine


def parse_ranks(text: str, pair: Pair, item: str) -> int:
    """The number for a pair that runs on ranks; UsageError if it cannot have another one."""
    if pair.ranks == 1:
        raise UsageError(f"--set {item!r}: {pair.name} runs in one process; it declares no `ranks`")
    try:
        count = int(text)
    except ValueError:
        count = 0
    if not 2 <= count <= MOST:
        raise UsageError(f"--set {item!r}: ranks is a whole number from 2 to {MOST}, as in ranks={pair.ranks}")
    if count != pair.ranks and (line := _read_on_import(pair)):
        where = f"{shown(pair.path)}:{line}"
        raise UsageError(f"{where}: `ranks` is read on import and would keep its value; read it inside the functions")
    return count


def with_ranks(pair: Pair, sizes: dict[str, Any]) -> Pair:
    """The pair on as many ranks as the sizes say."""
    return replace(pair, ranks=sizes[KEY]) if KEY in sizes and KEY not in pair.workload else pair


def without_ranks(pair: Pair, sizes: dict[str, Any]) -> dict[str, Any]:
    """The sizes that `inputs` takes."""
    return {name: value for name, value in sizes.items() if name != KEY or KEY in pair.workload}


def _read_on_import(pair: Pair) -> int:
    """The line of a statement outside of functions that reads `ranks`; 0 if there is none."""
    for path in (pair.path, *pair.siblings.values()):
        for statement in read_source(path).tree.body:
            for node in _outside_of_functions(statement):
                if isinstance(node, ast.Name) and node.id == KEY and isinstance(node.ctx, ast.Load):
                    return node.lineno
    return 0


def _outside_of_functions(node: ast.AST) -> list[ast.AST]:
    """What runs on import: of a function its decorators and defaults, and not its body."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        inside: list[ast.AST] = [*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)]
    elif isinstance(node, ast.Lambda):
        inside = [*node.args.defaults, *filter(None, node.args.kw_defaults)]
    else:
        inside = list(ast.iter_child_nodes(node))
    return [node, *(found for child in inside for found in _outside_of_functions(child))]
