"""From paired runs to outcomes: what they confirm after Holm's correction, and what a flag was if they do not.

A paired run compares one side at two revisions on one machine at one time, so what remains is the program. Both
directions are tested, each as a family of its own; every side of every row counts, also those that were never tried.
A paired run is looked at on its way, and ends when it confirms whatever the others say, or shows that nothing changed.
"""

import math
from collections.abc import Sequence

from perfproof.core.documents import RatioResult, TargetResult
from perfproof.core.environment import in_one_line
from perfproof.core.units import percent
from perfproof.core.verification import Outcome, Trial, short_revision
from perfproof.history.expectations import day_ratio, has_interval
from perfproof.history.screening import BASELINE, Screened
from perfproof.stats.looks import EARLY, looked_level, looked_p
from perfproof.stats.multiple import ALPHA, holm, one_sided_p
from perfproof.stats.units import interval

SIDES = 2  # of every row: its variant and its baseline
CERTAIN = {"better": "faster", "worse": "slower", "same": "neither"}  # of a quantity that every process agreed on


def read_trial(side: str, earlier: str, run: str, result: TargetResult) -> Trial:
    """What a finished paired run says, before any correction."""
    found = Trial(side=side, earlier=earlier, run=run, verdict=result.verdict or result.status, note=result.reason)
    judged = next(iter(result.ratios.values()), None)
    if result.status != "ok" or judged is None:
        return found
    found.ratio, found.low, found.high = judged.ratio, judged.low, judged.high
    found.launches, found.note = judged.launches, judged.note
    if judged.verdict == "unstable":
        return found
    if judged.claim == "time":
        _test_looked(found, judged)
    elif judged.low is not None:
        _test_once(found, judged)
    elif judged.ratio is not None or _exact(result):
        found.found = CERTAIN.get(judged.verdict, "undecided")  # type: ignore[assignment]
    return found


def answered(units: Sequence[float], beta: float, rows: int, delta: float) -> bool:
    """May a paired run end here? At a look, if it confirms for certain or if any difference is below delta."""
    ends = _looked_ends(units) if len(units) in EARLY else None
    if ends is None:
        return False
    p = min(looked_p(units, beta), looked_p([-unit for unit in units], beta))
    return p <= ALPHA / (SIDES * rows) or max(map(abs, ends)) < delta


def clearly_decided(trial: Trial, rows: int) -> bool:
    """Would it be confirmed whatever the other trials say? Then the other side of the target need not be tried."""
    values = [p for p in (trial.p_slower, trial.p_faster) if p is not None]
    return trial.found in ("slower", "faster") or (bool(values) and min(values) <= ALPHA / (SIDES * rows))


def correct(trials: Sequence[Trial], rows: int) -> None:
    """Holm over all trials that have a p, with everything that could have been tried as the family."""
    tested = [trial for trial in trials if trial.p_slower is not None and trial.p_faster is not None]
    slower = holm([trial.p_slower or 0.0 for trial in tested], total=SIDES * rows)
    faster = holm([trial.p_faster or 0.0 for trial in tested], total=SIDES * rows)
    for trial, is_slower, is_faster in zip(tested, slower, faster, strict=True):
        trial.found = "slower" if is_slower else "faster" if is_faster else "neither"


def conclude_flagged(row: Screened) -> None:
    """A flagged row: confirmed, or the environment's doing, or open where the paired run cannot exclude the change."""
    outcome = row.outcome
    if _confirmed(outcome):
        return
    if not outcome.trials or any(trial.found == "undecided" for trial in outcome.trials):
        outcome.outcome = "inconclusive"
        why = next((trial.note or trial.verdict for trial in outcome.trials if trial.found == "undecided"), "")
        outcome.reason = f"flagged, and the paired run gave no answer: {why or 'it was not made'}"
        return
    if all(_excludes(trial, *_change(row, trial)) for trial in outcome.trials):
        outcome.outcome = "environment"
        changed = in_one_line(outcome.changed) or "no recorded field differs"
        outcome.reason = f"the program is not what changed; environment: {changed}"
        return
    outcome.outcome = "inconclusive"
    outcome.reason = "flagged; the paired run neither confirms nor excludes a change of that size"


