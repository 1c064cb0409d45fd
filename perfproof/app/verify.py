"""From chosen targets to outcomes: measure, screen against the expectations, and try only what was flagged.

With a base revision there is no screen: every target goes straight to the paired run.
"""

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from perfproof import __version__
from perfproof.app.paired_trial import Court
from perfproof.app.run import refusal
from perfproof.app.session import EXIT_CODES, Session, now
from perfproof.app.telemetry import Watch
from perfproof.core.documents import Run
from perfproof.core.environment import in_one_line
from perfproof.core.errors import NothingMatched, UsageError
from perfproof.core.expectations import Expectations
from perfproof.core.verification import Outcome, Verification
from perfproof.history.commits import is_in_commit, refuse_unknown
from perfproof.history.conviction import clearly_decided, conclude_flagged, conclude_paired, correct
from perfproof.history.expectations import load_expectations, path_of
from perfproof.history.screening import BASELINE, Screened, screen_run, shared_direction
from perfproof.pairs.pair import Broken, Pair
from perfproof.report.published import beside_published, published_for, published_lines

SCREEN_SHARE = 0.5  # of the budget; the rest is for paired runs
WITNESSES = 3  # of targets that moved together: tried first, and the others only if one of these is convicted
INCONCLUSIVE = 3


@dataclass(frozen=True)
class Asked:
    """What a person wants verified."""

    targets: tuple[str, ...]
    base: str | None
    canary: str | None
    expectations_dir: str


def verify(asked: Asked, session: Session) -> Verification:
    expectations = load_expectations(asked.expectations_dir, session.machine["kind"])
    pairs, gone = chosen_pairs(asked, expectations)
    found = begin_verification(asked, session.machine, expectations)
    budget = session.options.budget
    end = time.monotonic() + budget if budget else float("inf")
    session.news.total = len(pairs)
    court = Court(session.options, session.facts, session.machine, session.news, end, session.shared)
    if asked.base is not None:
        found.outcomes = paired_outcomes(pairs, asked.base, court)
    else:
        _screen_and_convict(found, pairs, gone, expectations, court)
    found.exit_code = max((exit_code(outcome) for outcome in found.outcomes), default=0)
    return found


def chosen_pairs(asked: Asked, expectations: Expectations) -> tuple[list[Pair | Broken], list[str]]:
    """The pairs to look at, and the names of expected targets that are gone. With no target: all that are expected."""
    from perfproof.pairs.catalogue import entries
    from perfproof.pairs.targets import select

    if asked.targets:
        return select(asked.targets), []
    if not expectations.targets:
        raise NothingMatched(
            f"{path_of(asked.expectations_dir, expectations.kind)} expects nothing yet: name targets, as in `perfproof "
            f"verify ch01` ({published_for(expectations.kind, (entry.path.parent for entry in entries()))}), or record "
            "a run with `perfproof expectations update RUN -m WHY`"
        )
    pairs: list[Pair | Broken] = []
    gone = []
    for name in expectations.targets:
        try:
            pairs += select([f"{name}.py" if Path(f"{name}.py").is_file() else name])
        except (NothingMatched, UsageError):
            gone.append(name)
    return pairs, gone


def begin_verification(asked: Asked, machine: dict[str, Any], expectations: Expectations) -> Verification:
    from perfproof.machine.git import read_git

    git = read_git()
    return Verification(
        perfproof_version=__version__,
        kind=machine["kind"],
        commit=str(git.get("commit") or ""),
        dirty=git.get("dirty"),
        started=now(),
        base=asked.base,
        expectations="" if asked.base else str(path_of(asked.expectations_dir, machine["kind"])),
        canary=asked.canary or expectations.canary,
    )


def paired_outcomes(pairs: Sequence[Pair | Broken], base: str, court: Court) -> list[Outcome]:
    """Every variant and every baseline at the base revision against the files as they are."""
    from perfproof.pairs.availability import availability

    found = []
    for pair in pairs:
        if isinstance(pair, Pair):
            refuse_unknown(pair.path.parent, base)
    court.rows = sum(len(pair.variants) if isinstance(pair, Pair) else 1 for pair in pairs)
    for pair in pairs:
        if isinstance(pair, Broken):
            found.append(Outcome(target=pair.name, outcome="missing", reason=pair.error, status="refused"))
            continue
        can = availability(pair, court.facts)
        if not is_in_commit(pair.path.parent, base, pair.path.name):
            found.append(Outcome(target=pair.name, outcome="new", reason=f"its file is not in {base}", status="ok"))
            continue
        if not can.timed:
            found.append(Outcome(target=pair.name, outcome="new", reason=can.reason, status="skipped"))
            continue
        for variant in pair.variants:
            trials = [court.try_side(pair, side, base) for side in (variant, BASELINE)]
            found.append(Outcome(target=pair.name, variant=variant, outcome="inconclusive", trials=trials, status="ok"))
    correct(list(court.done.values()), court.rows)
    for outcome in found:
        if outcome.variant:
            conclude_paired(outcome, court.options.delta)
    return found


