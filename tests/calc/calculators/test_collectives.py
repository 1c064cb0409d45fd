"""Collectives by ring, tree and two levels, worked by hand."""

import pytest

from perfproof.calc.calculators.collectives import calculate
from perfproof.core.errors import UsageError


def test_a_ring_sends_nearly_twice_the_buffer_in_an_all_reduce():
    answer = calculate(8, 1e9, 450, link_us=5)
    assert answer.get("ring_seconds") == pytest.approx(2 * 7 * 5e-6 + 2 * 7 / 8 * 1e9 / 450e9)
    assert answer.get("tree_seconds") == pytest.approx(2 * 3 * 5e-6 + 2 * 1e9 / 450e9)
    assert answer.get("best") == "ring"


def test_a_small_message_prefers_a_tree_and_the_crossover_is_where_both_are_equal():
    answer = calculate(64, 1024, 450, link_us=5)
    assert answer.get("best") == "tree"
    at = calculate(64, answer.get("ring_from_size"), 450, link_us=5)
    assert at.get("ring_seconds") == pytest.approx(at.get("tree_seconds"))


def test_half_an_all_reduce_is_a_reduce_scatter_and_the_other_half_an_all_gather():
    whole = calculate(8, 1e8, 450, link_us=3).get("ring_seconds")
    parts = [calculate(8, 1e8, 450, name, 3).get("ring_seconds") for name in ("reduce-scatter", "all-gather")]
    assert sum(parts) == pytest.approx(whole)


def test_without_latency_the_bus_bandwidth_is_the_link():
    for name in ("all-reduce", "all-gather", "all-to-all", "broadcast"):
        answer = calculate(8, 1e9, 450, name)
        assert answer.get("bus_bandwidth") == pytest.approx(450) and "--link-us" in answer.warnings[0]


def test_two_levels_send_an_eighth_between_nodes():
    answer = calculate(16, 1e9, 450, link_us=5, node_size=8, node_link_gb_s=50, node_link_us=10)
    inside = 2 * 7 * 5e-6 + 2 * 7 / 8 * 1e9 / 450e9
    assert answer.get("levels_seconds") == pytest.approx(inside + 2 * 10e-6 + 2 * 1 / 2 * 1e9 / 8 / 50e9)
    assert answer.get("ring_seconds") == pytest.approx(2 * 15 * 10e-6 + 2 * 15 / 16 * 1e9 / 400e9)


def test_what_is_measured_is_held_against_the_formula():
    answer = calculate(8, 1e9, 450, measured_us=5000)
    assert answer.get("share_reached") == pytest.approx(2 * 7 / 8 * 1e9 / 450e9 / 5e-3)


@pytest.mark.parametrize(
    ("more", "text"),
    [(dict(collective="gather"), "all-reduce"), (dict(node_size=3), "divide"), (dict(node_size=4), "--node-link-gb-s")],
)
def test_what_makes_no_sense_is_refused(more, text):
    with pytest.raises(UsageError, match=text):
        calculate(8, 1e9, 450, **more)
