"""The names of the contract, and the ones that were surely meant to be."""

import ast
from collections.abc import Iterable
from functools import lru_cache

from perfproof.pairs.bindings import FUNCTION, IMPORT, Bindings
from perfproof.pairs.source import Source, nodes, shown

VALUES = (
    "workload", "workload_cpu", "smoke", "sweep", "constant", "mutates", "cold", "tolerance",
    "lowers_precision", "domain", "layout", "distribution", "tier", "claim", "clock", "needs", "ranks", "tour", "menu",
    "counters",
)  # fmt: skip
FUNCTIONS = ("inputs", "reference", "baseline", "optimized", "cost")
CONSTANTS = "constants"  # a function of the contract where `constant` is declared and the file does not call it itself
BORROWABLE = ("inputs", "reference", "baseline", "tolerance")  # a lab's step may name a sibling file instead
SMALLEST = ("inputs", "baseline", "optimized")  # all that a user's own pair needs, and `workload` if `inputs` has sizes
REQUIRED = {
    "workload": "add the sizes, such as `workload = dict(rows=4096)`",
    "inputs": "add `def inputs(...):` that takes the sizes and returns the arguments",
    "reference": "add `def reference(...):`, slow and obviously right",
    "baseline": "add `def baseline(...):`, what people write first",
    "optimized": "add `def optimized(...):`, or `def optimized_<name>(...):` for each variant",
    "tolerance": "add `tolerance = dict(rtol=..., atol=...)  # and the reason`",
    "tier": 'add `tier = "naive"`, "idiomatic" or "vendor": what the baseline is',
    "cost": "add `def cost(...):` that takes the sizes and returns dict(flops=..., bytes=...)",
}

RETIRED = {"structured": "values are only ever drawn by `inputs` now: remove it"}

# Words of their own, although close to a long contract name: fine where the file uses them.
_ORDINARY = {"optimizer", "optimizers", "optimize", "counter", "mutate", "rotates", "constants", "references"}
_FAR = 3


def is_variant(name: str) -> bool:
    return name == "optimized" or (name.startswith("optimized_") and len(name) > len("optimized_"))


def is_function(name: str) -> bool:
    """A name that the contract gives to a function."""
    return name in FUNCTIONS or is_variant(name) or name.startswith("prepare_")


def is_contract_name(name: str) -> bool:
    return name in VALUES or is_function(name)


def makes_constants(source: Source, bindings: Bindings) -> bool:
    """Is there a function that makes the constants? The word alone is an ordinary one."""
    bound = bindings.get(CONSTANTS, [])
    return bool(bound) and bound[0].how == FUNCTION and "constant" in bindings and not _uses(source.tree, CONSTANTS)


def refuse_misspelt(source: Source, bindings: Bindings, required: Iterable[str] = tuple(REQUIRED)) -> None:
    """Refuse a name within two letters of a contract name: `optimised` would be dropped without a word.

    A short contract name has ordinary neighbours (`clock`, `block`), so a name that the file itself uses is taken for
    what it is, unless it is a function like `optimised`, or stands in for a required name that is missing.
    """
    for name, bound in bindings.items():
        if name in RETIRED and not _uses(source.tree, name):
            raise source.refusal(f"`{name}` is no longer needed; {RETIRED[name]}", bound[0].line)
        if name == CONSTANTS and makes_constants(source, bindings):
            continue
        if bound[0].how == IMPORT or len(name) < 4 or name.startswith("_") or not name.islower():
            continue
        meant = _nearest(name)
        missing = meant in required and is_missing(meant, bindings)
        slip = bound[0].how == FUNCTION and _is_slip(name, meant)
        if meant and (missing or slip or not _uses(source.tree, name)):
            more = ", or `optimized_<name>` for a further variant" if meant == "optimized" else ""
            raise source.refusal(f"`{name}` means nothing here; did you mean `{meant}`{more}?", bound[0].line)


def refuse_program(source: Source, bindings: Bindings) -> None:
    """A file without a function of a pair is a program: it is measured by other commands."""
    name = shown(source.path)
    whole = not any(is_missing(one, bindings) for one in SMALLEST)
    if not whole and any(is_call_of_compare(node) for node in nodes(source.tree)):  # it may call its values `inputs`
        raise source.refusal(f"it calls perfproof.compare and is no pair; run it by itself: `python {name}`")
    if any(one in SMALLEST or is_variant(one) or _nearest(one) in SMALLEST for one in bindings):
        return
    raise source.refusal(
        f"it has no `inputs`, `baseline` or `optimized`: a program, and no pair; profile it with `perfproof profile -- "
        f"python {name}`, compare it with `perfproof ab 'python {name}' 'python other.py'`, or write a pair "
        "(`perfproof new my_pair`)"
    )


def is_call_of_compare(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name("perfproof"), attr="compare")):
            return True
        case ast.ImportFrom(module="perfproof", names=names):
            return any(alias.name == "compare" for alias in names)
    return False


def refuse_missing(source: Source, bindings: Bindings, required: Iterable[str] = tuple(REQUIRED)) -> None:
    for name in required:
        if is_missing(name, bindings):
            raise source.refusal(f"no `{name}`; {REQUIRED[name]}")


def is_missing(name: str, bindings: Bindings) -> bool:
    return not any(map(is_variant, bindings)) if name == "optimized" else name not in bindings


def _is_slip(name: str, meant: str) -> bool:
    """Is a function named so a misspelt one, even if the file uses it? `counts` beside `counters` is a value."""
    return is_function(meant) and len(meant) > 6 and name not in _ORDINARY


def _uses(tree: ast.Module, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load) for n in nodes(tree))


@lru_cache(maxsize=4096)
def _nearest(name: str) -> str:
    """The contract name that `name` is a slip of, or nothing."""
    if is_contract_name(name):
        return ""
    near = [(distance, known) for known in (*VALUES, *FUNCTIONS) if (distance := edit_distance(name, known)) < _FAR]
    if near:
        return min(near)[1]
    head, underscore, tail = name.partition("_")
    for known in ("optimized", "prepare"):  # optimised_tiled, prepair_optimized
        if underscore and tail and edit_distance(head, known) < _FAR:
            return f"{known}_{tail}"
    return ""


def edit_distance(one: str, other: str) -> int:
    """Letters to insert, delete or replace; 3 stands for three and more."""
    if abs(len(one) - len(other)) >= _FAR or len(set(one) ^ set(other)) >= 2 * _FAR:
        return _FAR
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        previous, row = row, [i]
        for j, wanted in enumerate(other, 1):
            row.append(min(previous[j] + 1, row[-1] + 1, previous[j - 1] + (letter != wanted)))
        if min(row) >= _FAR:
            return _FAR
    return min(row[-1], _FAR)
