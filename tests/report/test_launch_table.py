"""The table of launches: from saved runs of a GPU, honest about what is missing, nothing outside the marks touched."""

import pytest

from perfproof.core.documents import Kernel, VariantResult
from perfproof.core.errors import UsageError
from perfproof.report.launch_table import BEGIN, END, launch_table, place_launches
from tests.report.sample_runs import run, target
from tests.report.test_chapters import cells, pair


def measured(started="2025-01-01T00:00:00Z", kind="nvidia-h200", options=None, launches=200.0, **fields):
    def side(count, **times):
        return VariantResult(times=times, kernels=[Kernel(name="add", count=count, seconds=count * 1e-6)])

    sides = {"baseline": side(launches, call=2e-3, latency=2.1e-3), "optimized": side(20.0, latency=4e-5)}
    return run(target(variants=sides, started=started, **fields), options=options, machine={"kind": kind})


def test_every_side_has_its_launches_its_busy_time_both_clocks_and_its_idle_share():
    name, end = "ch01:batched\\_gemm", ["nvidia-h200", "2025-01-01"]
    assert cells(launch_table([pair()], [measured()])) == [
        [name, "baseline", "200", "200 µs", "2.00 ms", "2.10 ms", "90 %", *end],
        [name, "optimized", "20", "20.0 µs", "–", "40.0 µs", "50 %", *end],
    ]


def test_kernels_side_by_side_are_never_less_than_idle():
    assert cells(launch_table([pair()], [measured(launches=4_000.0)]))[0][6] == "0 %"


def test_a_pair_that_was_not_measured_on_a_gpu_says_so():
    for runs in ([], [run(target())], [measured(options={"effort": "quick"})], [measured(options={"fast": True})]):
        assert cells(launch_table([pair()], runs))[0][:3] == ["ch01:batched\\_gemm", "not measured yet", "–"]


def test_the_newest_run_stands_and_rows_of_other_machines_stay():
    first = launch_table([pair()], [measured(kind="nvidia-b200"), measured("2025-01-03T00:00:00Z")])
    second = launch_table([pair()], [measured("2025-01-02T00:00:00Z")], first)
    assert [row[-2:] for row in cells(second)] == [["nvidia-b200", "2025-01-01"]] * 2 + [
        ["nvidia-h200", "2025-01-03"]
    ] * 2
    assert launch_table([pair()], [], second) == second


def test_only_what_stands_between_the_marks_is_written():
    page = f"before\n{BEGIN}\nold\n{END}\nafter\n"
    written = place_launches(page, [pair()], [measured()], "README.md")
    assert written.startswith(f"before\n{BEGIN}\n| target") and written.endswith(f"|\n{END}\nafter\n")
    assert place_launches("no marks", [pair()], [measured()], "README.md") == "no marks"
    with pytest.raises(UsageError, match="README"):
        place_launches(f"{BEGIN}\n", [pair()], [], "README.md")
