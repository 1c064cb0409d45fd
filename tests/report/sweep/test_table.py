"""A sweep's table, from a saved document."""

from itertools import product

import pytest

from perfproof.core.documents import Warning
from perfproof.report.sweep.points import points_of
from perfproof.report.sweep.table import best_of, render
from tests.report.sample_runs import judged, run, side, target


def swept(axes, results, **fields):
    """A run over the grid; `results` are ratios, or statuses, in the order of the points."""
    names = [
        f"x[{','.join(f'{a}={v}' for a, v in zip(axes, values, strict=True))}]" for values in product(*axes.values())
    ]
    targets = [
        target(name, status=one)
        if isinstance(one, str)
        else target(name, judged(ratio=one, low=one - 0.1, high=one + 0.1))
        for name, one in zip(names, results, strict=False)
    ]
    sweep = {"target": "x", "axes": axes, "reduced": {}, "written": "x.py"} | fields.pop("sweep", {})
    return run(*targets, options={"sweep": sweep, "effort": "quick"}, **{"planned": names} | fields)


def table_of(text):
    lines = text.splitlines()
    return lines[next(at for at, line in enumerate(lines) if "verdict" in line) :]


def test_every_point_is_a_line_with_its_sizes_verdict_interval_and_times():
    lines = table_of(render(swept({"threads": [1, 16]}, [1.5, 2.0])))
    assert lines[0].split()[:3] == ["threads", "verdict", "ratio"] and lines[0].split()[-2:] == ["baseline", "variant"]
    assert lines[1].split() == ["1", "faster", "1.50x", "[1.40,", "1.60]", "1.50", "ms", "1.00", "ms"]
    assert lines[2].split()[:3] == ["16", "faster", "2.00x"]


def test_the_best_point_is_a_sentence_first():
    text = render(swept({"threads": [1, 16]}, [1.5, 2.0]))
    assert text.startswith("perfproof 0.1.0")
    said = " ".join(text.split("\n\n")[1].split())
    assert said.startswith("best of 2 points: x[threads=16]: optimized is 2.00x faster than baseline")


def test_the_next_command_measures_the_best_point_again():
    text = render(swept({"threads": [1, 2], "size": [8, 9]}, [1.5, 2.0, 1.9, 0.5]))
    assert text.splitlines()[-1] == "next: perfproof run x.py --set threads=1 --set size=9"
    assert "chosen after looking" in text


def test_the_best_is_judged_by_the_lower_end_of_its_interval():
    document = swept({"threads": [1, 2]}, [2.0, 2.2])
    document.targets[1].ratios["optimized"].low = 1.0
    assert best_of(document) is document.targets[0]


def test_a_point_without_an_interval_is_never_better_than_one_with():
    document = swept({"threads": [1, 2, 4]}, [2.24, 1.96, 1.5])
    document.targets[0].ratios["optimized"].low = 1.93
    document.targets[1].ratios["optimized"] = judged("indicative", 1.96, None, None)
    assert best_of(document) is document.targets[0]
    document.targets[1].ratios["optimized"].ratio = 99.0
    assert best_of(document) is document.targets[0] and "--set threads=1" in render(document)


def test_the_highest_ratio_is_the_best_where_no_point_has_an_interval():
    document = swept({"threads": [1, 2]}, [1.5, 2.0])
    for one in document.targets:
        one.ratios["optimized"].low = one.ratios["optimized"].high = None
    assert best_of(document) is document.targets[1]


@pytest.mark.parametrize("width", [60, 80, 140])
def test_no_line_is_wider_than_asked(width):
    document = swept({"a_long_name": [1, 2], "size": [8, 9]}, [1.5, 2.0, "crashed", 0.5])
    document.targets[2].reason = "it ran out of memory and was ended by the system " * 4
    lines = render(document, width=width, picture="artifacts/x/sweep.svg").splitlines()
    assert max(map(len, lines[:-1])) <= width and any("a_long_name" in line for line in lines)


def test_remarks_are_counted_and_shown_when_asked_for():
    document = swept({"threads": [1, 2]}, [1.5, 2.0])
    document.targets[0].warnings = [
        Warning(code="W104", text="near the floor"),
        Warning(code="W105", text="one launch"),
    ]
    assert "2 notes: perfproof report run abc123 --notes" in render(document) and "W104" not in render(document)
    text = render(document, notes=True)
    assert "W104 near the floor" in text and "W105 one launch" in text


def test_a_sweep_that_could_not_run_says_what_is_missing():
    document = swept({"threads": [1]}, ["skipped"])
    document.targets[0].reason = "needs triton: pip install 'perfproof[triton]'"
    assert render(document).splitlines()[-1] == "next: pip install 'perfproof[triton]'"
    failed = swept({"threads": [1]}, ["crashed"])
    assert render(failed).splitlines()[-1] == "next: perfproof sweep --resume abc123"


def test_a_point_without_a_ratio_says_why():
    document = swept({"threads": [1, 2]}, [1.5, "crashed"])
    document.targets[1].reason = "it ran out\nof memory"
    text = render(document)
    assert "      2  crashed" in text and "x[threads=2]: it ran out of memory" in text


def test_variants_have_lines_of_their_own():
    document = swept({"threads": [1]}, [1.5])
    document.targets[0].ratios["optimized_tiled"] = judged("slower", 0.5, 0.4, 0.6)
    document.targets[0].variants["optimized_tiled"] = side(6e-3)
    lines = table_of(render(document))
    assert lines[1].endswith("optimized") and lines[2].endswith("tiled") and "slower" in lines[2]


def test_an_interrupted_sweep_is_resumed_by_its_next_command():
    text = render(swept({"threads": [1, 2, 4]}, [1.5], state="interrupted"))
    assert "interrupted: 1 of 3 points done" in text
    assert text.splitlines()[-1] == "next: perfproof sweep --resume abc123"


def test_a_reduced_axis_is_said():
    assert "memory stays" in render(swept({"threads": [1]}, [1.5], sweep={"reduced": {"memory": "stays 'none'"}}))


def test_points_are_found_by_name_whatever_was_finished_first():
    document = swept({"threads": [1, 2]}, [1.5, 2.0])
    document.targets.reverse()
    assert points_of(document) == [{"threads": 2}, {"threads": 1}]
