"""Series and their changes: what may stand in one line, a canary that takes a host change out, and what changed."""

import json

import pytest

from perfproof.cli.show.trend import lines
from perfproof.core.errors import NothingMatched, UsageError
from perfproof.history.index import tables
from perfproof.history.index.choosing import Wanted
from perfproof.history.index.keys import Key
from perfproof.history.index.reading import ask, known_changes
from perfproof.history.index.rebuilding import reindex
from perfproof.history.index.series import Point, Series, every_key, points_of, read_series, targets_without_machine
from perfproof.history.index.trends import Found, Trend, analyse, record
from perfproof.history.kept_imports import keep_import
from perfproof.report.trend.words import view


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


def import_days(store, artifacts, first, count, seconds, machine):
    """hyperfine files of so many days in a row."""
    for day in range(first, first + count):
        one = {"command": "prog", "times": [seconds], "median": seconds * (1 + day % 3 / 100 + day / 1e6)}
        file = artifacts.parent / f"{day}-{machine}.json"
        file.write_text(json.dumps({"results": [one]}))
        keep_import(artifacts, file, None, f"2026-03-{day:02d}", [], machine)
    reindex(store, artifacts, prune=True)


def test_files_of_two_machines_that_nobody_named_are_no_series(store, tmp_path):
    import_days(store, tmp_path / "a", 1, 8, 0.2, None)
    import_days(store, tmp_path / "a", 9, 8, 0.1, None)
    with pytest.raises(NothingMatched, match="not say on which machine; import them again with --machine NAME"):
        read_series(store, Wanted("prog", "time"))
    assert every_key(store, 1) == [] and targets_without_machine(store) == 1


def test_files_of_two_machines_by_name_are_two_series_without_a_step(store, tmp_path):
    import_days(store, tmp_path / "a", 1, 8, 0.2, "laptop")
    import_days(store, tmp_path / "a", 9, 8, 0.1, "server")
    import_days(store, tmp_path / "a", 17, 1, 0.3, None)
    assert [key.kind for key in every_key(store, 8)] == ["laptop", "server"] and targets_without_machine(store) == 1
    for kind, fast in (("laptop", False), ("server", True), (None, True)):
        trend = analyse(store, read_series(store, Wanted("prog", "time", kind=kind)))
        assert len(trend.series.points) == 8 and trend.changes == []
        assert all((point.value < 0.15) is fast for point in trend.series.points)


def test_a_mean_is_no_point_among_medians(store, runs, tmp_path):
    for number in range(3):
        runs.one(tmp_path / "a", number)
    reindex(store, tmp_path / "a", prune=True)
    newest = ask(store, "select max(run) from runs", 1)[1][0][0]
    change = tables.results.update().where(tables.results.c.run == newest).values(statistic="mean")
    store.write(lambda connection: connection.execute(change))
    assert len(read_series(store, Wanted("ch01:x", "time")).points) == 1
    assert len(read_series(store, Wanted("ch01:x", "time", statistic="median")).points) == 2
    assert sorted(key.statistic for key in every_key(store, 1)) == ["mean", "median"]


def test_every_size_clock_and_machine_can_be_asked_for(nights, runs, tmp_path):
    for number, rows in ((50, 1024), (51, 4096)):
        big = runs.target("ch01:fused", 5.0 + number, sizes={"rows": rows, "exact": True, "kind": "a b"})
        runs.one(tmp_path / "a", number, [big], fingerprint=f"c{rows}")
    reindex(nights, tmp_path / "a", prune=True)

    def value(**asked):
        return read_series(nights, Wanted("ch01:fused", **asked)).points[-1].value

    assert value() == value(held={"rows": "4096"}) == value(fingerprint="c4") == 56.0
    assert value(held={"rows": "1_024"}) == value(held={"rows": "1024", "exact": "true", "kind": "a b"}) == 55.0
    assert value(sizes='{"rows": 4}') == value(held={"rows": "4.0"}) < 3 and value(fingerprint="c1024") == 55.0
    for wrong in ({"rows": "5"}, {"columns": "4"}, {"rows": "many"}, {"rows": "4096", "exact": "false"}):
        with pytest.raises(NothingMatched, match=r"optimized on xeon-2c at rows=1024, exact=True|at exact=True"):
            value(held=wrong)
    with pytest.raises(NothingMatched, match="clock gpu"):
        value(clock="gpu")
    assert value(clock="call", claim="time", statistic="median", kind="xeon-2c", variant="optimized") == 56.0


