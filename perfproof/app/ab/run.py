"""Measure the chosen comparison, save it, and let the gate decide."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from perfproof.app.ab.asked import Asked
from perfproof.app.ab.chosen import Chosen
from perfproof.app.session import Session
from perfproof.core.documents import Run
from perfproof.core.errors import UsageError
from perfproof.history.finding import CHANGES

if TYPE_CHECKING:
    from perfproof.bench.run import Finished


def carry_out(chosen: Chosen, asked: Asked, session: Session, *, gate: bool, strict: bool = False) -> tuple[Run, int]:
    """Measure and save; the run and its exit code: with `gate` 1 if b is worse, with `strict` 3 if that stays open."""
    if gate and asked.a is not None and not asked.has_two:
        raise UsageError("--gate needs something to compare with: add a command, --env-b X=1, or two --rev")
    for option in [*(["--guard"] if asked.guards else []), *(["--strict"] if strict else [])]:
        if not gate:
            raise UsageError(f"{option} is for a gate: add --gate")
    stored = {**asdict(session.options), "ab": asdict(asked), "gate": gate}
    stored |= {"strict": True} if strict else {}

    def results(seed: str, watch: object) -> "Iterator[Finished]":
        found = chosen.measure(seed, session.news.notify)
        return _gated(found, stored) if gate else found

    from perfproof.report.gate import strict_code

    measured = session.measure([*chosen.names], "ab", stored, results)
    if chosen.changes:
        measured.folder.write(CHANGES, chosen.changes)
    failed = not measured.stopped and any(one.gate == "fail" for one in measured.run.targets)
    code = max(int(failed), measured.exit_code)
    return measured.run, strict_code(measured.run, code) if strict else code


def _gated(results: "Iterator[Finished]", options: dict[str, Any]) -> "Iterator[Finished]":
    """Each result with what the gate says about it."""
    from perfproof.report.gate import decision

    with closing(results) as found:  # type: ignore[type-var]
        for done in found:
            done.result.gate = decision(options, done.result)
            yield done
