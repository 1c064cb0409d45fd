"""Why all draws of `inputs` are alike: a generator with a fixed seed is named by its line, with what to write instead.

This module only explains. That the draws are alike is found by drawing twice (`verification.sameness_problem`).
"""

import ast
import inspect
import linecache
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any

from perfproof.worker.libraries import is_installed
from perfproof.worker.measure import own_seeds
from perfproof.worker.raised import defined_at

DRAW = "draw them at random, and give a generator of your own a drawn seed"
TORCH, NUMPY, PYTHON = "int(torch.randint(2**62, ()))", "np.random.randint(2**31)", "random.getrandbits(62)"
# What makes or seeds a generator, by the last part of its name -> a seed that is drawn.
GENERATORS = {
    "manual_seed": TORCH,
    "Random": PYTHON,
    **dict.fromkeys(("default_rng", "RandomState", "SeedSequence", "seed"), NUMPY),
    **dict.fromkeys(("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64"), NUMPY),
}
KEYWORDS = ("random_state", "seed", "rng")  # of any function that draws, such as those of scikit-learn
MOST_FUNCTIONS = 20  # that are read: `inputs` and what it calls in the user's own files


def remedy(inputs: Any) -> str:
    """What to do about equal draws, with file and line."""
    function = inspect.unwrap(inputs) if callable(inputs) else None
    for one in _own_functions(function):
        if found := _fixed_seed(one):
            return found
    return f"{DRAW}{defined_at(function)}"


def _own_functions(function: Any) -> Iterator[FunctionType]:
    """`inputs`, then the functions of the user's own files that it names, directly or through another."""
    waiting, seen = [function], set[int]()
    while waiting and len(seen) < MOST_FUNCTIONS:
        one = waiting.pop(0)
        if not isinstance(one, FunctionType) or id(one) in seen or is_installed(one.__code__.co_filename):
            continue
        seen.add(id(one))
        yield one
        waiting += [inspect.unwrap(value) for value in _known(one).values() if callable(value)]


def _known(function: FunctionType) -> dict[str, Any]:
    """The globals and enclosing variables that a function names."""
    try:
        found = inspect.getclosurevars(function)
    except (TypeError, ValueError):
        return {}
    return {**found.globals, **found.nonlocals}


def _fixed_seed(function: FunctionType) -> str:
    """The first fixed seed in a function, in words; empty if there is none or the source is not there."""
    tree, known = _syntax_tree(function.__code__), _known(function)
    if tree is None:
        return ""
    fixed = {name for name, value in known.items() if isinstance(value, (int, str, tuple))}
    fixed |= {one.arg for one in ast.walk(tree) if isinstance(one, ast.arg)}  # sizes are the same in every draw
    for one in ast.walk(tree):
        if isinstance(one, ast.Assign) and isinstance(one.value, ast.Constant):
            fixed |= {target.id for target in one.targets if isinstance(target, ast.Name)}
    calls = [one for one in ast.walk(tree) if isinstance(one, ast.Call) and not _is_combined(one.func, known)]
    for call in sorted(calls, key=lambda one: (one.lineno, one.col_offset)):
        name = getattr(call.func, "attr", getattr(call.func, "id", ""))
        for keyword, seed in _seeds(name, call):
            if _is_fixed(seed, fixed):
                called, code = ast.unparse(call.func), function.__code__
                place = f"({code.co_filename}:{call.lineno}, in {code.co_name})"
                drawn = GENERATORS.get(name, NUMPY)
                return (
                    f"{called}({keyword}{ast.unparse(seed)}) makes every draw begin alike {place}: "
                    f"draw the seed, as in {called}({keyword}{drawn})"
                )
    return ""


def _syntax_tree(code: Any) -> ast.AST | None:
    """The function as it stands in its file."""
    linecache.checkcache(code.co_filename)
    try:
        whole = ast.parse("".join(linecache.getlines(code.co_filename)))
    except (SyntaxError, ValueError):
        return None
    functions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    return next((one for one in ast.walk(whole) if isinstance(one, functions) and _is(one, code)), None)


def _is(tree: Any, code: Any) -> bool:
    first = min([tree.lineno, *(one.lineno for one in getattr(tree, "decorator_list", ()))])
    return first == code.co_firstlineno and getattr(tree, "name", "<lambda>") == code.co_name


def _seeds(name: str, call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    """What a call may be seeded with: "keyword=" or nothing, and the value."""
    if name in GENERATORS and call.args:
        yield "", call.args[0]
    for one in call.keywords:
        if one.arg in KEYWORDS:
            yield f"{one.arg}=", one.value


def _is_fixed(seed: ast.expr, names: set[str]) -> bool:
    if isinstance(seed, ast.Name):
        return seed.id in names
    return isinstance(seed, ast.Constant) and isinstance(seed.value, (int, str))


def _is_combined(function: ast.expr, known: dict[str, Any]) -> bool:
    """Is it a seeder that the harness combines with the seed of the draw? Under another name it is not reached."""
    if not isinstance(function, ast.Attribute):
        return False
    owner = _value(function.value, known)
    return any(owner is module and function.attr == name for module, name in own_seeds.SEEDERS)


def _value(tree: ast.expr, known: dict[str, Any]) -> Any:
    """What a dotted name means, as far as it is made of modules."""
    if isinstance(tree, ast.Name):
        return known.get(tree.id)
    if not isinstance(tree, ast.Attribute):
        return None
    owner = _value(tree.value, known)
    return getattr(owner, tree.attr, None) if isinstance(owner, ModuleType) else None
