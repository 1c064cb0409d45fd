"""A judgement: one comparison as numbers and a word, with the names that the stored `RatioResult` uses."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from perfproof.core.documents import Verdict

FIGURES = ("baseline", "variant")
Size = Literal["material", "small", "unclear"]


@dataclass(frozen=True)
class Judgement:
    """ratio, low and high are baseline over variant; bound, smallest_effect, beta, delta and twin are natural logs."""

    verdict: "Verdict"
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    level: float = 0.97
    size: Size | None = None
    bound: float | None = None
    smallest_effect: float | None = None
    more_launches: int | None = None
    beta: float | None = None
    delta: float | None = None
    baseline: float | None = None  # the two figures whose quotient is the ratio, where the judgement makes them
    variant: float | None = None
    twin: float | None = None
    typical: float | None = None
    typical_low: float | None = None
    typical_high: float | None = None
    modes: tuple[tuple[int, float], ...] = ()  # (launches, ratio) of each group
    units: tuple[float, ...] = ()
    note: str = ""

    def fields(self) -> dict[str, Any]:
        """Keyword arguments for `RatioResult`; the caller adds launches, processes, claim, clock and rung."""
        modes = [{"launches": launches, "ratio": ratio} for launches, ratio in self.modes]
        found = {**vars(self), "modes": modes, "units": list(self.units)}
        return {name: value for name, value in found.items() if name not in FIGURES or value is not None}