def conclude_paired(outcome: Outcome, delta: float) -> None:
    """A row that went straight to the paired run: confirmed, the same within delta, or open."""
    if _confirmed(outcome):
        return
    open_trials = [trial for trial in outcome.trials if trial.found == "undecided"]
    if open_trials or not outcome.trials:
        outcome.outcome = "inconclusive"
        outcome.reason = next((trial.note or trial.verdict for trial in open_trials), "") or "no paired run was made"
        return
    bounds = [max(abs(math.log(end)) for end in _ends(trial)) for trial in outcome.trials]
    if max(bounds) < delta:
        outcome.outcome, outcome.reason = "same", f"any difference is below {percent(max(bounds))}"
        return
    outcome.outcome = "inconclusive"
    outcome.reason = f"a difference of up to {percent(max(bounds))} is not excluded, and none is shown"


def _confirmed(outcome: Outcome) -> bool:
    """A side that became slower is a regression, whatever the other did."""
    for word, found in (("regression", "slower"), ("improvement", "faster")):
        trial = next((one for one in outcome.trials if one.found == found), None)
        if trial is not None:
            outcome.outcome = word  # type: ignore[assignment]
            outcome.reason = _said(trial)
            return True
    return False


def _said(trial: Trial) -> str:
    """In time, and saying so: a ratio that falls by 9 % is 10 % more time."""
    earlier = short_revision(trial.earlier)
    if trial.ratio is None:
        return f"{trial.side} is {trial.found} than at {earlier}"
    more = "longer" if trial.found == "slower" else "less time"
    return f"{trial.side} takes {percent(abs(1 / trial.ratio - 1))} {more} than at {earlier}"


def _change(row: Screened, trial: Trial) -> tuple[float, bool]:
    """The change of this side's speed that would explain the flag, a log; a higher ratio may be a slower baseline."""
    seen = row.outcome.screening if row.ratio_flagged else row.outcome.baseline
    difference = seen.difference if seen else 0.0
    return (-difference if trial.side == BASELINE and row.ratio_flagged else difference), seen is not None


def _excludes(trial: Trial, change: float, known: bool) -> bool:
    low, high = _ends(trial)
    return known and (change < math.log(low) or change > math.log(high))


def _test_looked(found: Trial, judged: RatioResult) -> None:
    """Of time: launches that were looked at on the way."""
    units, beta = judged.units, judged.beta or 0.0
    ends = _looked_ends(units)
    if ends is None:
        return
    found.low, found.high = (math.exp(end) for end in ends)
    found.p_slower, found.p_faster = looked_p([-unit for unit in units], beta), looked_p(units, beta)


def _test_once(found: Trial, judged: RatioResult) -> None:
    """Of start-up, energy, a metric, memory that varies: nobody looked on the way, the interval's own error holds."""
    known, beta = day_ratio(judged), judged.beta or 0.0
    if known is None or not has_interval(known):
        return
    found.p_slower, found.p_faster = (
        one_sided_p(theta, known.error, known.units - 1, beta) for theta in (-known.theta, known.theta)
    )


def _exact(result: TargetResult) -> bool:
    """Did the processes of each side agree on its memory? A side of zero bytes has no ratio, and may still be exact."""
    peaks = [side.memory for side in result.variants.values()]
    return bool(peaks) and all(peak is not None and peak.exact for peak in peaks)


def _looked_ends(units: Sequence[float]) -> tuple[float, float] | None:
    """The interval of a log-ratio that holds over all looks; None below five units."""
    found = interval(units, looked_level(len(units))) if units else None
    return None if found is None or found.low is None or found.high is None else (found.low, found.high)


def _ends(trial: Trial) -> tuple[float, float]:
    """Of the interval; a quantity without one is what it is."""
    ratio = trial.ratio or 1.0
    return trial.low or ratio, trial.high or ratio
