"""Pipeline bubble: the share of time in which stages wait, and how many micro-batches make it small.

bubble      (P - 1)/(v·m + P - 1) of the time, for GPipe and 1F1B (v = 1) and for interleaved stages (v > 1)
slow-down   1 + (P - 1)/(v·m) over stages that never wait
in flight   activations of m micro-batches in the first stage for GPipe, of min(m, P) for 1F1B;
            interleaved min(m, P)·(1 + (P - 1)/(P·v))
needed      m >= (P - 1)·(1 - b)/(v·b) for a bubble of at most b

P stages, m micro-batches per step and replica, v chunks of layers per stage. All stages take equally long, and handing
over takes no time: a real bubble is larger.
"""

import math
from typing import Annotated

from perfproof.calc.answer import Answer, Flag, Table, Value


def calculate(
    pp: Annotated[int, Flag("Number of pipeline stages.", "P", least=1)],
    micro_batches: Annotated[int, Flag("Number of micro-batches per step and replica.", "M", least=1)],
    chunks: Annotated[int, Flag("Chunks of layers per stage; above 1: interleaved stages.", "V", least=1)] = 1,
    wanted: Annotated[
        float, Flag("Largest bubble that is acceptable, as a share of the time.", "SHARE", above=0, most=0.99)
    ] = 0.05,
    step_s: Annotated[float | None, Flag("Measured time of a step, in seconds.", "S", above=0)] = None,
) -> Answer:
    waiting = bubble(pp, micro_batches, chunks)
    values = [
        Value("bubble", waiting, "share", "of the time, stages wait"),
        Value("slow_down", 1 / (1 - waiting), "x", "over stages that never wait"),
        Value("micro_batches_needed", needed(pp, chunks, wanted), "", f"for a bubble of at most {wanted:.0%}"),
        Value("in_flight_gpipe", micro_batches, "", "micro-batches whose activations the first stage keeps"),
        Value("in_flight_1f1b", in_flight(pp, micro_batches, chunks), "", "the same, for 1F1B or interleaved stages"),
    ]
    if step_s is not None:
        values.append(Value("lost_per_step", waiting * step_s, "s", "at best, if nothing else waits"))
    counts = sorted({1, pp, 2 * pp, 4 * pp, 8 * pp, 16 * pp, micro_batches})
    rows = tuple((count, bubble(pp, count, 1), bubble(pp, count, 2), bubble(pp, count, 4)) for count in counts)
    columns = (("micro-batches", ""), ("1F1B", "share"), ("2 chunks", "share"), ("4 chunks", "share"))
    warnings = () if micro_batches >= pp else (f"{micro_batches} micro-batches never fill {pp} stages",)
    return Answer(f"bubble {waiting:.1%} of the time", tuple(values), (Table("bubble", columns, rows),), warnings)


def bubble(pp: int, micro_batches: int, chunks: int = 1) -> float:
    return (pp - 1) / (chunks * micro_batches + pp - 1)


def needed(pp: int, chunks: int, share: float) -> int:
    return max(1, math.ceil((pp - 1) * (1 - share) / (chunks * share) - 1e-9))


def in_flight(pp: int, micro_batches: int, chunks: int) -> float:
    kept = min(micro_batches, pp)
    return kept if chunks == 1 else kept * (1 + (pp - 1) / (pp * chunks))
