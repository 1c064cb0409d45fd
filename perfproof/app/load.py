"""Use cases of `perfproof load`: test a server, search its highest rate within an SLO, compare two servers.

The folder of a test holds load.json (the result), requests.jsonl (every request) and load.html.
"""

import asyncio
import math
import os
import secrets
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from perfproof import __version__
from perfproof.app.load_gpus import Meter, watch_throttling
from perfproof.core.atomic import write_atomic
from perfproof.core.documents import Check
from perfproof.core.errors import UsageError
from perfproof.core.load import Cost, Energy, LoadResult, SloResult, SloStep, SloTerm
from perfproof.core.units import seconds as as_time
from perfproof.history.folders import open_run
from perfproof.load import checks, own_server, selftest, serve_command
from perfproof.load.arrivals import Arrivals, draw_times
from perfproof.load.driver import Limits
from perfproof.load.http_client import parse_address
from perfproof.load.measures import steady_window, value_of, window_of
from perfproof.load.probe import find_service
from perfproof.load.profile import Profile, fixed, load_profile
from perfproof.load.record import Record
from perfproof.load.record_file import RecordFile
from perfproof.load.search import Found, Step, search
from perfproof.load.session import Measured, Plan, run_plan
from perfproof.load.slo import attained, goodput
from perfproof.load.traces import read_trace, scaled
from perfproof.load.watch import missed_alone, watcher
from perfproof.load.workload import Service
from perfproof.report.load import page as load_page

RESULT, RECORDS, PAGE = "load.json", "requests.jsonl", "load.html"
WARM_UP = 0.1  # of a step of a search: its requests are not judged
LOCAL = ("127.0.0.1", "localhost", "::1")
SETTLED = ("poisson", "constant", "gamma")
MOST_STEP, LONGER_STEP = 600.0, 4  # s, and times --duration: a low rate needs long steps
MOST_TOGETHER = 0.25  # of the events: more is no chance of the network
Say = Callable[[str], None]


@dataclass(frozen=True)
class Asked:
    """What the command line was given."""

    url: str
    workload: str = "chat"
    prompt_tokens: int | None = None
    output_tokens: int | None = None
    arrivals: Arrivals | None = None
    users: int | None = None
    think: float = 0.0
    trace: str | None = None
    speed: float = 1.0
    seconds: float = 30.0
    limits: Limits = field(default_factory=Limits)
    model: str | None = None
    key_variable: str | None = None
    extra: dict[str, object] = field(default_factory=dict)
    seed: int = 1
    salt: str | None = None
    price: float | None = None  # dollars per hour of the server
    slo: tuple[SloTerm, ...] = ()
    against: str | None = None
    artifacts_dir: str = "artifacts"


@dataclass
class Done:
    result: LoadResult
    folder: Path
    records: list[Record]
    failed_shares: tuple[float, float] = (0.0, 0.0)  # of the requests to A and to B, if two were compared

    @property
    def exit_code(self) -> int:
        """4 if the server answered nothing, 130 after Ctrl-C."""
        if self.result.interrupted:
            return 130
        return 0 if any(one.outcome == "ok" for one in self.records) else 4


def run_load(asked: Asked, say: Say) -> Done:
    """Test a server: one rate, one number of users or one trace; with an SLO, a search over rates."""
    with ExitStack() as stack:
        plan = _plan(asked, asked.url, stack, say)
        say(f"{plan.service.model} at {asked.url}: {_describe(asked, plan)}")
        folder = open_run(asked.artifacts_dir, "load").path
        file = stack.enter_context(_records_in(folder, asked, plan))
        if asked.slo:
            say(f"about {_search_time(asked)}, in 10 to 14 steps")
            if hint := _few_requests(asked, plan):
                say(hint)
            found, slo = _search(asked, plan, file, say)
        else:
            found, slo = _measured(asked, plan, file), None
        result = make_result(asked, plan, found, slo)
    return Done(result, folder, found.records)


def keep_result(done: Done) -> str:
    """Write the document and the page of a test beside its records; returns the page."""
    written = load_page.render(done.result, done.records)
    write_atomic(done.folder / RESULT, done.result.model_dump_json(indent=1) + "\n")
    write_atomic(done.folder / PAGE, written)
    return written


