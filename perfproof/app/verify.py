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
from perfproof.app.paired_trial import PairedRuns
from perfproof.app.run import refusal
from perfproof.app.session import EXIT_CODES, Session, now
from perfproof.app.telemetry import Watch
from perfproof.core.documents import Run
from perfproof.core.environment import in_one_line
from perfproof.core.errors import NothingMatched, UsageError
from perfproof.core.expectations import Expectations
from perfproof.core.nearest import nearest_names
from perfproof.core.verification import Outcome, Verification
from perfproof.history.commits import is_in_commit, refuse_unknown
from perfproof.history.expectations import load_expectations, path_of
from perfproof.history.outcomes import clearly_decided, conclude_flagged, conclude_paired, correct
from perfproof.history.screening import BASELINE, Screened, screen_run, shared_direction
from perfproof.pairs.pair import Broken, Pair
from perfproof.report.published import beside_published, published_for, published_lines

SCREEN_SHARE = 0.5  # of the budget; the rest is for paired runs
FIRST_TRIED = 3  # of targets that moved together: tried first, and the others only if one of these is confirmed
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
    paired = PairedRuns(session.options, session.facts, session.machine, session.news, end, session.shared)
    if asked.base is not None:
        found.outcomes = paired_outcomes(pairs, asked.base, paired)
    else:
        _screen_and_confirm(found, pairs, gone, expectations, paired)
    found.exit_code = max((exit_code(outcome) for outcome in found.outcomes), default=0)
    return found


def chosen_pairs(asked: Asked, expectations: Expectations) -> tuple[list[Pair | Broken], list[str]]:
    """The pairs to look at, and the names of expected targets that are gone. With no target: all that are expected."""
    from perfproof.pairs.catalogue import entries
    from perfproof.pairs.targets import select

    if asked.targets:
        try:
            return select(asked.targets), []
        except NothingMatched as error:
            raise _meant(error, asked.targets, expectations) from None
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


def _meant(error: NothingMatched, targets: Sequence[str], expectations: Expectations) -> NothingMatched:
    """With the expected target that is written nearly like the one that is not there."""
    near = [one for name in targets if name in str(error) for one in nearest_names(name, [*expectations.targets])]
    new = [name for name in dict.fromkeys(near) if name not in str(error)]
    return NothingMatched(f"{error}; expected is {' or '.join(new)}: did you mean that?") if new else error


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


def paired_outcomes(pairs: Sequence[Pair | Broken], base: str, paired: PairedRuns) -> list[Outcome]:
    """Every variant and every baseline at the base revision against the files as they are."""
    from perfproof.pairs.availability import availability

    found = []
    for pair in pairs:
        if isinstance(pair, Pair):
            refuse_unknown(pair.path.parent, base)
    paired.rows = sum(len(pair.variants) if isinstance(pair, Pair) else 1 for pair in pairs)
    for pair in pairs:
        if isinstance(pair, Broken):
            found.append(Outcome(target=pair.name, outcome="missing", reason=pair.error, status="refused"))
            continue
        can = availability(pair, paired.facts)
        if not is_in_commit(pair.path.parent, base, pair.path.name):
            found.append(Outcome(target=pair.name, outcome="new", reason=f"its file is not in {base}", status="ok"))
            continue
        if not can.timed:
            found.append(Outcome(target=pair.name, outcome="new", reason=can.reason, status="skipped"))
            continue
        for variant in pair.variants:
            trials = [paired.try_side(pair, side, base) for side in (variant, BASELINE)]
            found.append(Outcome(target=pair.name, variant=variant, outcome="inconclusive", trials=trials, status="ok"))
    correct(list(paired.done.values()), paired.rows)
    for outcome in found:
        if outcome.variant:
            conclude_paired(outcome, paired.options.delta)
    return found


def _screen_and_confirm(
    found: Verification,
    pairs: Sequence[Pair | Broken],
    gone: Sequence[str],
    expectations: Expectations,
    paired: PairedRuns,
) -> None:
    run, folder = measure_today(_with_canary(pairs, found.canary), paired)
    found.run = run.run
    wanted = [*(pair.name for pair in pairs), *gone]
    rows = screen_run(run, folder, expectations, wanted, found.canary)
    paired.rows = len(rows)
    flagged = [row for row in rows if row.flagged]
    files = {pair.name: pair for pair in pairs if isinstance(pair, Pair)}
    direction = shared_direction(rows)
    together = [row for row in flagged if row.direction == direction] if direction else []
    spared = _spared(together, files, paired)
    tried = [row for row in flagged if row not in spared]
    for row in tried:
        confirm(row, files[row.outcome.target], paired)
    correct(list(paired.done.values()), paired.rows)
    for row in tried:
        conclude_flagged(row)
    if together:
        found.shared_cause = _explain_together(together, spared, direction, len(rows))
    found.outcomes = [row.outcome for row in rows]
    if not paired.options.fast:
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


def confirm(row: Screened, pair: Pair, paired: PairedRuns) -> None:
    """Try the variant where the ratio is flagged; the baseline where its time is, or where the variant is unchanged."""
    outcome = row.outcome
    outcome.trials = []
    if row.ratio_flagged:
        outcome.trials.append(paired.try_side(pair, outcome.variant, row.commit))
        if clearly_decided(outcome.trials[0], paired.rows):
            return
    outcome.trials.append(paired.try_side(pair, BASELINE, row.commit))


def measure_today(pairs: Sequence[Pair | Broken], paired: PairedRuns) -> tuple[Run, Path]:
    """A run like any other, saved like any other."""
    from perfproof.bench.ceilings import read_limits
    from perfproof.bench.run import Planned, run_targets

    budget = paired.options.budget
    options = replace(paired.options, budget=budget * SCREEN_SHARE if budget else None)
    planned = [Planned(pair, {}) for pair in pairs if isinstance(pair, Pair)]
    broken = [refusal(pair) for pair in pairs if isinstance(pair, Broken)]

    def results(seed: str, watch: Watch) -> Iterator[Any]:
        limits = read_limits(paired.machine)
        return run_targets(planned, options, paired.facts, seed, paired.news.notify, limits, watch.mark)

    session = Session(options, paired.facts, paired.news, paired.shared, paired.machine)
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


def _spared(together: list[Screened], files: dict[str, Pair], paired: PairedRuns) -> list[Screened]:
    """If many rows moved together, only the strongest are measured again, if those show no change of the program."""
    first = sorted(together, key=_strength, reverse=True)[:FIRST_TRIED]
    for row in first:
        confirm(row, files[row.outcome.target], paired)
    trials = [trial for row in first for trial in row.outcome.trials]
    if any(trial.p_slower is None or clearly_decided(trial, paired.rows) for trial in trials):
        return []
    return [row for row in together if row not in first]


def _strength(row: Screened) -> float:
    seen = row.outcome.screening if row.ratio_flagged else row.outcome.baseline
    return abs(seen.difference) / seen.standard_error if seen and seen.standard_error else math.inf


def _explain_together(together: list[Screened], spared: list[Screened], direction: int, rows: int) -> str:
    """Said once if every row that was measured again shows no change; else nothing, and the others stay open."""
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
