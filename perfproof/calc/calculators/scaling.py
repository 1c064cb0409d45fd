"""Scaling over N GPUs: Amdahl for a job of fixed size, Gustafson for one that grows, Karp-Flatt from a measurement.

Amdahl      1/(s + (1 - s)/N): strong scaling, at most 1/s
Gustafson   N - s·(N - 1): weak scaling, s of the time on N GPUs
Karp-Flatt  s = (1/ψ - 1/N)/(1 - 1/N) from a measured speed-up ψ on N GPUs
efficiency  speed-up/N

A serial share by Karp-Flatt that grows with N is not serial work: communication or imbalance grows.
"""

import math
from typing import Annotated

from perfproof.calc.answer import Answer, Flag, Table, Value
from perfproof.core.errors import UsageError


def calculate(
    gpus: Annotated[int, Flag("Number of GPUs, N.", "N", least=1)],
    serial: Annotated[float | None, Flag("Share of the time that does not scale.", "SHARE", least=0, most=1)] = None,
    speed_up: Annotated[float | None, Flag("Measured speed-up on --measured-gpus over one GPU.", "X", above=0)] = None,
    measured_gpus: Annotated[int | None, Flag("Number of GPUs that --speed-up was measured on.", "N", least=2)] = None,
    efficiency: Annotated[float, Flag("Lowest efficiency that is still worth it.", "SHARE", above=0, most=1)] = 0.8,
) -> Answer:
    share, how = _serial(serial, speed_up, measured_gpus)
    strong, weak = amdahl(share, gpus), gustafson(share, gpus)
    values = (
        Value("serial_share", share, "share", how),
        Value("amdahl", strong, "x", f"fixed size, {strong / gpus:.0%} efficient"),
        Value("gustafson", weak, "x", f"size grows with the GPUs, {weak / gpus:.0%} efficient"),
        Value(
            "limit",
            1 / share if share else None,
            "x",
            "by Amdahl, on any number" if share else "none: all of it scales",
        ),
        Value("gpus_worth_it", most_gpus(share, efficiency), "", f"by Amdahl, at least {efficiency:.0%} efficient"),
    )
    counts = sorted({*(2**power for power in range(11)), gpus})
    rows = tuple((n, amdahl(share, n), amdahl(share, n) / n, gustafson(share, n)) for n in counts)
    columns = (("GPUs", ""), ("Amdahl", "x"), ("efficiency", "share"), ("Gustafson", "x"))
    slower = "slower than on one GPU: communication or imbalance takes more than the GPUs give"
    warnings = (slower,) if speed_up is not None and speed_up < 1 else ()
    return Answer(f"{strong:.2f}x on {gpus} GPUs by Amdahl", values, (Table("by GPUs", columns, rows),), warnings)


def _serial(serial: float | None, speed_up: float | None, gpus: int | None) -> tuple[float, str]:
    if serial is not None and speed_up is None and gpus is None:
        return serial, "as given"
    if serial is not None or speed_up is None or gpus is None:
        raise UsageError("give --serial, or --speed-up with --measured-gpus")
    if speed_up > gpus:
        raise UsageError(
            f"--speed-up {speed_up:g} on {gpus} GPUs is more than linear, and no serial share explains it: "
            "was the run on one GPU slowed by its memory?"
        )
    return karp_flatt(speed_up, gpus), f"by Karp-Flatt from {speed_up:g}x on {gpus} GPUs"


def amdahl(serial: float, gpus: int) -> float:
    return 1 / (serial + (1 - serial) / gpus)


def gustafson(serial: float, gpus: int) -> float:
    return gpus - serial * (gpus - 1)


def karp_flatt(speed_up: float, gpus: int) -> float:
    return min(1.0, (1 / speed_up - 1 / gpus) / (1 - 1 / gpus))


def most_gpus(serial: float, efficiency: float) -> int | None:
    """E = 1/(s·N + 1 - s) >= e, so N <= 1 + (1/e - 1)/s; None if all of it scales."""
    return math.floor(1 + (1 / efficiency - 1) / serial + 1e-9) if serial else None
