"""In a lab, a step may name a sibling file instead of repeating it: `baseline = "step_02_tiled"`.

A borrowed `baseline` is the sibling's `optimized` with its preparation; `inputs`, `reference` and `tolerance` are the
sibling's own, which may be borrowed in turn: the file at the end of that chain is the lender.
"""

import ast
import re
from dataclasses import dataclass, replace

from perfproof.pairs.bindings import FUNCTION, VALUE, Binding, Bindings, Function, read_bindings
from perfproof.pairs.names import BORROWABLE
from perfproof.pairs.signatures import Signature, read_signature
from perfproof.pairs.source import Source, read_source


@dataclass(frozen=True)
class Loan:
    name: str  # baseline, inputs, reference or tolerance
    line: int  # in the borrowing file
    lender: Source
    bindings: Bindings  # of the lender

    @property
    def stem(self) -> str:
        return self.lender.path.stem

    @property
    def taken(self) -> str:
        """The lender's name for it."""
        return "optimized" if self.name == "baseline" else self.name

    @property
    def prepared(self) -> bool:
        return self.name == "baseline" and "prepare_optimized" in self.bindings

    def signature(self, source: Source) -> Signature:
        """The lender's function as the borrowing file sees it: a complaint is about the line that borrows."""
        function = self.bindings[self.taken][0].node
        assert isinstance(function, Function)
        found = read_signature(self.lender, function)
        return replace(found, name=self.name, label=f"`{self.taken}` of {self.stem}.py", source=source, line=self.line)


def read_loans(source: Source, bindings: Bindings, chapter: str) -> dict[str, Loan]:
    """What the file borrows, by name."""
    loans = {}
    for name in BORROWABLE:
        stem = _borrowed_stem(bindings, name)
        if stem is None:
            continue
        line = bindings[name][0].line
        if not chapter.startswith("labs/"):
            write = "the dict" if name == "tolerance" else f"`def {name}(...):`"
            raise source.refusal(f"`{name}` is a string; only a lab's step may borrow: write {write}", line)
        loans[name] = _follow(source, name, stem, line)
    return loans


def _follow(source: Source, name: str, stem: str, line: int) -> Loan:
    seen = {source.path.stem}
    while True:
        lender = _read_sibling(source, name, stem, line, seen)
        seen.add(stem)
        loan = Loan(name, line, lender, read_bindings(lender.tree))
        further = None if name == "baseline" else _borrowed_stem(loan.bindings, name)
        if further is None:
            break
        stem = further
    bound = loan.bindings.get(loan.taken, [])
    wanted = VALUE if name == "tolerance" else FUNCTION
    if len(bound) != 1 or bound[0].how != wanted:
        what = f"`{name}` is borrowed from {stem}.py, which has no `{loan.taken}` of its own"
        raise source.refusal(f"{what}; name a step that defines it", line)
    return loan


def _read_sibling(source: Source, name: str, stem: str, line: int, seen: set[str]) -> Source:
    if stem in seen:
        raise source.refusal(f"`{name}` is borrowed in a circle, from {stem}.py; define it in one of the steps", line)
    path = source.path.with_name(f"{stem}.py") if re.fullmatch(r"[A-Za-z0-9_]+", stem) else None
    if path is None or not path.is_file():
        what = f"`{name}` names {stem!r}, but there is no such file in this folder"
        raise source.refusal(f"{what}; write a sibling's name without .py", line)
    return read_source(path)


def _borrowed_stem(bindings: Bindings, name: str) -> str | None:
    """The string that stands where a definition would."""
    bound: list[Binding] = bindings.get(name, [])
    node = bound[0].node if len(bound) == 1 and bound[0].how == VALUE else None
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None
