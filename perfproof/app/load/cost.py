"""What the output tokens of a load test cost: dollars, and energy at the best rate of a search."""

from perfproof.app.load.asked import Asked
from perfproof.core.load import Cost, Energy, LoadResult, SloResult, SloStep


def cost_of(asked: Asked, result: LoadResult) -> Cost | None:
    if asked.price is None:
        return None
    window = result.steady or result.whole
    rate, words = window.output_tokens_per_second, "output tokens of the window"
    if result.slo is not None:
        best = best_step(result.slo)
        rate, words = (best.token_goodput, "token goodput of the best rate that met the SLO") if best else (0.0, "")
    if rate <= 0:
        return None
    each = asked.price / 3600 / rate * 1e6
    return Cost(
        dollars_per_hour=asked.price, dollars_per_million_output_tokens=each, at=f"{rate:.4g} per second: {words}"
    )


def energy_at_best(slo: SloResult) -> Energy | None:
    """The energy at the highest rate that met the SLO."""
    best = best_step(slo)
    return best.energy if best is not None else None


def best_step(slo: SloResult) -> SloStep | None:
    return max((one for one in slo.steps if one.verdict == "meets"), key=lambda one: one.rate, default=None)
