"""Two pair files as one pair: A's side is the baseline, B's the variant, both on A's inputs and A's reference.

That is only fair where both files declare the same work; what differs is named and refused. The two sides are borrowed,
as a step of a lab borrows from its sibling, so nothing else of the harness needs to know.
"""

import ast
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from perfproof.bench import run
from perfproof.bench.programs.trials import B
from perfproof.core.errors import UsageError
from perfproof.core.facts import Facts
from perfproof.core.options import RunOptions
from perfproof.pairs.pair import Pair
from perfproof.pairs.source import read_source

A_FILE, B_FILE = "<a>", "<b>"  # no file has such a stem
DECLARED = (
    "arguments",
    "workload",
    "workload_cpu",
    "smoke",
    "constant",
    "mutates",
    "domain",
    "layout",
    "distribution",
    "cold",
    "claim",
    "clock",
    "ranks",
)
SHARED = ("inputs", "reference", "tolerance")
MADE = "constants"


def refuse_other_work(a: Pair, b: Pair, answers_may_differ: bool = False) -> None:
    """UsageError names the first thing in which the two do not agree.

    If `answers_may_differ`, each has a reference of its own, or none.
    """
    for declaration in DECLARED:
        ours, theirs = getattr(a, declaration), getattr(b, declaration)
        if ours != theirs:
            raise _refusal(a, b, f"`{declaration}`: {_brief(ours)} and {_brief(theirs)}")
    for shared in SHARED:
        ours, theirs = _meaning(a, shared), _meaning(b, shared)
        own = shared == "reference" and answers_may_differ and bool(ours) == bool(theirs)
        if ours != theirs and not own:
            meant = "; --output-may-differ if answers change on purpose" if shared == "reference" else ""
            raise _refusal(a, b, f"`{shared}`, which both sides share here{meant}")
    if (a.makes_constants or b.makes_constants) and _meaning(a, MADE) != _meaning(b, MADE):
        raise _refusal(a, b, f"`{MADE}`, which both sides share here")


def _own_lesson(pair: Pair) -> str:
    """What its author wrote; without that none, as the usual words name sides that are not compared here."""
    return "" if any(one.startswith("docstring") for one in pair.left_out) else pair.lesson


def join(a: Pair, variant_a: str, b: Pair, variant_b: str, name: str) -> Pair:
    """The pair to run. Both sides share an interpreter, in which a module has one file."""
    refuse_other_work(a, b)
    if clash := next((name for name, path in a.modules.items() if b.modules.get(name, path) != path), None):
        raise _refusal(a, b, f"`{clash}`, a module that each imports from a folder of its own")
    own = {shared: stem for shared, stem in a.borrowed.items() if shared in SHARED}
    return replace(
        a,
        name=name,
        lesson=_own_lesson(a) if a is b else f"{a.name} {variant_a} against {b.name} {variant_b}.",
        variants=(B,),
        prepares=(),
        borrowed={**own, "baseline": f"{A_FILE}:{variant_a}", B: f"{B_FILE}:{variant_b}"},
        siblings={**a.siblings, A_FILE: a.path, B_FILE: b.path},
        imports=tuple(dict.fromkeys([*a.imports, *b.imports])),
        optional=tuple({*a.optional, *b.optional}),
        folders=tuple(dict.fromkeys([*a.folders, *b.folders])),
        files={**b.files, **a.files},
        modules={**a.modules, **b.modules},
        needs={**a.needs, **b.needs},
        lowers_precision="" if a.lowers_precision else b.lowers_precision,
        computes_in={
            side: kind
            for side, kind in (("baseline", a.computes_in.get(variant_a)), (B, b.computes_in.get(variant_b)))
            if kind
        },
        tier="",
        source_sha256=f"{a.source_sha256[:32]}{b.source_sha256[:32]}",
        code_sha256=f"{a.code_sha256[:32]}{b.code_sha256[:32]}",
    )


def run_joined(
    pair: Pair,
    options: RunOptions,
    facts: Facts,
    seed: str,
    notify: Callable[[run.Progress], None],
    sizes: dict[str, Any] | None = None,
) -> Iterator[run.Finished]:
    """Like any pair, but for its cost model, which is A's and says nothing of the two variants."""
    for done in run.run_targets([run.Planned(pair, sizes or {})], options, facts, seed, notify):
        done.result.cost = {}
        yield done


def choose_variant(pair: Pair, wanted: str | None) -> str:
    """`tiled` or `optimized_tiled`; without a wish the first of the file."""
    if wanted is None:
        return pair.variants[0]
    for name in (wanted, f"optimized_{wanted}"):
        if name in pair.sides:
            return name
    raise UsageError(f"{pair.name} has no variant {wanted!r}; it has {', '.join(pair.variants)} and baseline")


def _meaning(pair: Pair, name: str) -> Any:
    """What a file says under a name, without comments and layout: borrowed things are read where they are lent."""
    path: Path = pair.siblings[pair.borrowed[name]] if name in pair.borrowed else pair.path
    for node in read_source(path).tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return ast.dump(_without_docstring(node))
        if isinstance(node, ast.Assign) and any(isinstance(one, ast.Name) and one.id == name for one in node.targets):
            return ast.dump(node.value)
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == name:
            return ast.dump(node.value) if node.value else None
    return None


def _without_docstring(function: ast.FunctionDef) -> ast.FunctionDef:
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return ast.FunctionDef(function.name, function.args, body, function.decorator_list, function.returns)


def _refusal(a: Pair, b: Pair, what: str) -> UsageError:
    return UsageError(f"{a.name} and {b.name} cannot be compared: they differ in {what}; make both files agree")


def _brief(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