def test_a_canary_at_other_sizes_is_not_the_canary(nights, runs, tmp_path):
    other = runs.target("ch02:canary", 1.3, 9.0, sizes={"rows": 99})
    for number in (50, 51, 52, 53, 54):
        runs.one(tmp_path / "a", number, [runs.target("ch01:fused", 2.0, 1e-3), other], fingerprint="bbbb")
    reindex(nights, tmp_path / "a", prune=True)
    series = read_series(nights, Wanted("ch01:fused", "baseline", canary="ch02:canary"))
    assert len(series.points) == 32 and series.without_canary == 5 and series.canary_sizes == '{"rows": 4}'
    assert analyse(nights, series).changes == [] and series.conditions.endswith("canary at rows=4")


def test_of_a_canary_measured_as_often_at_two_sizes_the_newest_counts(store, runs, tmp_path):
    for number, rows in enumerate((4, 5)):
        both = [runs.target("x"), runs.target("canary", sizes={"rows": rows})]
        runs.one(tmp_path / "a", number, both)
    reindex(store, tmp_path / "a", prune=True)
    assert read_series(store, Wanted("x", "time", canary="canary")).canary_sizes == '{"rows": 5}'


@pytest.mark.parametrize(
    "key",
    [
        Key("x", "optimized", "xeon", '{"a": "b c"}', "time", "call"),
        Key("two\nlines", "", "laptop", "{}", "time", "wall", "time", "abcd", statistic="mean"),
        Key("x", "fast", "xeon", "{}", "time", "call", "baseline", "", "a\ncanary"),
        Key("x", "fast", "xeon", "{}", "time", "", "time", "", "a over\nb", "mean"),
    ],
)
def test_a_change_knows_the_series_that_it_was_found_in(store, key):
    point = Point("run", "2026-01-01T00:00:00Z", "", "abcd", 1.0)
    found = Found("step", point, point, 0.1, 0.05, 0.15, False, [])
    record(store, Trend(Series(key, [point]), None, [found]))
    (change,) = known_changes(store, 5)
    assert change["key"] == key


def test_a_series_of_medians_keeps_the_name_that_it_had():
    key = Key("x", "fast", "xeon", "{}", "time", "call", "time", "abcd")
    assert key.name == "x\nfast\nxeon\n{}\ntime\ncall\ntime\nabcd\n"


def test_a_change_of_times_without_a_machine_that_was_kept_earlier_is_not_shown(store):
    point = Point("run", "2026-01-01T00:00:00Z", "", "unknown", 1.0)
    key = Key("prog", "", "unknown", "{}", "time", "wall", "time", "unknown")
    record(store, Trend(Series(key, [point]), None, [Found("step", point, point, -0.5, -0.6, -0.4, True, [])]))
    assert known_changes(store, 5) == []


def write_branches(runs, artifacts, revisions):
    for day in range(10):
        git = {"commit": f"{day + 1:08x}" * 5, "branch": f"work-{day}", "dirty": False}
        options = {"effort": "standard", "ab": {"revisions": revisions}}
        ratio = 2.0 if day < 5 else 1.0
        runs.one(artifacts, day, [runs.target("x: main against HEAD", ratio)], git=git, options=options)


def test_an_ab_of_names_that_moved_has_no_changes_and_says_which_branch_each_point_is_of(store, runs, tmp_path):
    write_branches(runs, tmp_path / "a", ["main", "HEAD"])
    reindex(store, tmp_path / "a", prune=True)
    found = analyse(store, read_series(store, Wanted("x: main against HEAD")))
    assert found.changes == [] and found.series.revisions == "main HEAD"
    shown = "\n".join(lines(found))
    assert "points of different revisions" in shown and "work-9" in shown and "no change\n" not in shown
    assert "work-9" in view(found).points[0][2]


def test_an_ab_of_fixed_revisions_still_has_changes(store, runs, tmp_path):
    write_branches(runs, tmp_path / "a", ["v1.2", "1a2b3c4d"])
    reindex(store, tmp_path / "a", prune=True)
    found = analyse(store, read_series(store, Wanted("x: main against HEAD")))
    assert [one.what for one in found.changes] == ["step"] and found.series.revisions == ""


def test_a_target_that_is_nearly_written_is_named(nights):
    with pytest.raises(NothingMatched, match="did you mean 'ch01:fused'"):
        read_series(nights, Wanted("ch01:fusd"))
    with pytest.raises(NothingMatched) as refused:
        read_series(nights, Wanted("nothing like it"))
    assert "did you mean" not in str(refused.value)
