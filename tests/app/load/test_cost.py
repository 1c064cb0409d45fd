"""Which rate of a search the energy of a load test is taken from."""

from perfproof.app.load.cost import energy_at_best
from perfproof.core.load import Energy, SloResult, SloStep


def step(rate, verdict, tokens_per_joule):
    energy = Energy(joules=10, seconds=5, output_tokens=10, tokens_per_joule=tokens_per_joule, at=f"{rate} per second")
    figures = dict(
        seconds=5, requests=9, shares=[1.0], request_goodput=rate, token_goodput=1, output_tokens_per_second=1
    )
    return SloStep(rate=rate, verdict=verdict, energy=energy, **figures)


def test_a_search_says_the_energy_of_the_highest_rate_that_met_the_limits():
    slo = SloResult(terms=[], sentence="", steps=[step(1, "meets", 1.0), step(4, "meets", 3.1), step(8, "misses", 5.0)])
    assert energy_at_best(slo).tokens_per_joule == 3.1
    assert energy_at_best(SloResult(terms=[], sentence="", steps=[step(8, "misses", 5.0)])) is None