@contextmanager
def _records_in(folder: Path, asked: Asked, plan: Plan) -> Iterator[RecordFile]:
    about = {
        "url": asked.url,
        "model": plan.service.model,
        "workload": plan.profile.name,
        "seed": plan.seed,
        "salt": plan.salt,
        "seconds": plan.seconds,
        "planned": _planned(asked, plan),
        **({"against": asked.against} if asked.against else {}),
        "started": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
    }
    file = RecordFile(folder / RECORDS, about)
    try:
        yield file
    finally:
        file.close()


def _planned(asked: Asked, plan: Plan) -> float | None:
    """How long the test takes, about; None for a search, which ends when it knows."""
    if asked.slo:
        return None
    if plan.trace:
        return plan.trace[-1].at
    return 2 * plan.seconds if asked.against else plan.seconds


def _plan(asked: Asked, url: str, stack: ExitStack, say: Say) -> Plan:
    salt = asked.salt or secrets.token_hex(6)
    profile = _profile(asked)
    trace, notes = read_trace(Path(asked.trace)) if asked.trace else ([], [])
    replayed = scaled(trace, asked.speed, asked.seconds)
    if len(replayed) < len(trace):
        notes.append(f"the first {len(replayed)} of {len(trace)} requests of the trace: those within --duration")
    service = find_server(asked, url, salt, stack, say)
    return Plan(
        service,
        profile,
        asked.seconds,
        asked.seed,
        salt,
        arrivals=None if trace or asked.users else asked.arrivals,
        users=asked.users,
        think=asked.think,
        trace=replayed,
        limits=asked.limits,
        notes=tuple(notes),
    )


def find_server(asked: Asked, url: str, salt: str, stack: ExitStack, say: Say) -> Service:
    if serve_command.is_serve(url):
        url = stack.enter_context(serve_command.served(url, say))
    elif own_server.is_own(url):
        url = stack.enter_context(own_server.started(own_server.arguments_of(url)))
    key = os.environ.get(asked.key_variable) if asked.key_variable else None
    if asked.key_variable and not key:
        raise UsageError(f"--api-key-env {asked.key_variable}: this variable is not set")
    return asyncio.run(find_service(parse_address(url), asked.model, key, asked.extra, f"probe {salt}"))


def _profile(asked: Asked) -> Profile:
    if asked.prompt_tokens or asked.output_tokens:
        return fixed(asked.prompt_tokens or 512, asked.output_tokens or 128)
    return load_profile(asked.workload)


def _describe(asked: Asked, plan: Plan) -> str:
    if plan.users is not None:
        return f"{plan.users} users in a closed loop for {plan.seconds:g} s"
    if plan.trace:
        return f"{len(plan.trace)} requests of {asked.trace} at {asked.speed:g} times their rate"
    assert plan.arrivals is not None
    if asked.slo:
        return f"a search from {plan.arrivals.rate:g} req/s on, {plan.arrivals.kind} arrivals, {_steps_of(asked)}"
    return f"{plan.arrivals.text} for {plan.seconds:g} s"


def _few_requests(asked: Asked, plan: Plan) -> str:
    """A hint if the first steps are too short for their rate; the search climbs until they are not."""
    assert plan.arrivals is not None
    needed = max(10 / (1 - term.quantile) for term in asked.slo)
    longest = min(MOST_STEP, LONGER_STEP * asked.seconds)
    if plan.arrivals.rate * longest >= needed:
        return ""
    rate = f"--rate {math.ceil(needed / longest)}"
    return f"a step needs about {needed:.0f} requests to tell: begin with {rate}, if the server may take so many"


def _search_time(asked: Asked) -> str:
    """Most steps are at rates that need little more than the shortest step."""
    seconds = 12 * min(MOST_STEP, 2 * asked.seconds)
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"


def _steps_of(asked: Asked) -> str:
    shortest, longest = (min(MOST_STEP, factor * asked.seconds) for factor in (1, LONGER_STEP))
    return f"steps of {shortest:g} to {longest:g} s"


