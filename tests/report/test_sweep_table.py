"""A sweep's table, from a saved document."""

from itertools import product

from perfproof.report.sweep_table import best_of, points_of, render
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


def test_every_point_is_a_line_with_its_sizes_verdict_interval_and_times():
    lines = render(swept({"threads": [1, 16]}, [1.5, 2.0])).splitlines()
    assert lines[2].split() == ["threads", "verdict", "ratio", "baseline", "variant"]
    assert lines[3].split() == ["1", "faster", "1.50x", "[1.40,", "1.60]", "1.50", "ms", "1.00", "ms"]
    assert lines[4].split()[:3] == ["16", "faster", "2.00x"]


def test_the_next_command_measures_the_best_point_again():
    text = render(swept({"threads": [1, 2], "size": [8, 9]}, [1.5, 2.0, 1.9, 0.5]))
    assert text.splitlines()[-1] == "next: perfproof run x.py --set threads=1 --set size=9"
    assert "chosen after looking" in text


def test_the_best_is_judged_by_the_lower_end_of_its_interval():
    document = swept({"threads": [1, 2]}, [2.0, 2.2])
    document.targets[1].ratios["optimized"].low = 1.0
    assert best_of(document) is document.targets[0]


def test_a_point_without_a_ratio_says_why():
    document = swept({"threads": [1, 2]}, [1.5, "crashed"])
    document.targets[1].reason = "it ran out\nof memory"
    text = render(document)
    assert "      2  crashed" in text and "x[threads=2]: it ran out of memory" in text


def test_variants_have_lines_of_their_own():
    document = swept({"threads": [1]}, [1.5])
    document.targets[0].ratios["optimized_tiled"] = judged("slower", 0.5, 0.4, 0.6)
    document.targets[0].variants["optimized_tiled"] = side(6e-3)
    lines = render(document).splitlines()
    assert lines[3].endswith("optimized") and lines[4].endswith("tiled") and "slower" in lines[4]


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