def _screen_and_convict(
    found: Verification,
    pairs: Sequence[Pair | Broken],
    gone: Sequence[str],
    expectations: Expectations,
    court: Court,
) -> None:
    run, folder = measure_today(_with_canary(pairs, found.canary), court)
    found.run = run.run
    wanted = [*(pair.name for pair in pairs), *gone]
    rows = screen_run(run, folder, expectations, wanted, found.canary)
    court.rows = len(rows)
    flagged = [row for row in rows if row.flagged]
    files = {pair.name: pair for pair in pairs if isinstance(pair, Pair)}
    direction = shared_direction(rows)
    together = [row for row in flagged if row.direction == direction] if direction else []
    spared = _spared(together, files, court)
    tried = [row for row in flagged if row not in spared]
    for row in tried:
        convict(row, files[row.outcome.target], court)
    correct(list(court.done.values()), court.rows)
    for row in tried:
        conclude_flagged(row)
    if together:
        found.shared_cause = _explain_together(together, spared, direction, len(rows))
    found.outcomes = [row.outcome for row in rows]
    if not court.options.fast:
        _add_published(found, run, files)


def _add_published(found: Verification, run: Run, files: dict[str, Pair]) -> None:
    """Beside a target without a recorded day: what its chapter publishes for this kind of machine."""
    done = {target.target: target for target in run.targets}
    for outcome in found.outcomes:
        target = done.get(outcome.target)
        if outcome.outcome != "new" or target is None or outcome.variant not in target.ratios:
            continue
        line = published_lines(files[outcome.target], found.kind).get(outcome.variant)
        if line is not None:
            said = beside_published(files[outcome.target], line, target.ratios[outcome.variant])
            outcome.reason = f"{outcome.reason}; {said}"


def convict(row: Screened, pair: Pair, court: Court) -> None:
    """Try the variant where the ratio is flagged; the baseline where its time is, or where the variant is unchanged."""
    outcome = row.outcome
    outcome.trials = []
    if row.ratio_flagged:
        outcome.trials.append(court.try_side(pair, outcome.variant, row.commit))
        if clearly_decided(outcome.trials[0], court.rows):
            return
    outcome.trials.append(court.try_side(pair, BASELINE, row.commit))


def measure_today(pairs: Sequence[Pair | Broken], court: Court) -> tuple[Run, Path]:
    """A run like any other, saved like any other."""
    from perfproof.bench.ceilings import read_limits
    from perfproof.bench.run import Planned, run_targets

    budget = court.options.budget
    options = replace(court.options, budget=budget * SCREEN_SHARE if budget else None)
    planned = [Planned(pair, {}) for pair in pairs if isinstance(pair, Pair)]
    broken = [refusal(pair) for pair in pairs if isinstance(pair, Broken)]

    def results(seed: str, watch: Watch) -> Iterator[Any]:
        limits = read_limits(court.machine)
        return run_targets(planned, options, court.facts, seed, court.news.notify, limits, watch.mark)

    session = Session(options, court.facts, court.news, court.shared, court.machine)
    measured = session.measure([pair.name for pair in pairs], "verify", asdict(options), results, known=broken)
    if measured.stopped:
        raise KeyboardInterrupt
    return measured.run, measured.folder.path


def exit_code(outcome: Outcome) -> int:
    """1 regression, or an expected target without a result; 3 inconclusive; else what the target's own status gives."""
    own = EXIT_CODES.get(outcome.status, 0)
    return max(own, {"regression": 1, "missing": 1, "inconclusive": INCONCLUSIVE}.get(outcome.outcome, 0))


def _with_canary(pairs: Sequence[Pair | Broken], canary: str | None) -> list[Pair | Broken]:
    from perfproof.pairs.targets import select

    if canary is None or any(pair.name == canary for pair in pairs):
        return list(pairs)
    try:
        return [*pairs, *select([f"{canary}.py" if Path(f"{canary}.py").is_file() else canary])]
    except NothingMatched as error:
        raise NothingMatched(f"--canary: {error}") from None


def _spared(together: list[Screened], files: dict[str, Pair], court: Court) -> list[Screened]:
    """Of rows that moved together the strongest are tried as witnesses; where they clear the program, only those."""
    witnesses = sorted(together, key=_strength, reverse=True)[:WITNESSES]
    for row in witnesses:
        convict(row, files[row.outcome.target], court)
    trials = [trial for row in witnesses for trial in row.outcome.trials]
    if any(trial.p_slower is None or clearly_decided(trial, court.rows) for trial in trials):
        return []
    return [row for row in together if row not in witnesses]


def _strength(row: Screened) -> float:
    seen = row.outcome.screening if row.ratio_flagged else row.outcome.baseline
    return abs(seen.difference) / seen.standard_error if seen and seen.standard_error else math.inf


def _explain_together(together: list[Screened], spared: list[Screened], direction: int, rows: int) -> str:
    """Said once where every witness clears the program; else nothing, and what was spared stays open."""
    cleared = all(row.outcome.outcome == "environment" for row in together if row not in spared)
    for row in spared:
        row.outcome.outcome = "environment" if cleared else "inconclusive"
        row.outcome.reason = "moved together with others" + ("" if cleared else ", whose paired runs do not agree")
    if not cleared:
        return ""
    fields = sorted({one for row in together for one in row.outcome.changed})
    way = "down" if direction < 0 else "up"
    changed = in_one_line(fields) or "no recorded field differs"
    return f"{len(together)} of {rows} moved {way} together, and paired runs clear the program: {changed}"
