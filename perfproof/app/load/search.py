"""Search the highest rate within an SLO: one load test per step, and the verdict on each."""

from collections.abc import Sequence
from dataclasses import replace

from perfproof.app.load.asked import Asked, Say
from perfproof.app.load.gpus import Meter
from perfproof.app.load.plan import LONGER_STEP, MOST_STEP
from perfproof.app.load.records import shifted
from perfproof.app.load.watched import Watched, is_local
from perfproof.core.load import SloResult, SloStep, SloTerm
from perfproof.load.arrivals import draw_times
from perfproof.load.measures import value_of, window_of
from perfproof.load.record import Record
from perfproof.load.record_file import RecordFile
from perfproof.load.search import Found, Step, search
from perfproof.load.session import Measured, Plan, run_plan
from perfproof.load.slo import attained, goodput
from perfproof.load.watch import missed_alone, watcher

WARM_UP = 0.1  # of a step of a search: its requests are not judged


def search_rates(asked: Asked, plan: Plan, file: RecordFile, say: Say) -> tuple[Watched, SloResult]:
    """Climb, bracket and halve; all records of all steps go into one file, one step after the other in time."""
    assert plan.arrivals is not None
    everything = Watched([], Measured())
    shown: list[SloStep] = []
    meter, offset = Meter() if is_local(plan) else Meter([]), 0.0

    def measure(rate: float) -> Step:
        nonlocal offset
        step_plan = _step_plan(asked, plan, rate, len(shown))
        planned = len(draw_times(step_plan.arrivals, step_plan.seconds, step_plan.seed))  # type: ignore[arg-type]
        began = offset

        def keep(record: Record) -> None:
            everything.records.append(shifted(record, began))
            file.add(everything.records[-1])

        meter.start()
        found = run_plan(step_plan, keep, watcher(asked.slo, planned))
        step, row = judge_step(found, step_plan, asked.slo)
        row.energy = meter.stop(found.records, f"{rate:.3g} requests per second")
        offset += max((one.end or one.intended for one in found.records), default=0.0) + 1.0
        if row.verdict == "misses":
            everything.missed.append((began, offset))
        merged = everything.measured
        merged.cpu_share = max(merged.cpu_share, found.cpu_share)
        merged.interrupted = merged.interrupted or found.interrupted
        shown.append(row)
        said = "too few requests to tell" if row.verdict == "open" else row.verdict
        say(f"{rate:8.3g} req/s  {said}{f': {row.aborted}' if row.aborted else ''}")
        return step

    def enough() -> bool:
        return everything.measured.interrupted or bool(missed_alone(everything.records, asked.slo))

    found, _ = search(measure, plan.arrivals.rate, enough)
    if hopeless := missed_alone(everything.records, asked.slo):
        say(f"requests that had the server for themselves missed {hopeless}: no rate meets it")
    shown.sort(key=lambda one: one.rate)
    result = SloResult(
        terms=list(asked.slo),
        rate=found.rate,
        low=found.low,
        high=found.high,
        sentence=sentence(found, asked),
        steps=shown,
    )
    return everything, result


def _step_plan(asked: Asked, plan: Plan, rate: float, number: int) -> Plan:
    """As long as asked, and long enough for ten misses to be allowed."""
    assert plan.arrivals is not None
    needed = max(10 / (1 - term.quantile) for term in asked.slo) / rate
    seconds = min(MOST_STEP, max(asked.seconds, min(needed, LONGER_STEP * asked.seconds)))
    arrivals = replace(plan.arrivals, rates=(rate,))
    return replace(plan, arrivals=arrivals, seconds=seconds, seed=plan.seed + number, salt=f"{plan.salt} {number}")


def judge_step(found: Measured, plan: Plan, terms: Sequence[SloTerm]) -> tuple[Step, SloStep]:
    assert plan.arrivals is not None
    known, seconds = found.records, plan.seconds
    if found.aborted:  # what was cut off says nothing of the server
        known = [one for one in known if one.outcome != "unfinished"]
        seconds = max((one.intended for one in known), default=0.0) + 1e-6
    start, end = WARM_UP * seconds, seconds
    judged = [one for one in known if start <= one.intended < end]
    step = Step(plan.arrivals.rate, tuple(attained(known, term, start, end) for term in terms), found.aborted)
    requests, tokens = goodput(judged, terms, end - start)
    window = window_of(known, start, end)
    figures = {} if found.aborted else {term.text: _quantile(judged, term) for term in terms}
    row = SloStep(
        rate=step.rate,
        seconds=seconds,
        requests=len(known),
        shares=[one.share for one in step.terms],
        verdict=step.verdict,  # type: ignore[arg-type]
        aborted=found.aborted,
        request_goodput=requests,
        token_goodput=tokens,
        output_tokens_per_second=window.output_tokens_per_second,
        figures={name: value for name, value in figures.items() if value is not None},
    )
    return step, row


def _quantile(records: Sequence[Record], term: SloTerm) -> float | None:
    values = sorted(v for one in records if one.outcome == "ok" and (v := value_of(one, term.metric)) is not None)
    return values[min(len(values) - 1, int(term.quantile * len(values)))] if values else None


def sentence(found: Found, asked: Asked) -> str:
    """The answer of a search in words."""
    limits = " ".join(term.text for term in asked.slo)
    if found.rate is None or found.low is None or found.high is None:
        return f"{found.note} ({limits})" + (f"; the highest was {found.low:.3g} req/s" if found.low else "")
    note = f"; {found.note}" if found.note else ""
    return f"{found.rate:.3g} req/s [{found.low:.3g}, {found.high:.3g}] of this traffic within {limits}{note}"
