"""What a worker found when it held a tensor in one format against the same in another."""

from dataclasses import dataclass


@dataclass(frozen=True)
class TensorErrors:
    source: str
    first: str
    second: str
    elements: int
    max_absolute: float
    worst_index: tuple[int, ...]
    worst_first: float
    worst_second: float
    mean_absolute: float
    max_relative: float
    rms_relative: float
    max_ulp: float | None
    ulp_of: str
    cosine: float
    signal_to_noise: float | None
    lost_to_zero: int
    clamped: int
    not_finite: int
    exact: int
    histogram: tuple[tuple[int, int], ...]  # power of ten of the relative error, elements
