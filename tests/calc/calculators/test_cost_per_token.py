"""Dollars per million tokens, worked by hand."""

import pytest

from perfproof.calc.calculators.cost_per_token import calculate
from perfproof.core.errors import UsageError

SEED = dict(avg_power=800, throughput=1500, electricity_cost=0.16, pue=1.5)


def test_electricity_alone_is_a_few_cents_and_warns():
    answer = calculate(**SEED)
    assert answer.get("price_per_mtok") == pytest.approx(0.0356, abs=5e-5)  # 1.2 kW · $0.16 / 5.4 Mtok
    assert "electricity alone" in answer.warnings[0]


def test_a_rent_is_thirteen_times_that_and_holds_the_power_already():
    answer = calculate(**SEED, rent=2.50)
    assert answer.get("electricity_per_mtok") == pytest.approx(0.036, abs=5e-4)
    assert answer.get("price_per_mtok") == pytest.approx(0.463, abs=5e-4)  # 2.50 / 5.4
    assert answer.get("electricity_share") == pytest.approx(0.0768, abs=1e-4)
    assert not answer.warnings


def test_owned_hardware_pays_capital_host_and_power():
    answer = calculate(**SEED, capex=35_040, years=4, finance=0.1, host=0.2)
    assert answer.get("dollars_per_hour") == pytest.approx(35_040 * 1.1 / 35_040 + 0.2 + 0.192)


def test_idle_hours_are_paid_through_the_load_factor_once():
    answer = calculate(**SEED, rent=2.50, load_factor=0.5)
    assert answer.get("price_per_mtok_effective") == pytest.approx(2 * answer.get("price_per_mtok"))


def test_input_and_output_are_split_by_gpu_time_and_add_up():
    answer = calculate(**SEED, rent=5.4, input_tokens=1000, output_tokens=250, prefill_share=0.4)
    assert answer.get("input_per_mtok") == pytest.approx(5.4 * 0.4 / 21.6)  # 6,000 input tok/s
    assert answer.get("output_per_mtok") == pytest.approx(5.4 * 0.6 / 5.4)
    whole = answer.get("input_per_mtok") * 4 + answer.get("output_per_mtok")
    assert whole == pytest.approx(answer.get("price_per_mtok"))


def test_break_even_is_a_day_of_rent_at_the_price_of_an_api():
    assert calculate(**SEED, rent=2.50, api_price=1.0).get("break_even_tokens_per_day") == pytest.approx(60e6)
    assert calculate(**SEED, rent=2.50, api_price=0.10).get("break_even_tokens_per_day") is None


def test_gpus_multiply_dollars_not_tokens():
    assert calculate(**SEED, rent=2.5, gpus=8).get("price_per_mtok") == pytest.approx(8 * 2.5 / 5.4)


@pytest.mark.parametrize(
    ("more", "text"), [(dict(rent=1, capex=1), "give one"), (dict(prefill_share=0.5), "--input-tokens")]
)
def test_what_makes_no_sense_is_refused(more, text):
    with pytest.raises(UsageError, match=text):
        calculate(**SEED, **more)


def test_a_cost_that_nothing_tells_is_unknown_and_never_zero():
    answer = calculate(1500)
    assert answer.get("price_per_mtok") is None and answer.get("dollars_per_hour") is None
    assert "unknown" in answer.headline and "--rent" in answer.warnings[0]
    half = calculate(1500, avg_power=800)  # without a price of a kWh
    assert half.get("electricity_per_mtok") is None and half.get("price_per_mtok") is None


def test_a_price_of_zero_that_was_given_stays_zero():
    assert calculate(1500, rent=0).get("price_per_mtok") == 0


def test_an_owned_gpu_without_its_power_says_that_power_is_missing():
    answer = calculate(1500, capex=30_000)
    assert answer.get("electricity_per_mtok") is None and answer.get("price_per_mtok") > 0
    assert "electricity is unknown" in answer.warnings[0]
    assert "electricity_share" not in [one.name for one in answer.values]
