"""The title of a run's page and its result in one sentence, as a person would say it."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime

from perfproof.core import units
from perfproof.core.documents import RatioResult, Run, TargetResult
from perfproof.core.other_work import WORD, is_other_work
from perfproof.report.alone import timed_alone
from perfproof.report.sentences import conclusion

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
        if target.is_alone:
            return timed_alone(target)
        said = [conclusion(target, variant) for variant in target.ratios] if target.status == "ok" else []
        return " ".join(said) or f"{target.target}: {target.status}{f': {target.reason}' if target.reason else ''}."
    if not run.targets:
        return "No target has a result yet."
    return _several(run.targets, results)


def _subject(run: Run) -> str:
    sweep = run.options.get("sweep")
    if isinstance(sweep, dict) and sweep.get("target"):
        return f"Sweep of {sweep['target']}"
    names = run.planned or [target.target for target in run.targets]
    if len(names) == 1:
        return names[0]
    return f"{len(names)} targets" if names else "A run without targets"


def _several(targets: Sequence[TargetResult], results: Sequence[tuple[TargetResult, str, RatioResult]]) -> str:
    others = sum(is_other_work(target) for target, _, _ in results)
    results = [one for one in results if not is_other_work(one[0])]
    words: Counter[str] = Counter(judged.verdict for target, _, judged in results if target.status == "ok")
    words.update([WORD] * others)
    words.update(target.status for target in targets if target.status != "ok" or not target.ratios)
    groups = (
        ("faster or better", ("faster", "better")),
        ("slower or worse", ("slower", "worse")),
        ("the same", ("same",)),
        ("undecided", UNDECIDED),
        ("broken", BROKEN),
        ("skipped", ("skipped",)),
        (f"{WORD}, not judged", (WORD,)),
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
