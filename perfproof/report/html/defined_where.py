"""Where the function of a side is defined: in the pair's file, or in a module of the project that the file imports.

`from mylib.sort import merge as baseline` and `optimized = sort.merge_fast` are followed; an instance's method is not.
"""

import ast
from collections.abc import Mapping
from pathlib import Path

from perfproof.pairs.project import dotted_name, folders, own_modules
from perfproof.pairs.source import Source, read_source

MOST_STEPS = 8  # an import may lead to another one


def defined_where(source: Source, name: str, places: tuple[Path, ...] = ()) -> tuple[Source, str] | None:
    """The file and the function's name there; None if the name stands for something else than a function.

    Modules are looked for in `places`, by default those of the project around a pair's file.
    """
    places = places or folders(source.path)
    modules = {dotted_name(file, places): file for file in own_modules(source, places)}
    for _ in range(MOST_STEPS):
        node = next((one for one in reversed(source.tree.body) if name in _bound(one)), None)
        if isinstance(node, ast.FunctionDef):
            return source, name
        if isinstance(node, ast.ImportFrom):
            module, taken = _module_of(node, source.path, places), _taken(node, name)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):
            name = node.value.id
            continue
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Attribute):
            module, taken = _imported_as(source.tree, node.value.value, modules), node.value.attr
        else:
            return None
        if module not in modules:
            return None
        source, name = read_source(modules[module]), taken
    return None


def _bound(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef):
        return [node.name]
    if isinstance(node, ast.ImportFrom):
        return [alias.asname or alias.name for alias in node.names]
    return [one.id for one in node.targets if isinstance(one, ast.Name)] if isinstance(node, ast.Assign) else []


def _taken(node: ast.ImportFrom, name: str) -> str:
    return next(alias.name for alias in node.names if name == (alias.asname or alias.name))


def _module_of(node: ast.ImportFrom, file: Path, places: tuple[Path, ...]) -> str:
    """The absolute name of the module that is imported from; `from . import x` is relative to the file's package."""
    if not node.level:
        return node.module or ""
    own = dotted_name(file, places).split(".")
    package = own if file.name == "__init__.py" else own[:-1]
    kept = package[: len(package) - node.level + 1]
    return ".".join([*kept, *([node.module] if node.module else [])])


def _imported_as(tree: ast.Module, value: ast.expr, modules: Mapping[str, Path]) -> str:
    """The module that `value` names, as in `sort.merge` after `from mylib import sort`; empty if it names none."""
    text = ast.unparse(value)
    for node in tree.body:
        for alias in node.names if isinstance(node, ast.Import | ast.ImportFrom) else ():
            if text == (alias.asname or alias.name):
                whole = f"{node.module}.{alias.name}" if isinstance(node, ast.ImportFrom) else alias.name
                return whole if whole in modules else ""
    return ""
