"""From timed runs of two programs to the stored result: verdict, every other quantity, and what the reader should know.

The band, delta and the words are those of a pair. Groups among blocks are not looked for: every run is a process of its
own, so a mode shows in the runs, and is reported from there.
"""

import math
from dataclasses import replace
from statistics import median

from perfproof.bench.programs.alone import timing_of
from perfproof.bench.programs.done_work import differs, only_one_writes
from perfproof.bench.programs.plan import Session
from perfproof.bench.programs.trials import B, Trials, correlation, drift, drift_of, groups_of_runs
from perfproof.core.documents import Memory, RatioResult, TargetResult, VariantResult, Warning
from perfproof.core.options import PROGRAM_EFFORTS
from perfproof.core.ratio_figures import IDENTICAL
from perfproof.core.units import all_digits, binary_bytes, percent, seconds
from perfproof.core.warnings import warn
from perfproof.machine import layout
from perfproof.stats.judgement import Judgement
from perfproof.stats.memory import exact, judge_memory
from perfproof.stats.quads import BASELINE, TWIN
from perfproof.stats.units import LEVEL
from perfproof.stats.verdicts import CPU_BAND, judge, words

PAGE = 4096
NEAR_FLOOR = 0.05
LARGE_DRIFT = 0.15  # of the own time, by its logarithm: a reader should know it beside the verdict
NO_UNIT_MODES = (math.inf,)  # a gap between blocks is noise; see above
COUNTER = "ru_maxrss of the largest process"


def describe(result: TargetResult, session: Session) -> None:
    """Fill the document from the runs."""
    plan, trials = session.plan, session.trials
    names = ["wall", "cpu", "memory", *(metric.name for metric in plan.metrics)]
    if plan.b is None:
        _describe_alone(result, session, names)
        return
    found = {name: verdict_of(trials, name, plan.delta, session.floor_bytes, plan.level) for name in names}
    found = {name: _if_enough(judged, session) for name, judged in found.items()}
    total = session.trials.done[-1].row["end_ns"] - session.trials.done[0].row["start_ns"]
    for judged in found.values():
        if judged.more_launches is not None:
            judged.more_seconds = judged.more_launches * total * 1e-9 / max(1, judged.launches)
    result.ratios = {B: found.pop(plan.judged)}
    result.also, result.verdict = found, result.ratios[B].verdict
    result.variants = {side: _variant(trials, side, names) for side in (BASELINE, B)}
    result.floor_seconds = session.floor_seconds or None
    result.program |= {
        "exits": {side: sorted(codes) for side, codes in session.exits.items()},
        "outputs": _outputs(session),
        "prints": session.work["a"].words != [],
        "blocks": len({trial.block for trial in trials.done}),
        "quads": session.quads,
    }
    result.warnings = _remarks(session, result)


def _if_enough(judged: RatioResult, session: Session) -> RatioResult:
    """Fewer blocks than the effort asks for carry no verdict, whatever ended the runs."""
    effort = session.plan.effort
    blocks, least = len({trial.block for trial in session.trials.done}), PROGRAM_EFFORTS[effort].least
    if blocks >= least or judged.ratio is None:
        return judged
    why = f"{blocks} of the {least} blocks of --effort {effort} measured"
    note = judged.note if judged.low is None else "; ".join(filter(None, (why, judged.note)))
    return judged.model_copy(update={"verdict": "indicative", "size": None, "note": note})


def _describe_alone(result: TargetResult, session: Session, names: list[str]) -> None:
    plan, trials = session.plan, session.trials
    side = _variant(trials, BASELINE, names)
    timed = {name: timing_of(trials, name, plan.level) for name in names if name != "memory"}
    side.timings = {name: found for name, found in timed.items() if found is not None}
    result.variants, result.floor_seconds = {BASELINE: side}, session.floor_seconds or None
    result.program |= {
        "exits": {side: sorted(codes) for side, codes in session.exits.items()},
        "blocks": len({trial.block for trial in trials.done}),
    }
    result.warnings = _remarks(session, result)


def verdict_of(trials: Trials, quantity: str, delta: float, floor: int = 0, level: float = LEVEL) -> RatioResult:
    """One quantity, judged; b better than a is a ratio above 1."""
    claim = quantity if quantity == "memory" else "time" if quantity in ("wall", "cpu") else "metric"
    if quantity == "memory":
        judged = _memory(trials, delta, floor, level)
    else:
        units = trials.units(quantity)
        judged = judge(
            units,
            beta=CPU_BAND,
            delta=delta,
            level=level,
            process_errors=NO_UNIT_MODES,
            twin=trials.twin(quantity),
            typical=trials.typical(quantity),
        )
        note = judged.note.replace("no complete couple", "no complete quad").replace("launches:", "blocks:")
        if claim == "metric" and (value := trials.only_value(quantity)) is not None:
            said = f"{IDENTICAL}: {all_digits(value)}"
            note = f"{said}; {note}" if units and note else said
        judged = replace(judged, note=note)
    runs = [len(trials.values(side, quantity)) for side in (BASELINE, B)]
    return RatioResult(
        **{**_two_figures(trials, quantity), **judged.fields(), "verdict": words(judged.verdict, claim)},
        claim=claim,  # type: ignore[arg-type]
        clock=COUNTER if quantity == "memory" else quantity,
        launches=len(trials.units(quantity)),
        processes=sum(runs),
        quads=sum(1 for trial in trials.done if trial.side == B) // 2,
        rung="programs",
    )


