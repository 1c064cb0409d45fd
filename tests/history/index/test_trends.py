"""Series and their changes: what may stand in one line, a canary that takes a host change out, and what changed."""

import json

import pytest

from perfproof.core.errors import NothingMatched, UsageError
from perfproof.history.index.reading import ask, known_changes, matching_runs
from perfproof.history.index.rebuilding import reindex
from perfproof.history.index.series import Series, Wanted, every_key, points_of, read_series
from perfproof.history.index.trends import analyse, record


@pytest.fixture
def nights(store, runs, tmp_path):
    runs.nights(tmp_path / "a")
    reindex(store, tmp_path / "a", prune=True)
    return store


def test_a_lost_ratio_is_a_step_with_its_interval_and_what_changed_that_day(nights):
    trend = analyse(nights, read_series(nights, Wanted("ch01:fused")))
    (found,) = trend.changes
    assert found.what == "step" and not found.better
    assert found.low < -0.0769 < found.high < 0 and found.after.started.startswith("2026-01-21")
    assert found.fields == [("software.torch", "2.12", "2.13")]
    assert len(trend.series.points) == 32 and trend.series.points[0].low is not None


def test_times_stay_within_a_fingerprint_and_see_the_host_change(nights):
    assert len(read_series(nights, Wanted("ch01:fused", "time")).points) == 12
    times = read_series(nights, Wanted("ch01:fused", "baseline", fingerprint="aaaa"))
    (found,) = analyse(nights, times).changes
    assert found.what == "step" and not found.better and found.low < 0.2 < found.high


def test_a_host_change_that_the_canary_shares_is_no_change(nights):
    series = read_series(nights, Wanted("ch01:fused", "baseline", canary="ch02:canary"))
    assert len(series.points) == 32 and analyse(nights, series).changes == []


def test_runs_without_the_canary_are_left_out_and_counted(nights, runs, tmp_path):
    runs.one(tmp_path / "a", 40, [runs.target("ch01:fused")], fingerprint="bbbb")
    reindex(nights, tmp_path / "a", prune=True)
    series = read_series(nights, Wanted("ch01:fused", "time", canary="ch02:canary"))
    assert series.without_canary == 1 and len(series.points) == 32
    with pytest.raises(NothingMatched, match="no run has both"):
        read_series(nights, Wanted("ch01:fused", "time", canary="ch09:none"))
    with pytest.raises(UsageError, match="--of time"):
        read_series(nights, Wanted("ch01:fused", canary="ch02:canary"))


def test_other_sizes_another_kind_and_failed_results_are_other_series(nights, runs, tmp_path):
    strange = runs.target("ch01:fused", 9.0, sizes={"rows": 5})
    failed = runs.target("ch01:fused", 9.0, status="failed-verification")
    runs.one(tmp_path / "a", 41, [failed])
    runs.one(tmp_path / "a", 42, [strange], started="2025-01-01T00:00:00Z")
    reindex(nights, tmp_path / "a", prune=True)
    assert all(point.value < 3 for point in read_series(nights, Wanted("ch01:fused")).points)
    with pytest.raises(NothingMatched, match="optimized on xeon-2c"):
        read_series(nights, Wanted("ch01:fused", kind="nvidia-h200"))
    with pytest.raises(NothingMatched, match="no result of 'ch01:none'"):
        read_series(nights, Wanted("ch01:none"))


def test_since_leaves_out_what_is_older(nights):
    points = read_series(nights, Wanted("ch01:fused", since="2026-01-21")).points
    assert len(points) == 12 and points[0].started == "2026-01-21T00:00:00Z"


def test_every_series_is_found_and_its_changes_are_kept_once(nights):
    keys = every_key(nights, 8)
    assert [key.target for key in keys] == ["ch01:fused", "ch02:canary"]
    for _ in range(2):
        for key in keys:
            record(nights, analyse(nights, Series(key, points_of(nights, key))))
    (kept,) = known_changes(nights, 10)
    assert kept["target"] == "ch01:fused" and kept["what"] == "step"
    assert json.loads(kept["fields"]) == [["software.torch", "2.12", "2.13"]]


def test_a_question_is_answered_and_nothing_else_is_done(nights):
    head, rows = ask(nights, "select target, count(*) as n from results where target like 'ch0%' group by target", 10)
    assert head == ["target", "n"] and sorted(rows) == [("ch01:fused", 32), ("ch02:canary", 32)]
    assert len(ask(nights, "select run from runs;", 3)[1]) == 3
    for wrong in ("delete from runs", "select 1; delete from runs", "drop table runs", "pragma query_only=0", ""):
        with pytest.raises(UsageError, match="one statement that reads"):
            ask(nights, wrong, 5)
    with pytest.raises(UsageError, match="cannot be answered"):
        ask(nights, "select nonsense from nowhere", 5)
    with pytest.raises(UsageError, match="cannot be answered"):
        ask(nights, "with x as (delete from runs returning run) select * from x", 5)
    assert ask(nights, "select count(*) from runs", 1)[1] == [(32,)]


def test_runs_are_found_by_name_beginning_id_and_latest(nights):
    assert matching_runs(nights, "latest") == matching_runs(nights, "00001f")
    assert len(matching_runs(nights, "2026010")) == 9 and matching_runs(nights, "%") == []