def _measured(asked: Asked, plan: Plan, file: RecordFile) -> "Watched":
    """Run the plan with the GPUs of this host watched, if the server is here and there are any."""
    throttled: str | None = None
    with ExitStack() as stack:
        gpus = watch_throttling(stack) if _is_local(plan) else None
        meter = Meter() if _is_local(plan) else Meter([])
        meter.start()
        found = run_plan(plan, file.add)
        energy = meter.stop(found.records, "the whole test")
        if gpus is not None:
            throttled = gpus()
    return Watched(found.records, found, throttled, energy=energy)


def _is_local(plan: Plan) -> bool:
    return plan.service.address.host in LOCAL


@dataclass
class Watched:
    records: list[Record]
    measured: Measured
    throttled: str | None = None
    missed: list[tuple[float, float]] = field(default_factory=list)  # from when to when: steps of a search
    energy: Energy | None = None


def make_result(asked: Asked, plan: Plan, found: Watched, slo: SloResult | None, blocks: bool = False) -> LoadResult:
    """The document of a finished test; one in `blocks` has no steady window."""
    records = found.records
    last = max((one.intended for one in records), default=0.0)
    until = max([last, plan.seconds if not plan.trace else 0.0])
    settled = plan.users is not None or (plan.arrivals is not None and plan.arrivals.kind in SETTLED)
    settled = settled and not slo and not blocks
    steady = steady_window(records, last if plan.users is None else plan.seconds) if settled else ""
    window = steady if isinstance(steady, tuple) else None
    around = _around(plan, found, window, settled)
    checked = checks.check_all(records, around)
    whole_end = max((one.end or one.intended for one in records), default=until)
    result = LoadResult(
        perfproof_version=__version__,
        made=f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        command=["perfproof", *sys.argv[1:]],
        url=asked.url,
        model=plan.service.model,
        workload=plan.profile.name if not plan.trace else f"trace {asked.trace}",
        workload_sha256=plan.profile.sha256,
        arrivals=_describe(asked, plan),
        mode="closed" if plan.users is not None else "trace" if plan.trace else "open",
        asked_rate=None if plan.users is not None or plan.trace or not plan.arrivals else plan.arrivals.rate,
        seed=plan.seed,
        salt=plan.salt,
        seconds=until,
        interrupted=found.measured.interrupted,
        headline="",
        checks=checked,
        whole=window_of(records, 0.0, whole_end + 1e-6),
        steady=window_of(records, *window) if window else None,
        no_steady=steady
        if isinstance(steady, str) and steady
        else ""
        if window
        else "both servers together"
        if blocks
        else "the rate changes during the test",
        slo=slo,
        notes=_notes(plan, records),
        machine={"host": socket.gethostname(), "cores": str(len(os.sched_getaffinity(0)))},
    )
    result.cost, result.energy = _cost(asked, result), found.energy if slo is None else _energy_at_best(slo)
    result.headline = headline(result)
    return result


def _around(plan: Plan, found: Watched, steady: tuple[float, float] | None, settled: bool) -> checks.Around:
    limits = selftest.load()
    rate = plan.arrivals.rate if plan.arrivals is not None and plan.users is None and settled else None
    return checks.Around(
        open_loop=plan.users is None,
        asked_rate=None if found.measured.interrupted else rate,
        cpu_share=found.measured.cpu_share,
        clean_rate=limits.requests_per_second if limits else None,
        clean_events=limits.events_per_second if limits else None,
        cache_counters=found.measured.cache,
        throttled=found.throttled,
        missed=found.missed,
        steady=steady,
        settled=settled,
    )


def _notes(plan: Plan, records: Sequence[Record]) -> list[str]:
    notes = [*plan.notes]
    if not plan.service.ignore_eos:
        notes.append("the server takes no ignore_eos: answers may be shorter than asked for")
    good = [one for one in records if one.outcome == "ok"]
    if good:
        asked = sum(one.asked_output for one in good)
        made = sum(one.made for one in good)
        notes.append(f"answers had {made / asked:.0%} of the tokens that were asked for")
        told = [one for one in good if one.prompt_tokens and one.turn == 0]
        if told:
            share = sum(one.prompt_tokens or 0 for one in told) / max(1, sum(one.asked_prompt for one in told))
            notes.append(f"prompts had {share:.0%} of the tokens that were asked for")
        later = sum(len(one.times) - 1 for one in good)
        together = later - sum(len(one.groups) - 1 for one in good)
        if together > MOST_TOGETHER * later:
            notes.append(f"{together / later:.0%} of the events came together with the one before: read as one event")
    return notes


