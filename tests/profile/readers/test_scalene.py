"""JSON of scalene, written after scalene_json.py of plasma-umass/scalene (fields of old and new versions)."""

import pytest

from perfproof.app.view import summary, view_file
from perfproof.core.errors import DocumentError
from perfproof.profile import reading
from perfproof.profile.readers.scalene import read

HOT = {
    "lineno": 7,
    "line": "    total += sum(values)\n",
    "n_cpu_percent_c": 10.0,
    "n_cpu_percent_python": 60.0,
    "n_sys_percent": 5.0,
    "n_malloc_mb": 12.0,
    "n_peak_mb": 16.0,
    "memory_samples": [],
}
IDLE = {"lineno": 8, "line": "pass", "n_cpu_percent_c": 0, "n_cpu_percent_python": 0, "n_sys_percent": 0}
PROFILE = {
    "elapsed_time_sec": 2.0,
    "growth_rate": 0.0,
    "max_footprint_mb": 16.0,
    "files": {"work.py": {"percent_cpu_time": 75.0, "lines": [HOT, IDLE], "functions": []}},
    "samples": [[1_000_000, 4.0], [2_000_000, 16.0]],
}


def test_a_line_has_its_share_of_the_elapsed_time_and_says_that_it_is_an_estimate(write):
    events = reading.read(write(PROFILE))
    (total,) = events.totals
    assert total.path == ("work.py", "total += sum(values) (work.py:7)")
    assert total.values["time_ns"] == pytest.approx(0.75 * 2e9) and total.values["python_percent"] == 60.0
    assert total.values["peak_bytes"] == 16 * 2**20
    assert "estimates" in events.warnings[0]


def test_the_page_has_stacks_and_the_highest_memory(write):
    found = summary(view_file(write(PROFILE)))
    assert found["stacks"]["unit"] == "time_ns"
    assert found["memory"][0]["peak_bytes"] == 16 * 2**20


def test_without_the_elapsed_time_shares_are_weights_and_no_times(write):
    events = read(write({"files": PROFILE["files"]}))
    assert events.totals[0].values["weight"] == 75.0 and "time_ns" not in events.totals[0].values


def test_broken_lines_are_left_out_and_counted(write):
    lines = [HOT, {**HOT, "n_sys_percent": "much"}, {**HOT, "lineno": None}, 5]
    events = read(write({**PROFILE, "files": {"work.py": {"lines": lines}, "b.py": None}, "samples": [3.0]}))
    assert len(events.totals) == 1 and "5 lines or samples" in events.warnings[1]


@pytest.mark.parametrize(
    "content",
    [
        {"elapsed_time_sec": 1.0, "files": []},
        {"elapsed_time_sec": 1.0, "files": {"a.py": {"lines": [IDLE]}}},
        '{"elapsed_time_sec": 1.0, "files": {"a.py": {"lines": [{"n_cpu',
    ],
)
def test_a_file_without_a_line_at_work_and_a_cut_one_are_errors(write, content):
    with pytest.raises(DocumentError):
        reading.read(write(content))
