"""Tokens a joule, worked by hand."""

import pytest

from perfproof.calc.calculators.energy import calculate
from perfproof.core.errors import UsageError


def test_mean_power_gives_joules_a_token():
    answer = calculate(avg_power=800, throughput=1500, pue=1.5, output_tokens=100, co2_g_per_kwh=400)
    assert answer.get("joules_per_token") == pytest.approx(0.8)
    assert answer.get("tokens_per_joule") == pytest.approx(1.25)
    assert answer.get("joules_per_request") == pytest.approx(80)
    assert answer.get("kwh_per_mtok") == pytest.approx(0.8e6 / 3.6e6)
    assert answer.get("co2_per_mtok") == pytest.approx(400 * 0.8 / 3.6)


def test_counters_give_the_same_without_a_clock():
    answer = calculate(energy_j=900, host_energy_j=100, tokens=500)
    assert answer.get("joules_per_token") == 2.0


def test_the_host_and_every_gpu_are_counted():
    assert calculate(avg_power=700, gpus=8, host_power=400, throughput=6000).get("joules_per_token") == 1.0


def test_co2_without_a_grid_is_unknown_not_zero():
    assert calculate(avg_power=1, throughput=1).get("co2_per_mtok") is None


@pytest.mark.parametrize("given", [{}, {"avg_power": 1}, {"energy_j": 1}, {"energy_j": 1, "tokens": 1, "avg_power": 1}])
def test_half_of_what_is_needed_is_refused(given):
    with pytest.raises(UsageError, match="--energy-j"):
        calculate(**given)
