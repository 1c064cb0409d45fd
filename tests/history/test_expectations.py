"""Expectations: what becomes a measuring day, what is refused, and files that read back or say why not."""

import json
import math
from random import Random
from statistics import variance

import pytest

from perfproof.core.documents import Check
from perfproof.core.errors import DocumentError, UsageError
from perfproof.core.expectations import Expectations
from perfproof.history.expectations import (
    day_ratio,
    has_interval,
    load_expectations,
    path_of,
    prune,
    record,
    save_expectations,
    why_unqualified,
)
from perfproof.history.folders import load_run
from tests.history.measured_runs import EARLIER, expected, judged, run, started, target, weighed


def test_a_real_run_becomes_a_day_with_everything_that_qualifies_it():
    real = load_run(EARLIER)
    assert why_unqualified(real) == []
    found, said = record(Expectations(kind="xeon-2c"), real, EARLIER, "first", lambda path: path.endswith(".py"))
    (day,) = found.targets["body"].days
    assert day.qualified and day.message == "first" and day.commit == real.git["commit"] and day.run == real.run
    assert day.fingerprint == real.machine["fingerprint"] and day.sizes == {"elements": 1000}
    ratio = day.ratios["optimized"]
    assert math.exp(ratio.theta) == pytest.approx(ratio.ratio) and 0 < ratio.error < 0.1 and ratio.units == 5
    assert day.times["baseline"].units == 5 and 0 < day.times["baseline"].error < 1
    assert found.environments[real.run]["software.torch"] == real.machine["software"]["torch"]
    assert len(said) == 2 and said[0].startswith("body: optimized 1.970x faster, day 1")


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"state": "interrupted"}, "interrupted"),
        ({"git": {"dirty": True}}, "changed since the commit"),
        ({"git": {"commit": None, "why": "not a git work tree"}}, "not a git work tree"),
        ({"machine": {"fingerprint": ""}}, "machine is unknown"),
        ({"options": {"fast": True}}, "--fast"),
        ({"options": {"sizes": {"body": {"elements": 3}}}}, "--set"),
        ({"options": {"ab": {}}}, "A/B"),
        ({"options": {"sweep": {}}}, "sweep"),
    ],
)
def test_a_run_that_lacks_something_is_not_qualified(fields, why):
    assert any(why in reason for reason in why_unqualified(run(target(), **fields)))


def test_gains_and_losses_are_both_kept_and_nothing_is_replaced():
    found = expected(run(target(ratio=2.0), day=1), run(target(ratio=1.5), day=3), run(target(ratio=2.5), day=2))
    assert [round(day.ratios["optimized"].ratio, 1) for day in found.targets["body"].days] == [2.0, 2.5, 1.5]


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"samples": None}, "no samples"),
        ({"ratios": {"optimized": judged(verdict="unstable")}}, "unstable"),
        ({"ratios": {"optimized": judged().model_copy(update={"units": [0.7, 0.7]})}}, "no interval"),
        ({"checks": [Check(name="isolation", result="fail")]}, "a check failed"),
    ],
)
def test_a_target_may_be_recorded_and_still_not_count(fields, why):
    day = expected(run(target(**fields))).targets["body"].days[0]
    assert not day.qualified and why in day.why_not


def starts(seed, spread=0.05, count=10):
    chance = Random(seed)
    return [math.exp(chance.gauss(0, spread)) for _ in range(count)]


@pytest.mark.parametrize("spread", [0.05, 0.0005])
def test_a_start_up_is_as_unsure_as_its_interval_was(spread):
    """Equal spreads, and one side that hardly varies: the error is never below that of the starts themselves."""
    before, after = starts(1), starts(2, spread)
    day = day_ratio(started(before, after))
    own = math.sqrt(sum(variance(map(math.log, side)) / 10 for side in (before, after)))
    assert own <= day.error < 1.1 * own and day.units == 10 and has_interval(day)


def test_memory_that_varies_has_an_error_and_memory_that_agrees_has_none():
    varies = day_ratio(weighed([10**6, 11 * 10**5, 10**6, 12 * 10**5, 10**6], [5 * 10**5] * 5))
    assert 0.03 < varies.error < 0.06 and varies.units == 5 and has_interval(varies)
    agrees = day_ratio(weighed([10**6] * 3, [5 * 10**5] * 3))
    assert agrees.error == 0 and has_interval(agrees)


@pytest.mark.parametrize(
    "unsure",
    [
        weighed([10**6], [10**6]),
        weighed([10**6, 2 * 10**6, 10**6], [10**6] * 3),
        started(starts(1, count=3), starts(2, count=3)),
        judged(claim="energy", verdict="indicative", low=None, high=None).model_copy(update={"units": [0.7]}),
    ],
)
def test_what_was_measured_too_rarely_is_not_taken_for_exact(unsure):
    assert not has_interval(day_ratio(unsure))
    day = expected(run(target(ratios={"optimized": unsure}))).targets["body"].days[0]
    assert not day.qualified and "no interval" in day.why_not


def test_a_file_that_the_commit_does_not_hold_does_not_count():
    found, _ = record(Expectations(kind="k"), run(target()), EARLIER, "why", lambda path: False)
    assert "not in the commit" in found.targets["body"].days[0].why_not


def test_a_target_that_ended_badly_is_named_and_a_run_of_such_is_refused(tmp_path):
    found, said = record(Expectations(kind="k"), run(target(), target("x", status="crashed")), tmp_path, "w", bool)
    assert said[1] == "x: not recorded: crashed" and list(found.targets) == ["body"]
    with pytest.raises(UsageError, match="nothing to record"):
        record(Expectations(kind="k"), run(target(status="crashed")), tmp_path, "w", bool)


def test_a_run_is_recorded_once(tmp_path):
    with pytest.raises(UsageError, match="recorded already"):
        record(expected(run(target())), run(target()), tmp_path, "again", bool)


def test_a_file_reads_back_as_it_was_written(tmp_path):
    found = expected(run(target("b"), target("a")))
    path = save_expectations(tmp_path / "expectations", found)
    assert path == path_of(tmp_path / "expectations", "xeon-2c")
    assert list(json.loads(path.read_text())["targets"]) == ["a", "b"]
    assert load_expectations(path.parent, "xeon-2c").model_dump() == found.model_dump()
    assert load_expectations(path.parent, "other").targets == {}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "not an expectations document"),
        ("[1]", "not an expectations document"),
        ('{"schema_version": 99, "kind": "k"}', "newer perfproof"),
        ('{"schema_version": 1, "kind": "k", "surprise": 1}', "surprise"),
        ('{"schema_version": 1, "kind": "k", "targets": {"x": {"days": [{}]}}}', "not an expectations document"),
    ],
)
def test_a_broken_file_is_refused_in_one_line(tmp_path, text, why):
    (tmp_path / "k.json").write_text(text)
    with pytest.raises(DocumentError, match=why) as caught:
        load_expectations(tmp_path, "k")
    assert "\n" not in str(caught.value)


def test_pruning_keeps_the_newest_days_and_forgets_what_is_gone():
    found = expected(*(run(target(), target("old"), day=day) for day in (1, 2, 3)))
    kept, said = prune(found, keep=2, gone=["old"])
    assert [day.date[8:10] for day in kept.targets["body"].days] == ["02", "03"] and "old" not in kept.targets
    assert len(kept.environments) == 2 and len(said) == 2 and len(found.targets["body"].days) == 3
