"""Tables of counters in the chapters: from profiles by ncu at the pair's own sizes, else "not measured yet"."""

from types import SimpleNamespace

import pytest

from perfproof.core.profile_record import Capture, Portion, ProfileRecord
from perfproof.pairs.catalogue import catalogue
from perfproof.pairs.pair import Pair
from perfproof.profile.manifest.chips import chips
from perfproof.profile.manifest.roles import metrics_of
from perfproof.report import chapter_counters
from perfproof.report.chapter_counters import BEGIN, END, counters_table, place_counters

HITS = "l1tex__t_sector_hit_rate.pct"


@pytest.fixture(autouse=True)
def any_pair(monkeypatch):
    monkeypatch.setattr(chapter_counters, "Pair", SimpleNamespace)


def pair(name="ch07:copy", counters=("COAL",)):
    return SimpleNamespace(name=name, counters=counters, workload={"rows": 8}, sides=("baseline", "optimized"))


def record(hits=0.5, tool="ncu", sizes=None, status="ok", started="2026-01-02T00:00:00Z"):
    kernel = Portion(kind="kernel", name="copy_rows", launches=1, seconds=1.0, counters={HITS: hits, "other": 1.0})
    captures = [
        Capture(tool=tool, variant=side, status=status, portions=[kernel]) for side in ("baseline", "optimized")
    ]
    facts = {"perfproof_version": "", "started": started, "asked_tool": tool, "tool": tool, "preset": "minimal"}
    return ProfileRecord(**facts, target="ch07:copy", sizes=sizes or {"rows": 8}, captures=captures)


def rows(*records, pairs=None, existing=""):
    return counters_table(pairs or [pair()], records, existing).splitlines()[2:]


def test_each_side_has_what_the_pair_asks_for_of_its_heaviest_kernel():
    first, second = rows(record())
    assert "baseline" in first and "optimized" in second
    assert "COAL: l1 hit rate 50.0 %" in first and "other" not in first and "2026-01-02" in first


def test_a_pair_without_a_profile_is_not_measured_yet_and_one_without_counters_has_no_row():
    (row,) = rows(pairs=[pair(), pair("ch07:plain", counters=())])
    assert "not measured yet" in row


@pytest.mark.parametrize("other", [{"tool": "torch"}, {"sizes": {"rows": 2}}, {"status": "denied"}])
def test_other_tools_smoke_sizes_and_failures_are_no_result(other):
    assert "not measured yet" in rows(record(**other))[0]


def test_the_newest_stands_and_a_row_whose_profile_is_gone_stays():
    newer = record(hits=0.9, started="2026-02-02T00:00:00Z")
    written = counters_table([pair()], [newer, record()])
    assert "90.0 %" in written and rows(existing=written) == written.splitlines()[2:]


def test_sides_may_be_profiled_one_at_a_time():
    older, newer = record(), record(hits=0.9, started="2026-02-02T00:00:00Z")
    older.captures.pop(1)
    newer.captures.pop(0)
    first, second = rows(older, newer)
    assert "50.0 %" in first and "90.0 %" in second
    assert rows(newer, existing=counters_table([pair()], [older])) == [first, second]


def test_every_pair_names_groups_that_a_chip_has():
    named = [one for one in catalogue() if isinstance(one, Pair) and one.counters]
    assert len(named) > 20
    for one in named:
        assert all(any(metrics_of([group], chip) for chip in chips()) for group in one.counters), one.name


def test_a_page_without_marks_is_left_as_it_is():
    assert place_counters("# ch07\n", [pair()], [], "README.md") == "# ch07\n"
    assert "not measured yet" in place_counters(f"a\n{BEGIN}\n{END}\nb", [pair()], [], "README.md")
