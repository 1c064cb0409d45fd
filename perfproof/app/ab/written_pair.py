"""The pair that is written for a function at two revisions, or for two functions, into a temporary folder.

Its sides call the function, and `inputs` evaluates what `--args` says. Each revision imports the function from its own
checkout.
"""

import ast
import builtins
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path

from perfproof.app.ab.call import FunctionCall, places_in
from perfproof.core.documents import FunctionSource
from perfproof.core.errors import ContractError, UsageError
from perfproof.machine.worktrees import Tree
from perfproof.pairs.contract import read_pair
from perfproof.pairs.pair import Pair
from perfproof.pairs.project import read_tree
from perfproof.pairs.source import Source, read_source, shown
from perfproof.report.html.defined_where import defined_where

# Names that --args may use without --setup.
KNOWN = {
    "np": "import numpy as np",
    "numpy": "import numpy",
    "torch": "import torch",
    "random": "import random",
    "math": "import math",
}
TAKEN = ("_measured", "_other")  # the functions in the sides
EXAMPLE = "--args 'np.random.rand(1000), axis=0'"


def write_pair(
    call: FunctionCall, stack: ExitStack, other: FunctionCall | None = None, names: Sequence[str] = ()
) -> Path:
    """The pair's file, in a folder that the stack removes."""
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="perfproof-function-")))
    file = folder / "function.py"
    file.write_text(pair_text(call, other, names), encoding="utf-8")
    return file


def pair_text(call: FunctionCall, other: FunctionCall | None = None, names: Sequence[str] = ()) -> str:
    """Literal arguments stand in the call itself; every other one is drawn by `inputs`.

    The sides call the same function of different checkouts, or `optimized` calls another one. Arguments without a
    keyword have the function's own `names`, as far as these are known.
    """
    parsed, setup = _parsed_call(call.arguments), _parsed_setup(call.setup)
    drawn: dict[str, ast.expr] = {}
    for number, value in enumerate(parsed.args):
        if not _is_literal(value):
            name = names[number] if number < len(names) and names[number] not in TAKEN else f"argument_{number + 1}"
            drawn[name] = value
            parsed.args[number] = ast.Name(name)
    for keyword in parsed.keywords:
        if not _is_literal(keyword.value):
            drawn[f"{keyword.arg}"] = keyword.value
            keyword.value = ast.Name(f"{keyword.arg}")
    values = "".join(f"{ast.unparse(value)}, " for value in drawn.values())
    used = {one.id for value in (*drawn.values(), setup) for one in ast.walk(value) if isinstance(one, ast.Name)}
    what = "at two revisions" if other is None else f"and {other.module}:{other.name}"
    parts = [
        f'"""{call.module}:{call.name} {what}."""',
        *(line for name, line in KNOWN.items() if name in used and name not in _bound_by(setup)),
        ast.unparse(setup),
        *_imported(call, "_measured"),
        *(_imported(other, "_other") if other else ()),
        f"\n\ndef inputs():\n    return ({values.strip()})\n",
    ]
    for side, name in (("baseline", "_measured"), ("optimized", "_other" if other else "_measured")):
        parsed.func = ast.Name(name)
        parts.append(f"\ndef {side}({', '.join(drawn)}):\n    return {ast.unparse(parsed)}\n")
    return "\n".join(parts)


def _imported(call: FunctionCall, name: str) -> list[str]:
    first, *rest = call.name.split(".")
    return [f"from {call.module} import {first} as {name}_found", f"{name} = {'.'.join([f'{name}_found', *rest])}"]


def pair_of(call: FunctionCall, file: Path, tree: Tree, inside: Path) -> Pair:
    """The pair in one revision; errors say which, before anything is measured."""
    places = places_in(tree, inside)
    refuse_absent(call, tree, places)
    try:
        found = read_pair(file, f"{call.title} at {tree.label}", "functions", own=True, places=places)
    except ContractError as error:
        raise UsageError(f"--setup and --args cannot be measured: {error.what}") from None
    return replace(found, left_out=())


def refuse_absent(call: FunctionCall, tree: Tree, places: Sequence[Path]) -> None:
    file = _module_file(call.module, places)
    if file is None:
        looked = ", ".join(dict.fromkeys(str(place.relative_to(tree.path)) for place in places))
        raise UsageError(f"there is no module {call.module} at {tree.label} (looked in {looked}); check the name")
    module, first = read_tree(file), call.name.split(".")[0]
    if module is None:
        raise UsageError(f"{file.relative_to(tree.path)} at {tree.label} cannot be read as Python")
    names = _bound_by(module)
    if first not in names and not names & {"*", "__getattr__"}:
        near = get_close_matches(first, names, n=1)
        moved = (
            "name a function that both revisions have; of one that moved a pair file can import either (try, except)"
        )
        meant = f"did you mean {near[0]}?" if near else moved
        raise UsageError(f"{call.module} has no {first} at {tree.label}; {meant}")
    if not call.arguments.strip() and (needed := _required(module, call.name)):
        asks = f"{call.name} at {tree.label} takes {', '.join(needed)}"
        raise UsageError(f"{asks}: say with what it is called, for example {EXAMPLE}")


