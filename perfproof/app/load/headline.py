"""The one sentence that a load test says."""

import math

from perfproof.core.documents import Check
from perfproof.core.load import LoadResult, SloResult
from perfproof.core.units import seconds as as_time
from perfproof.load import checks


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
