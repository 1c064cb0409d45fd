"""The title of a run's page and its result in one sentence, as a person would say it."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime

from perfproof.core import units
from perfproof.core.documents import RatioResult, Run, TargetResult
from perfproof.core.ratio_figures import ratio_figures
from perfproof.report.labels import label_of
from perfproof.report.rows import quantity

LESS = {"memory": ("less memory", "more memory"), "energy": ("less energy", "more energy")}
UNDECIDED = ("inconclusive", "unstable", "indicative")
BROKEN = ("failed-verification", "rejected", "refused", "crashed", "timeout")


def title_of(run: Run) -> str:
    """What was measured and when: "ch01:batched_gemm, 16 November 2026"."""
    return f"{_subject(run)}, {day_of(run.started)}"


def day_of(started: str) -> str:
    """16 November 2026; the text itself if it is no moment."""
    try:
        moment = datetime.fromisoformat(started)
    except ValueError:
        return started
    moment = moment.astimezone(UTC) if moment.tzinfo else moment
    return f"{moment.day} {moment:%B %Y}"


def headline_of(run: Run) -> str:
    """One target: its result. Several: how many are faster, slower and the rest, with the largest gain."""
    results = [(target, variant, judged) for target in run.targets for variant, judged in target.ratios.items()]
    if len(run.targets) == 1:
        target = run.targets[0]
        said = [sentence(target, variant) for variant in target.ratios] if target.status == "ok" else []
        return " ".join(said) or f"{target.target}: {target.status}{f': {target.reason}' if target.reason else ''}."
    if not run.targets:
        return "No target has a result yet."
    return _several(run.targets, results)


def sentence(target: TargetResult, variant: str) -> str:
    """optimized is 1.94x faster than baseline: 142 µs to 73.5 µs per call, 97 % interval 1.92x to 1.96x."""
    judged = target.ratios[variant]
    one, other = label_of(target, "baseline"), label_of(target, variant)
    if judged.ratio is None or judged.ratio <= 0:
        return f"{other} has no ratio to {one}: {judged.verdict}."
    before, after = ratio_figures(target, variant)
    per = " per call" if judged.claim in ("time", "energy") and not target.program else ""
    figures = ""
    if before is not None and after is not None:
        figures = f": {quantity(before, judged)} to {quantity(after, judged)}{per}"
    return f"{_said(judged, one, other)}{figures}{_reach(judged)}."


def _subject(run: Run) -> str:
    sweep = run.options.get("sweep")
    if isinstance(sweep, dict) and sweep.get("target"):
        return f"Sweep of {sweep['target']}"
    names = run.planned or [target.target for target in run.targets]
    if len(names) == 1:
        return names[0]
    return f"{len(names)} targets" if names else "A run without targets"


def _said(judged: RatioResult, one: str, other: str) -> str:
    ratio = judged.ratio or 1.0
    factor = units.ratio(max(ratio, 1 / ratio))
    better = ratio > 1
    if judged.verdict == "same":
        return f"{other} and {one} are the same{_bound(judged)}"
    if judged.verdict in UNDECIDED:
        return f"Not decided ({judged.verdict}): {other} {_compared(judged, factor, better, 'looks')} {one}"
    return f"{other} {_compared(judged, factor, better, 'is')} {one}"


def _compared(judged: RatioResult, factor: str, better: bool, verb: str) -> str:
    if judged.claim in LESS:
        word = LESS[judged.claim][0 if better else 1]
        return f"{'seems to need' if verb == 'looks' else 'needs'} {factor} {word} than"
    if judged.claim == "metric":
        return f"{verb} {factor} {'better' if better else 'worse'} by {judged.clock} than"
    to_start = " to start" if judged.claim == "startup" else ""
    return f"{verb} {factor} {'faster' if better else 'slower'}{to_start} than"


def _bound(judged: RatioResult) -> str:
    return f" (any difference is below {units.percent(judged.bound)})" if judged.bound is not None else ""


def _reach(judged: RatioResult) -> str:
    """The interval in the direction of the sentence: a slower side is so many times slower."""
    if judged.low is None or judged.high is None or not judged.low > 0:
        return ", no interval"
    ends = sorted((judged.low, judged.high))
    slower = judged.verdict in ("slower", "worse")
    low, high = (1 / ends[1], 1 / ends[0]) if slower else (ends[0], ends[1])
    words = "baseline over variant " if judged.verdict in (*UNDECIDED, "same") else ""
    return f", {100 * judged.level:.3g} % interval {words}{units.ratio(low)} to {units.ratio(high)}"


def _several(targets: Sequence[TargetResult], results: Sequence[tuple[TargetResult, str, RatioResult]]) -> str:
    words: Counter[str] = Counter(judged.verdict for target, _, judged in results if target.status == "ok")
    words.update(target.status for target in targets if target.status != "ok" or not target.ratios)
    groups = (
        ("faster or better", ("faster", "better")),
        ("slower or worse", ("slower", "worse")),
        ("the same", ("same",)),
        ("undecided", UNDECIDED),
        ("broken", BROKEN),
        ("skipped", ("skipped",)),
    )
    counted = [(sum(words[word] for word in own), name) for name, own in groups]
    said = ", ".join(f"{number} {name}" for number, name in counted if number)
    total = sum(words.values())
    gains = [one for one in results if one[2].verdict == "faster" and one[2].ratio]
    largest = ""
    if gains:
        target, variant, judged = max(gains, key=lambda one: one[2].ratio or 0.0)
        label = f"{target.target} {variant}" if len(target.ratios) > 1 else target.target
        largest = f" The largest gain is {units.ratio(judged.ratio)}, of {label}."
    return f"{total} results: {said}.{largest}"