def _two_figures(trials: Trials, quantity: str) -> dict[str, float]:
    """Geometric means over blocks; for a metric of which more is better the ratio is b over a."""
    found = [] if quantity == "memory" else trials.figures(quantity)
    if not found:
        return {}
    a, b = (math.exp(math.fsum(logs) / len(found)) for logs in zip(*found, strict=True))
    return {"baseline": a, "variant": b}


def _memory(trials: Trials, delta: float, floor: int, level: float) -> Judgement:
    a, b = ([int(value) for value in trials.values(side, "memory")] for side in (BASELINE, B))
    runs = [sum(trial.side == side for trial in trials.done) for side in (BASELINE, B)]
    if len(a) < runs[0] or len(b) < runs[1]:
        note = f"unknown: a program is smaller than {binary_bytes(floor)}, below which peak memory cannot be told"
        return Judgement("inconclusive", delta=delta, level=level, note=note)
    return judge_memory(a, b, PAGE * len(layout.allowed_cpus()), delta, level)


def _variant(trials: Trials, side: str, names: list[str]) -> VariantResult:
    found = {name: trials.values(side, name) for name in names}
    peaks = [int(value) for value in found["memory"]]
    return VariantResult(
        times={name: median(found[name]) for name in ("wall", "cpu") if found[name]},
        memory=_peak(peaks) if peaks else None,
        metrics={name: median(found[name]) for name in names[3:] if found[name]},
    )


def _peak(peaks: list[int]) -> Memory:
    agree = exact(peaks, PAGE * len(layout.allowed_cpus()))
    return Memory(peak_bytes=int(median(peaks)), processes=len(peaks), exact=agree, counter=COUNTER)


def _outputs(session: Session) -> str:
    a, b = session.outputs.get("a", set()), session.outputs.get("b", set())
    if len(a) > 1 or len(b) > 1:
        return "vary from run to run"
    return "equal" if a == b else "different"


def _of_work(session: Session, labels: dict[str, str], outputs: str) -> list[Warning]:
    """Do both programs print and write the same?"""
    a, b = session.work["a"], session.work["b"]
    found = []
    if outputs.startswith("vary") and (words := differs(a, b)):
        found.append(warn("W140", f"the two print different things, apart from what varies from run to run: {words}"))
    for own, other, files in zip("ab", "ba", only_one_writes(a, b), strict=True):
        if files:
            found.append(warn("W140", f"{labels[own]} writes {files} in every run, and {labels[other]} does not"))
    return found


def _first_runs(session: Session, labels: dict[str, str]) -> list[Warning]:
    """Do later runs live on what the first one left?"""
    found = []
    for name, work in session.work.items():
        if said := work.first_run(is_second=name == "b"):
            remedy = "remove what it left by --prepare, or say that later runs are meant"
            found.append(warn("W148", f"the first run of {labels[name]} {said}: {remedy}"))
    return found


def _remarks(session: Session, result: TargetResult) -> list[Warning]:
    plan, trials = session.plan, session.trials
    found = [warn(code, text) for code, text in plan.warnings]
    outputs = result.program.get("outputs", "")
    first = differs(session.work["a"], session.work["b"]) if outputs == "different" else ""
    if outputs == "different" and (first or not plan.metrics):  # numbers of metrics may differ: they are judged
        what = f"the two print different things ({first})" if first else "the two differ in times or spaces they print"
        found.append(warn("W140", f"{what}: see {plan.outputs}/a.stdout and b.stdout in the run's folder"))
    labels = {"a": plan.a.label, "b": plan.b.label if plan.b else ""}
    found += [*(_of_work(session, labels, outputs) if plan.b else []), *_first_runs(session, labels)]
    for name, count in session.left.items():
        if count:
            found.append(warn("W142", f"{labels.get(name, name)} left {count} process(es) behind; they were ended"))
    baseline = trials.values(BASELINE, "wall")
    resembles = correlation(trials.units("wall") if plan.b else trials.block_means("wall"))
    moving = [text for text in (resembles, drift(baseline)) if text]
    if moving:
        large = abs(drift_of(baseline)) > LARGE_DRIFT
        found.append(warn("W141", "; ".join(moving)).model_copy(update={"kind": "warning"} if large else {}))
    for name, values in (("a", baseline + trials.values(TWIN, "wall")), ("b", trials.values(B, "wall"))):
        if groups := groups_of_runs(values, seconds):
            found.append(warn("W111", f"the runs of {labels[name]} fall into groups: {groups}"))
    fastest = min(variant.times["wall"] for variant in result.variants.values())
    if session.floor_seconds > NEAR_FLOOR * fastest:
        share = percent(session.floor_seconds / fastest, 0)
        whose = "the faster side" if plan.b else "its time"
        found.append(warn("W104", f"starting `true` takes {seconds(session.floor_seconds)}, {share} of {whose}"))
    if session.out_of_budget or session.interrupted:
        blocks = result.program["blocks"]
        after = f"after {blocks} block{'' if blocks == 1 else 's'}"
        found.append(warn("W118", f"{'interrupted' if session.interrupted else 'the budget ended'} {after}"))
    return found
