"""Size and time of a training checkpoint, how often to write one, and what that costs.

size      2 bytes of weights and 12 of optimiser per parameter (fp32 copy, two moments); --weights-only 2
write     size/min(storage, nodes·link of a node); reading back likewise
stall     the whole write; asynchronous (--pcie-gb-s): only the copy to host memory, size/(GPUs·PCIe)
interval  sqrt(2·stall·M) (Young), never below the write itself; lost share stall/τ + (τ/2 + restart)/M

M mean time between failures of the job, τ interval, restart: reading back and --restart-s.
"""

import math
from typing import Annotated

from perfproof.calc.answer import Answer, Flag, Value
from perfproof.calc.model_shape import Shape
from perfproof.calc.parameters import count
from perfproof.core.errors import UsageError

WEIGHTS, OPTIMISER = 2.0, 12.0


def calculate(
    shape: Shape | None,
    storage_gb_s: Annotated[float, Flag("Write bandwidth of the storage, all writers together.", "GB/S", above=0)],
    parameters: Annotated[
        float | None, Flag("Number of parameters, if no MODEL is given: 8e9, 70B.", "N", above=0)
    ] = None,
    weights_only: Annotated[bool, Flag("Save only the weights, without the optimiser state (for serving).")] = False,
    nodes: Annotated[int, Flag("Number of nodes that write.", "N", least=1)] = 1,
    node_gb_s: Annotated[float | None, Flag("Bandwidth from one node to the storage.", "GB/S", above=0)] = None,
    gpus: Annotated[int, Flag("Total number of GPUs, for an asynchronous write.", "N", least=1)] = 8,
    pcie_gb_s: Annotated[
        float | None, Flag("PCIe bandwidth from one GPU to its host; makes the write asynchronous.", "GB/S", above=0)
    ] = None,
    mtbf_hours: Annotated[float | None, Flag("Mean time between failures of the job, in hours.", "H", above=0)] = None,
    restart_s: Annotated[float, Flag("Time from a failure until reading back begins, in seconds.", "S", least=0)] = 0.0,
) -> Answer:
    many, warnings = _parameters(shape, parameters)
    size = many * (WEIGHTS if weights_only else WEIGHTS + OPTIMISER)
    rate = min(storage_gb_s, nodes * node_gb_s if node_gb_s else math.inf) * 1e9
    write = size / rate
    stall = size / (gpus * pcie_gb_s * 1e9) if pcie_gb_s else write
    bound = "the storage" if rate == storage_gb_s * 1e9 else "the nodes' links"
    values = [
        Value("checkpoint_bytes", size, "B", "weights" if weights_only else "weights and optimiser"),
        Value("write", write, "s", f"bound by {bound}"),
        Value("stall", stall, "s", "copy to the host, the rest in the background" if pcie_gb_s else "the whole write"),
        Value("read_back", write, "s", "at the same rate"),
    ]
    if mtbf_hours is not None:
        values += _often(stall, write, mtbf_hours * 3600, restart_s)
    return Answer(
        f"{size / 1e9:,.1f} GB, {write:,.1f} s to write, {stall:,.1f} s of stall", tuple(values), (), warnings
    )


def _parameters(shape: Shape | None, given: float | None) -> tuple[float, tuple[str, ...]]:
    if (shape is None) == (given is None):
        raise UsageError("which model? give a MODEL, or --parameters")
    return (count(shape).total, shape.warnings) if shape is not None else (given or 0.0, ())


def _often(stall: float, write: float, between: float, restart: float) -> list[Value]:
    interval = max(math.sqrt(2 * stall * between), write)
    lost = min(1.0, stall / interval + (interval / 2 + write + restart) / between)
    end = "no time is left for new work" if lost == 1 else "of the time: stalls, repeated work and restarts"
    return [
        Value("interval", interval, "s", "sqrt(2·stall·M), at least one write"),
        Value("lost", lost, "share", end),
        Value("checkpoints_per_day", 86400 / interval, "", "at that interval"),
    ]
