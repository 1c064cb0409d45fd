"""A verification as rows of text: what every format of it shows, worked out once."""

import math
from dataclasses import dataclass

from perfproof.core import units
from perfproof.core.verification import NO_CANARY, Outcome, Screening, Trial, Verification, short_revision
from perfproof.stats.student import detection_factor
from perfproof.stats.units import LEVEL

ORDER = ("regression", "missing", "inconclusive", "environment", "improvement", "new", "same")
FAILED = ("regression", "missing")


@dataclass(frozen=True)
class OutcomeRow:
    word: str
    label: str  # the target, and its variant where it has several
    today: str
    expected: str
    change: str
    sees: str
    notes: tuple[str, ...]


def outcome_rows(found: Verification) -> list[OutcomeRow]:
    """The worst first; within a word in the order of the run."""
    several = {one.target for one in found.outcomes if sum(other.target == one.target for other in found.outcomes) > 1}
    rows = [_row(one, one.target in several) for one in found.outcomes]
    return sorted(rows, key=lambda row: ORDER.index(row.word))


def counted(found: Verification) -> str:
    """ "1 regression, 11 same": every outcome that there is, the worst first."""
    words = [one.outcome for one in found.outcomes]
    return ", ".join(f"{words.count(word)} {word}" for word in ORDER if word in words) or "no targets"  # type: ignore[arg-type]


def held_against(found: Verification) -> str:
    if found.base is not None:
        return f"paired with {found.base}"
    return f"held against {found.expectations}"


def measured_commit(found: Verification) -> str:
    changed = " with changes" if found.dirty else ""
    return f"commit {found.commit[:12]}{changed}" if found.commit else "commit unknown"


def remarks(found: Verification) -> list[str]:
    """What is said once for all targets."""
    lines = [f"environment: {found.shared_cause}"] if found.shared_cause else []
    if any(one.baseline_check == NO_CANARY for one in found.outcomes):
        lines.append("baseline times are not screened: there is no canary (--canary TARGET)")
    return lines


def trial_text(trial: Trial, said: str = "") -> str:
    """optimized against 1a2b3c4d5e6f: slower, 0.907x [0.900, 0.915]; its note, unless that was `said` already."""
    value = "" if trial.ratio is None else f", {units.ratio(trial.ratio)}"
    if trial.low is not None and trial.high is not None:
        value += f" [{trial.low:.3f}, {trial.high:.3f}] over {trial.launches} launches"
    note = f" ({trial.note})" if trial.note not in said and trial.found == "undecided" else ""
    return f"{trial.side} against {short_revision(trial.earlier)}: {trial.found}{value}{note}"


def _row(one: Outcome, several: bool) -> OutcomeRow:
    seen = one.screening
    notes = [one.reason, *(trial_text(trial, one.reason) for trial in one.trials)]
    if one.baseline is not None:
        notes.append(
            f"baseline over the canary: {change_text(one.baseline)}, can see {units.percent(one.baseline.detectable)}"
        )
    elif one.baseline_check and one.outcome != "new" and one.baseline_check != NO_CANARY:
        notes.append(f"baseline time not screened: {one.baseline_check}")
    return OutcomeRow(
        word=one.outcome,
        label=f"{one.target} {one.variant}" if several and one.variant else one.target,
        today=units.ratio(seen.today) if seen else "–",
        expected=f"{units.ratio(seen.expected)} ({days(seen.days)})" if seen else "–",
        change=change_text(seen) if seen else "–",
        sees=units.percent(seen.detectable) if seen else _sees(one),
        notes=tuple(note for note in notes if note),
    )


def change_text(seen: Screening) -> str:
    return f"{100 * math.expm1(seen.difference):+.1f} %" + (" flagged" if seen.flagged else "")


def days(count: int) -> str:
    return "1 day" if count == 1 else f"{count} days"


def _sees(one: Outcome) -> str:
    """Of a paired run: the change that it would have shown in 9 of 10."""
    factors = [
        math.log(trial.high / trial.low) / 2 * detection_factor(trial.launches - 1, LEVEL)
        for trial in one.trials
        if trial.low is not None and trial.high is not None and trial.launches > 1
    ]
    return units.percent(max(factors)) if factors else "–"
