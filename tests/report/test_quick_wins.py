"""Gains by machine, the largest first; naive baselines and older sources give none, and losses are shown too."""

from dataclasses import replace

from perfproof.report.chapters import chapter_table
from perfproof.report.quick_wins import MOST, wins_block
from tests.report.sample_runs import judged, run, target
from tests.report.test_chapters import pair


def block_of(*made, pairs):
    """`made`: targets; each pair has the code that was measured."""
    table = chapter_table(pairs, [run(*made)])
    return wins_block(pairs, [table])


def own(name, lesson="Do it once.", claim="time", **fields):
    return replace(pair(name), lesson=lesson, claim=claim, **fields)


def measured(name, verdict="faster", ratio=2.0, low=None, **fields):
    found = judged(verdict, ratio, low or 0.98 * ratio, 1.02 * ratio)
    return target(name, found, code_sha256="c" * 64, **fields)


def rows(text):
    return [line.split(" | ")[-1].strip(" |") for line in text.splitlines() if line.startswith("| ") and "x [" in line]


def test_the_gain_that_is_sure_orders_them_and_what_gained_nothing_stands_apart():
    names = ["a:small", "a:wide", "a:large", "a:lost"]
    made = [measured("a:small", ratio=1.5), measured("a:wide", ratio=9.0, low=1.1), measured("a:large", ratio=3.0)]
    text = block_of(*made, measured("a:lost", "slower", 0.5), pairs=[own(name) for name in names])
    gains, rest = text.split("no gain here")
    assert rows(gains) == ["a:large", "a:small", "a:wide"] and rows(rest) == ["a:lost"]
    assert text.startswith("## On xeon-2c") and "Do it once." in gains


def test_a_naive_baseline_gives_no_headline_and_neither_does_an_older_source():
    naive = measured("a:naive", tier="naive")
    older = measured("a:older").model_copy(update={"code_sha256": "d" * 64})
    assert rows(block_of(naive, older, measured("a:b"), pairs=[own("a:naive"), own("a:older"), own("a:b")])) == ["a:b"]


def test_what_is_not_time_is_named():
    text = block_of(measured("a:b", "better"), pairs=[own("a:b", claim="memory")])
    assert ", memory |" in text


def test_a_page_has_a_limit():
    names = [f"a:n{number}" for number in range(MOST + 3)]
    assert len(rows(block_of(*map(measured, names), pairs=[own(name) for name in names]))) == MOST
