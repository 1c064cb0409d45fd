"""The source of two sides as a diff, read from the pair's file if that is still the file that was measured.

A side is its function with everything at the top level of the file that it uses: kernels, constants, preparation.
"""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from perfproof.core.documents import FunctionSource, TargetResult
from perfproof.core.errors import ContractError
from perfproof.pairs.bindings import read_bindings
from perfproof.pairs.borrowing import Loan, read_loans
from perfproof.pairs.catalogue import catalogue_root
from perfproof.pairs.kernels import kernel_files, whole_sha256
from perfproof.pairs.project import folders, own_modules
from perfproof.pairs.source import Source, read_source
from perfproof.report.html.defined_where import defined_where

MOST_LINES = 400
BASELINE = "baseline"


@dataclass(frozen=True)
class DiffLine:
    mark: str  # "-" baseline only, "+" variant only, " " both
    text: str


@dataclass(frozen=True)
class SourceDiff:
    """The diff, or why there is none; `kernels` are (name, text) of CUDA files beside the pair."""

    lines: tuple[DiffLine, ...] = ()
    why: str = ""
    note: str = ""
    kernels: tuple[tuple[str, str], ...] = ()


def source_diff(target: TargetResult, variant: str) -> SourceDiff:
    if target.functions:
        return _of_functions([target.functions.get(side) for side in (BASELINE, variant)])
    if not target.path or not target.source_sha256:
        return SourceDiff(why="this target has no source file of its own")
    path = _found(target.path)
    if path is None:
        return SourceDiff(why=f"{target.path} is not on this machine")
    try:
        source = read_source(path)
        kernels = kernel_files(source)
        now = whole_sha256(source.sha256, (*kernels, *own_modules(source, folders(source.path))))
        if now != target.source_sha256:
            return SourceDiff(why=_changed(target, now))
        loans = read_loans(source, read_bindings(source.tree), "labs/")
        return _diff(source, variant, loans.get(BASELINE), kernels)
    except (ContractError, OSError) as error:
        return SourceDiff(why=f"it cannot be read: {error}")


def _of_functions(sides: Sequence[FunctionSource | None]) -> SourceDiff:
    """Two functions without a pair: each from its own file, if that is still the file that was measured."""
    texts = []
    known = [side for side in sides if side is not None]
    if len(known) < len(sides):
        return SourceDiff(why="one of the two is a lambda, or is not defined in a file")
    for side in known:
        path = _found(side.path)
        if path is None:
            return SourceDiff(why=f"{side.path} is not on this machine")
        try:
            source = read_source(path)
        except (ContractError, OSError) as error:
            return SourceDiff(why=f"it cannot be read: {error}")
        if source.sha256 != side.sha256:
            return SourceDiff(why=f"{side.path} has changed since the run")
        if not (lines := _function_lines(source, side)):
            return SourceDiff(why=f"{side.name} is no function of {side.path}")
        texts.append(lines)
    return _limited(diff_lines(*texts))


def _function_lines(source: Source, side: FunctionSource) -> list[str]:
    """A function of the top level with what it uses; a method or an inner function by itself."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.FunctionDef) and node.name == side.name and _first_line(node) == side.line:
            whole = side_lines(source, side.name) if node in source.tree.body else []
            return whole or source.text.splitlines()[side.line - 1 : node.end_lineno]
    return []


def _first_line(node: ast.FunctionDef) -> int:
    return min([node.lineno, *(mark.lineno for mark in node.decorator_list)])


def _limited(lines: Sequence[DiffLine], note: str = "", kernels: tuple[tuple[str, str], ...] = ()) -> SourceDiff:
    if len(lines) > MOST_LINES:
        note += f" The first {MOST_LINES} of {len(lines)} lines."
    return SourceDiff(tuple(lines[:MOST_LINES]), note=note.strip(), kernels=kernels)


def _found(path: str) -> Path | None:
    """Paths are kept as the person who ran it wrote them: from the current folder, or from the catalogue."""
    return next((place for place in (Path(path), catalogue_root() / path) if place.is_file()), None)


def _changed(target: TargetResult, now: str) -> str:
    if target.source_sha256.startswith(now[:32]):
        return "the two sides are in two files, of which the document names one"
    then = f"sha256 {target.source_sha256[:12]} then, {now[:12]} now"
    return f"{target.path}, or a module of the project that it imports, has changed since the run ({then})"


def _diff(source: Source, variant: str, loan: Loan | None, kernels: Sequence[Path]) -> SourceDiff:
    sides = {BASELINE: (loan.lender, loan.taken) if loan else defined_where(source, BASELINE)}
    sides |= {variant: defined_where(source, variant)}
    if missing := [name for name, where in sides.items() if where is None]:
        why = f"`{missing[0]}` is no function of {source.path.name} or of a module of the project that it imports"
        return SourceDiff(why=why)
    before, after = (side_lines(*where) for where in sides.values() if where is not None)
    note = (
        f"The baseline is `{loan.taken}` of {loan.stem}.py, as that file is now."
        if loan
        else _from_modules(source, sides)
    )
    texts = tuple((file.name, _beginning(file.read_text(errors="replace"))) for file in kernels)
    return _limited(diff_lines(before, after), note, texts)


def _from_modules(source: Source, sides: Mapping[str, tuple[Source, str] | None]) -> str:
    """Sides that the pair's file imports, with their names there."""
    found = [
        f"{side} is `{where[1]}` of {where[0].path.name}"
        for side, where in sides.items()
        if where is not None and where[0].path != source.path
    ]
    said = "; ".join(found)
    return f"{said[0].upper()}{said[1:]}." if found else ""


def _beginning(text: str) -> str:
    lines = text.splitlines()
    more = [f"... {len(lines) - MOST_LINES} more lines"] if len(lines) > MOST_LINES else []
    return "\n".join([*lines[:MOST_LINES], *more])


def side_lines(source: Source, name: str) -> list[str]:
    """A side's function, its preparation, and what they use, in the order of the file; empty without the function."""
    defined = {bound: node for node in source.tree.body for bound in _bound(node)}
    if not isinstance(defined.get(name), ast.FunctionDef):
        return []
    used: set[str] = set()
    waiting = [name, f"prepare_{name}"]
    while waiting:
        one = waiting.pop()
        if one in defined and one not in used:
            used.add(one)
            own = _parameters(defined[one])
            waiting += [
                found.id for found in ast.walk(defined[one]) if isinstance(found, ast.Name) and found.id not in own
            ]
    text = source.text.splitlines()
    lines: list[str] = []
    for node in source.tree.body:
        if used & set(_bound(node)):
            first = min([node.lineno, *(mark.lineno for mark in getattr(node, "decorator_list", []))])
            lines += ["", *text[first - 1 : node.end_lineno]]
    return lines[1:]


def _parameters(node: ast.stmt) -> set[str]:
    """What a function calls its arguments: not the names of the file."""
    if not isinstance(node, ast.FunctionDef):
        return set()
    return {one.arg for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}


def diff_lines(before: Sequence[str], after: Sequence[str]) -> list[DiffLine]:
    lines: list[DiffLine] = []
    for what, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if what == "equal":
            lines += [DiffLine(" ", line) for line in before[a:b]]
            continue
        lines += [DiffLine("-", line) for line in before[a:b]]
        lines += [DiffLine("+", line) for line in after[c:d]]
    return lines


def _bound(node: ast.stmt) -> list[str]:
    """The names that a statement of the top level defines; an import is not of interest."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]