def _required(module: ast.Module, name: str) -> list[str]:
    """The parameters without a default of a plain function of the file; none if it is not one."""
    for one in module.body:
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) and one.name == name and not one.decorator_list:
            positional = [each.arg for each in (*one.args.posonlyargs, *one.args.args)]
            named = zip(one.args.kwonlyargs, one.args.kw_defaults, strict=True)
            kept = positional[: len(positional) - len(one.args.defaults)]
            return kept + [each.arg for each, default in named if default is None]
    return []


def parameters_in(call: FunctionCall, places: Sequence[Path]) -> list[str]:
    """What the function calls its positional arguments there; empty if it is no plain function of the project."""
    found = _defined_in(call, places)
    if found is None:
        return []
    taken = [each.arg for each in (*found[1].args.posonlyargs, *found[1].args.args)]
    marks = {mark.id for mark in found[1].decorator_list if isinstance(mark, ast.Name)}
    return taken[1:] if "classmethod" in marks else taken


def file_of(call: FunctionCall, places: Sequence[Path]) -> FunctionSource | None:
    """Where the function is defined; None if it is no plain function of the project."""
    found = _defined_in(call, places)
    if found is None:
        return None
    source, node = found
    first = min([node.lineno, *(mark.lineno for mark in node.decorator_list)])
    return FunctionSource(path=shown(source.path), name=node.name, line=first, sha256=source.sha256)


def _defined_in(call: FunctionCall, places: Sequence[Path]) -> tuple[Source, ast.FunctionDef] | None:
    """The function as it stands in its file, to which imports of the project are followed."""
    file, (*outer, name) = _module_file(call.module, places), call.name.split(".")
    if file is None:
        return None
    try:
        source = read_source(file)
        found = None if outer else defined_where(source, name, tuple(places))
    except (ContractError, OSError):
        return None
    source, name = found or (source, name)
    body: list[ast.stmt] = source.tree.body
    for each in outer:
        body = next((one.body for one in body if isinstance(one, ast.ClassDef) and one.name == each), [])
    nodes = [one for one in body if isinstance(one, ast.FunctionDef) and one.name == name]
    return (source, nodes[-1]) if nodes else None


def _module_file(module: str, places: Sequence[Path]) -> Path | None:
    for place in places:
        inside = place.joinpath(*module.split("."))
        for file in (inside / "__init__.py", inside.with_name(f"{inside.name}.py")):
            if file.is_file():
                return file
    return None


def _bound_by(module: ast.Module) -> set[str]:
    """The names that a file binds, also within `if` and `try`; "*" if it imports all names of another."""
    found: set[str] = set()
    for one in ast.walk(module):
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(one.name)
        elif isinstance(one, ast.Import | ast.ImportFrom):
            found |= {(alias.asname or alias.name).split(".")[0] for alias in one.names}
        elif isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
            found.add(one.id)
    return found


def refuse_unknown(call: FunctionCall) -> None:
    """A name that --args takes from nowhere."""
    parsed, known = _parsed_call(call.arguments), {*KNOWN, *_bound_by(_parsed_setup(call.setup)), *dir(builtins)}
    if "*" in known:
        return
    for value in (*parsed.args, *(keyword.value for keyword in parsed.keywords)):
        inside = [*ast.walk(value)]
        own = {one.id for one in inside if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
        own |= {one.arg for one in inside if isinstance(one, ast.arg)}
        for one in inside:
            if isinstance(one, ast.Name) and one.id not in known | own:
                raise UsageError(
                    f"--args: nothing is called {one.id} there; import it, as in "
                    f"--setup 'from {call.module.split('.')[0]}.data import {one.id}'"
                )


def _parsed_call(arguments: str) -> ast.Call:
    try:
        parsed = ast.parse(f"f({arguments}\n)", mode="eval").body
    except (SyntaxError, ValueError):
        parsed = None
    if not isinstance(parsed, ast.Call) or not isinstance(parsed.func, ast.Name):
        raise UsageError(f"--args {arguments!r} are no arguments of a call: write for example {EXAMPLE}")
    if any(isinstance(one, ast.Starred) for one in parsed.args) or any(one.arg is None for one in parsed.keywords):
        raise UsageError(f"--args {arguments!r}: name every argument, without * and **")
    return parsed


def _parsed_setup(setup: str) -> ast.Module:
    try:
        return ast.parse(setup)
    except (SyntaxError, ValueError) as error:
        raise UsageError(f"--setup {setup!r} is no Python: {getattr(error, 'msg', error)}") from None


def _is_literal(value: ast.expr) -> bool:
    try:
        ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True
