"""Checkpoints, worked by hand."""

import pytest

from perfproof.calc.calculators.checkpoint import calculate
from perfproof.core.errors import UsageError


def test_fourteen_bytes_per_parameter_over_the_storage(shape):
    answer = calculate(shape("llama-3.1-8b"), 10.0)
    assert answer.get("checkpoint_bytes") == 14 * 8_030_261_248
    assert answer.get("write") == answer.get("stall") == pytest.approx(14 * 8_030_261_248 / 10e9)
    assert calculate(None, 10.0, 1e9, weights_only=True).get("checkpoint_bytes") == 2e9


def test_the_slower_of_storage_and_links_binds():
    assert calculate(None, 100.0, 1e9, nodes=4, node_gb_s=5.0).get("write") == pytest.approx(14e9 / 20e9)
    assert calculate(None, 10.0, 1e9, nodes=4, node_gb_s=5.0).get("write") == pytest.approx(14e9 / 10e9)


def test_an_asynchronous_write_stalls_only_for_the_copy_and_the_interval_is_at_least_a_write():
    answer = calculate(None, 1.0, 70e9, gpus=64, pcie_gb_s=25.0, mtbf_hours=1.0)
    assert answer.get("stall") == pytest.approx(980e9 / (64 * 25e9))
    assert answer.get("interval") == answer.get("write") == pytest.approx(980)


def test_the_interval_of_young_loses_least():
    answer = calculate(None, 10.0, 10e9, mtbf_hours=24.0, restart_s=60)
    stall, between = 14.0, 86_400.0
    interval = (2 * stall * between) ** 0.5
    assert answer.get("interval") == pytest.approx(interval)
    assert answer.get("lost") == pytest.approx(stall / interval + (interval / 2 + stall + 60) / between)


def test_a_model_or_a_count_is_needed_and_not_both(shape):
    for more in ((None, 1.0), (shape("gpt2"), 1.0, 1e9)):
        with pytest.raises(UsageError, match="--parameters"):
            calculate(*more)
