"""Two servers under the same traffic, in short blocks that alternate in random order, judged like pairs.

A pair of blocks has the same arrivals and lengths on both sides, and different salts. Neither server works while the
other is measured, so two of them may share a GPU. The pair of blocks is the unit of replication.
"""

import math
import random
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

from perfproof.app.load.asked import Asked, Say
from perfproof.app.load.done import Done
from perfproof.app.load.headline import headline
from perfproof.app.load.plan import make_plan
from perfproof.app.load.records import records_in, shifted
from perfproof.app.load.result import make_result
from perfproof.app.load.watched import Watched
from perfproof.core.errors import UsageError
from perfproof.core.load import Comparison
from perfproof.core.units import percent
from perfproof.history.folders import open_run
from perfproof.load.measures import value_of
from perfproof.load.record import NOT_FAILED, Record
from perfproof.load.record_file import RecordFile
from perfproof.load.session import Measured, Plan, run_plan
from perfproof.stats.verdicts import judge, words

PAIRS = 8
LEAST_BLOCK = 0.5  # s
BAND, MATTERS = 0.005, 0.02  # what blocks may share; differences that matter


@dataclass(frozen=True)
class Metric:
    name: str
    read: Callable[[Sequence[Record], float], float | None]
    higher_is_better: bool = False


def _mean_of(metric: str) -> Callable[[Sequence[Record], float], float | None]:
    def read(records: Sequence[Record], seconds: float) -> float | None:
        values = [v for one in records if one.outcome == "ok" and (v := value_of(one, metric)) is not None]
        return math.fsum(values) / len(values) if values else None

    return read


def _tokens_per_second(records: Sequence[Record], seconds: float) -> float | None:
    return sum(one.made for one in records if one.outcome == "ok") / seconds or None


METRICS = (
    Metric("mean TTFT", _mean_of("TTFT")),
    Metric("mean TPOT", _mean_of("TPOT")),
    Metric("mean latency", _mean_of("latency")),
    Metric("output tokens per second", _tokens_per_second, higher_is_better=True),
)


def run_against(asked: Asked, say: Say) -> Done:
    if asked.slo or asked.trace:
        raise UsageError("--against compares one rate or one number of users: leave out --slo and --trace")
    assert asked.against is not None
    block = asked.seconds / PAIRS
    if block < LEAST_BLOCK:
        raise UsageError(f"--duration {asked.seconds:g} leaves {block:.2g} s for each of {PAIRS} blocks: write more")
    with ExitStack() as stack:
        sides = [make_plan(asked, url, stack, say) for url in (asked.url, asked.against)]
        say(f"{PAIRS} pairs of blocks of {block:.3g} s: {asked.url} and {asked.against}")
        folder = open_run(asked.artifacts_dir, "load-against").path
        file = stack.enter_context(records_in(folder, asked, sides[0]))
        pairs, found = _measure(sides, block, file, say)
        result = make_result(asked, replace(sides[0], seconds=2 * asked.seconds), found, None, blocks=True)
    result.against_url, result.against = asked.against, compare(pairs, block)
    result.headline = _sentence(result.against) if headline(result) else ""
    a, b = failed = _failed_share(pairs, 0), _failed_share(pairs, 1)
    if a or b:
        result.notes.append(f"{percent(a)} of the requests to A failed, {percent(b)} of those to B")
    return Done(result, folder, found.records, failed)


def _failed_share(pairs: Sequence[Sequence[Sequence[Record]]], side: int) -> float:
    records = [one for pair in pairs for one in pair[side]]
    return sum(one.outcome not in NOT_FAILED for one in records) / max(1, len(records))


def _measure(
    sides: Sequence[Plan], block: float, file: RecordFile, say: Say
) -> tuple[list[list[list[Record]]], Watched]:
    """Records of every pair: those of A and those of B, written as they end. A first block per side warms up."""
    draw = random.Random(f"order {sides[0].seed}")
    orders = [[0, 1], [1, 0]] * (PAIRS // 2)
    draw.shuffle(orders)
    everything, offset = Watched([], Measured()), 0.0
    pairs: list[list[list[Record]]] = []

    def keep(record: Record) -> None:
        everything.records.append(shifted(record, offset))
        file.add(everything.records[-1])

    for side in (0, 1):
        if run_plan(block_plan(sides[side], block / 2, 0, "warm-up"), lambda record: None).interrupted:
            everything.measured.interrupted = True
            return pairs, everything
    for number, order in enumerate(orders):
        both: list[list[Record]] = [[], []]
        for side in order:
            found = run_plan(block_plan(sides[side], block, number, f"{number} {side}"), keep)
            both[side] = found.records
            offset += max((one.end or one.intended for one in found.records), default=0.0) + 0.1
            everything.measured.cpu_share = max(everything.measured.cpu_share, found.cpu_share)
            if found.interrupted:
                everything.measured.interrupted = True
                return pairs, everything
        pairs.append(both)
        say(f"pair {number + 1} of {PAIRS}")
    return pairs, everything


def block_plan(plan: Plan, seconds: float, number: int, salt: str) -> Plan:
    return replace(plan, seconds=seconds, seed=plan.seed * 1000 + number, salt=f"{plan.salt} {salt}")


def compare(pairs: Sequence[Sequence[Sequence[Record]]], seconds: float) -> list[Comparison]:
    """Each metric as a ratio in which above 1 means that B is better."""
    found = []
    for metric in METRICS:
        values = [[metric.read(side, seconds) for side in pair] for pair in pairs]
        whole = [(a, b) for a, b in values if a is not None and b is not None]
        if not whole:
            continue
        units = [math.log(b / a if metric.higher_is_better else a / b) for a, b in whole]
        said = judge(units, beta=BAND, delta=MATTERS)
        a, b = (math.exp(math.fsum(map(math.log, side)) / len(side)) for side in zip(*whole, strict=True))
        found.append(
            Comparison(
                metric=metric.name,
                verdict=words(said.verdict, "load"),
                ratio=said.ratio or math.exp(units[0]),
                low=said.low,
                high=said.high,
                blocks=len(units),
                a=a,
                b=b,
                note=said.note,
            )
        )
    return found


def _sentence(found: Sequence[Comparison]) -> str:
    parts = [f"{one.metric} {one.verdict} ({one.ratio:.3g}x)" for one in found]
    return f"B against A: {', '.join(parts)}"