def _cost(asked: Asked, result: LoadResult) -> Cost | None:
    if asked.price is None:
        return None
    window = result.steady or result.whole
    rate, words = window.output_tokens_per_second, "output tokens of the window"
    if result.slo is not None:
        best = _best(result.slo)
        rate, words = (best.token_goodput, "token goodput of the best rate that met the SLO") if best else (0.0, "")
    if rate <= 0:
        return None
    each = asked.price / 3600 / rate * 1e6
    return Cost(
        dollars_per_hour=asked.price, dollars_per_million_output_tokens=each, at=f"{rate:.4g} per second: {words}"
    )


def _energy_at_best(slo: SloResult) -> Energy | None:
    """The energy at the highest rate that met the SLO."""
    best = _best(slo)
    return best.energy if best is not None else None


def _best(slo: SloResult) -> SloStep | None:
    return max((one for one in slo.steps if one.verdict == "meets"), key=lambda one: one.rate, default=None)


def headline(result: LoadResult) -> str:
    """One sentence, or nothing if a check failed."""
    failed = [one for one in result.checks if one.result == "fail"]
    if result.slo is not None and [one.name for one in failed] == [checks.CLIENT_LAG]:
        return _bound(result.slo, failed[0])
    if failed:
        return ""
    if result.slo is not None:
        return result.slo.sentence + _worth(result)
    window = result.steady or result.whole
    ttft, tpot = window.figure("TTFT"), window.figure("TPOT")
    if ttft is None:
        return ""
    said = f"{window.completed_per_second:.3g} req/s and {window.output_tokens_per_second:.4g} tokens/s; "
    said += f"TTFT p50 {as_time(ttft.quantiles['p50'].value)}, p99 {as_time(ttft.quantiles['p99'].value)}"
    said += " (few samples)" if ttft.quantiles["p99"].few else ""
    return said + (f"; TPOT p50 {as_time(tpot.quantiles['p50'].value)}" if tpot else "") + _worth(result)


def _worth(result: LoadResult) -> str:
    """Dollars and energy, behind the figures."""
    cost, energy = result.cost, result.energy
    said = f", ${cost.dollars_per_million_output_tokens:.2g} per million tokens" if cost else ""
    return said + (f", {energy.tokens_per_joule:.3g} tokens/J" if energy else "")


def _bound(slo: SloResult, lag: Check) -> str:
    """What a late client leaves of a search: its lag is in the latencies, so a rate that met the SLO still meets it.
    One above a rate that missed it met it by chance."""
    missed = min((one.rate for one in slo.steps if one.verdict == "misses"), default=math.inf)
    met = max((one.rate for one in slo.steps if one.verdict == "meets" and one.rate < missed), default=None)
    if met is None:
        return ""
    limits = " ".join(term.text for term in slo.terms)
    higher = max((one.rate for one in slo.steps if one.verdict == "meets" and one.rate > missed), default=None)
    unlike = f"; {missed:.3g} req/s missed it and {higher:.3g} met it, so repeat the test" if higher else ""
    return f"at least {met:.3g} req/s of this traffic within {limits}{unlike}; the client was late: {lag.detail}"


def _search(asked: Asked, plan: Plan, file: RecordFile, say: Say) -> tuple[Watched, SloResult]:
    """Climb, bracket and halve; all records of all steps go into one file, one step after the other in time."""
    assert plan.arrivals is not None
    everything = Watched([], Measured())
    shown: list[SloStep] = []
    meter, offset = Meter() if _is_local(plan) else Meter([]), 0.0

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


def shifted(record: Record, by: float) -> Record:
    """The same request later in time: steps of a search stand one after the other in one file."""
    moved = {
        name: value + by
        for name in ("intended", "released", "sent", "first_byte", "first_token", "first_answer", "last_token", "end")
        if (value := getattr(record, name)) is not None
    }
    return replace(record, **moved, times=[time + by for time in record.times])  # type: ignore[arg-type]
