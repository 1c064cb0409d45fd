"""Sweeps: what is read, what is refused, and that the fit finds what made them."""

import pytest

from perfproof.calc.step_time import Calibration, Step, decode_step, prefill_step
from perfproof.calc.sweep_fit import Point, fit, parse
from perfproof.calc.weighed_model import weigh
from perfproof.core.errors import DocumentError


def test_csv_in_seconds_or_milliseconds_and_json_are_the_same():
    expected = [Point(1, 1024, 0.004), Point(8, 2048, 0.005)]
    assert parse("batch,context,ms\n1,1024,4\n8,2048,5\n", "x.csv") == expected
    assert parse("batch,context,seconds\n1,1024,0.004\n8,2048,0.005\n", "x.csv") == expected
    text = '{"points": [{"batch": 1, "context": 1024, "ms": 4}, {"batch": 8, "context": 2048, "seconds": 0.005}]}'
    assert parse(text, "x.json") == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no rows"),
        ("batch,context\n1,2\n", "row 1"),
        ("batch,context,ms\n1,2,fast\n", "row 1"),
        ("batch,context,ms\n1,2,3\n0,2,3\n", "row 2"),
        ("batch,context,ms\n1,2,-3\n", "more than 0"),
        ("batch,context,ms\n1,2,nan\n", "more than 0"),
        ("[1, 2]", "row 1"),
        ('{"points": 3}', "a list of points"),
        ("[{", "no JSON"),
    ],
)
def test_broken_sweeps_are_refused_with_the_row(text, message):
    with pytest.raises(DocumentError, match=message):
        parse(text, "sweep.csv")


def step(memory, compute):
    return Step(max(memory, compute), 0, 0, 0, memory, compute, 0.0)


def test_both_shares_and_the_launch_are_found_again():
    light = {1: step(1.0, 0.1), 2: step(1.5, 0.2), 3: step(2.0, 4.0), 4: step(2.5, 8.0)}
    made = [Point(n, 0, max(one.memory_seconds / 0.8, one.compute_seconds / 0.5) + 0.25) for n, one in light.items()]
    found = fit(made, lambda point: light[point.batch])
    assert (found.reached.memory, found.reached.compute) == pytest.approx((0.8, 0.5))
    assert found.reached.launch == pytest.approx(0.25)
    assert (found.memory_points, found.compute_points) == (2, 2)


def test_one_point_gives_a_share_and_no_launch():
    found = fit([Point(1, 0, 2.0)], lambda point: step(1.0, 0.1))
    assert found.reached.memory == pytest.approx(0.5) and found.reached.launch == 0.0


def test_noise_stays_in_the_residuals():
    made = [Point(1, 0, 1.3), Point(2, 0, 2.2), Point(3, 0, 3.4)]
    found = fit(made, lambda point: step(point.batch * 0.9, 0.0))
    assert max(map(abs, found.residuals)) > 0.01


def reading(weights, cache):
    return Step(weights + cache, weights, cache, 0, weights + cache, 0.0, 0.0)


def test_a_cache_that_is_read_worse_than_the_weights_gets_a_share_of_its_own():
    light = {n: reading(1.0, 0.5 * n) for n in range(1, 6)}
    made = [Point(n, 0, one.weight_bytes / 0.9 + one.kv_bytes / 0.5) for n, one in light.items()]
    found = fit(made, lambda point: light[point.batch])
    assert (found.reached.memory, found.reached.cache) == pytest.approx((0.9, 0.5))
    assert found.reached.launch == 0.0 and max(map(abs, found.residuals)) < 1e-9


def test_one_share_and_a_launch_are_enough_where_they_explain_the_sweep():
    light = {n: reading(1.0, 0.5 * n) for n in range(1, 6)}
    made = [Point(n, 0, one.memory_seconds / 0.8 + 0.25) for n, one in light.items()]
    found = fit(made, lambda point: light[point.batch])
    assert found.reached.cache is None
    assert (found.reached.memory, found.reached.launch) == pytest.approx((0.8, 0.25))


def test_weights_that_grow_with_the_batch_tell_both_shares_from_the_launch():
    light = {n: reading(1.0 + n**0.5, 0.5 * n) for n in range(1, 7)}
    made = [Point(n, 0, one.weight_bytes / 0.9 + one.kv_bytes / 0.5 + 0.2) for n, one in light.items()]
    found = fit(made, lambda point: light[point.batch])
    assert (found.reached.memory, found.reached.cache) == pytest.approx((0.9, 0.5))
    assert found.reached.launch == pytest.approx(0.2)


def test_a_fit_predicts_what_the_step_then_takes(shape, h200):
    model = weigh(shape("llama-3.1-8b"), "bf16")
    reached = Calibration(0.85, 0.8, 0.0, 0.6)
    made = [
        Point(batch, context, decode_step(model, h200, batch, context, reached=reached).seconds)
        for batch in (1, 8, 64)
        for context in (512, 8192)
    ]
    found = fit(made, lambda point: decode_step(model, h200, point.batch, point.context)).reached
    held_back = decode_step(model, h200, 32, 2048, reached=reached).seconds
    assert decode_step(model, h200, 32, 2048, reached=found).seconds == pytest.approx(held_back)


def test_four_prompts_at_once_read_the_weights_once_and_compute_four_times(shape, h200):
    model = weigh(shape("llama-3.1-8b"), "bf16")
    one, four = (prefill_step(model, h200, 2048, batch=batch) for batch in (1, 4))
    assert four.flops == 4 * one.flops and four.kv_bytes == 4 * one.kv_bytes
    assert four.weight_bytes == one.weight_bytes
