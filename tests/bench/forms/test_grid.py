"""The grid of a sweep: which points there are, what they are called, and what is refused."""

import pytest

from perfproof.bench.forms.grid import MOST_POINTS, plan_sweep, point_pairs
from perfproof.core.errors import UsageError
from perfproof.pairs.contract import read_pair
from tests.pairs.full_pair import write_new


@pytest.fixture
def pair(tmp_path):
    """A pair with the sizes rows, cols and memory, the last a word that a CPU does not have."""
    write_new("wide", tmp_path)
    path = tmp_path / "wide.py"
    path.write_text(
        '"""Add in one call."""\n'
        "import torch\n"
        'workload = dict(rows=4, cols=8, memory="pinned", half=False)\n'
        'workload_cpu = dict(rows=2, cols=4, memory="none", half=False)\n'
        'sweep = dict(rows=[1, 2, 2, 3], memory=["pageable", "pinned"])\n'
        "tolerance = dict(rtol=1e-6, atol=1e-6)  # one rounding\n"
        'tier = "idiomatic"\n'
        "def inputs(rows, cols, memory, half):\n    return torch.randn(rows, cols)\n"
        "def reference(x):\n    return x.double() + 1\n"
        "def baseline(x):\n    return x + 1\n"
        "def optimized(x):\n    return 1 + x\n"
        "def cost(rows, cols, memory, half):\n    return dict(flops=1, bytes=8)\n"
    )
    return read_pair(path, "wide", "tests")


def refusal(pair, *items):
    with pytest.raises(UsageError) as caught:
        plan_sweep(pair, items, on_gpu=True)
    return str(caught.value)


def test_the_declared_axes_are_swept_each_value_once_the_last_axis_fastest(pair):
    sweep = plan_sweep(pair, [], on_gpu=True)
    assert [tuple(point.values()) for point in sweep.points] == [
        (rows, memory) for rows in (1, 2, 3) for memory in ("pageable", "pinned")
    ]
    assert sweep.name_of(sweep.points[1]) == "wide[rows=1,memory=pinned]"


def test_without_a_gpu_an_axis_that_lacks_the_word_of_the_cpu_is_reduced_and_says_why(pair):
    sweep = plan_sweep(pair, [], on_gpu=False)
    assert sweep.axes == {"rows": [1, 2, 3], "memory": ["none"]}
    assert sweep.reduced == {"memory": "stays 'none': without a GPU pageable, pinned mean nothing"}
    assert plan_sweep(pair, [], on_gpu=True).reduced == {}


def test_given_axes_take_the_place_of_the_declared_ones_and_have_the_types_of_the_sizes(pair):
    sweep = plan_sweep(pair, ["cols=4, 8,4", "half=no,yes"], on_gpu=True)
    assert sweep.axes == {"cols": [4, 8], "half": [False, True]}


def test_a_point_is_the_pair_under_its_own_name_with_the_sizes_of_the_point(pair):
    points = point_pairs(pair, plan_sweep(pair, ["rows=5,6"], on_gpu=True))
    assert {name: (point.name, point.path, sizes) for name, (point, sizes) in points.items()} == {
        "wide[rows=5]": ("wide[rows=5]", pair.path, {"rows": 5}),
        "wide[rows=6]": ("wide[rows=6]", pair.path, {"rows": 6}),
    }


@pytest.mark.parametrize("item", ["rows", "rows=", "=1,2", "rows=1,,2", "rows=1,"])
def test_what_is_no_axis_is_refused_with_an_example(pair, item):
    assert "threads=1,2,4" in refusal(pair, item)


def test_unknown_sizes_and_values_of_another_type_are_refused_by_name(pair):
    assert "has no size 'depth'" in refusal(pair, "depth=1,2")
    assert "'many' is not" in refusal(pair, "rows=1,many")


def test_a_pair_without_a_sweep_asks_for_an_axis(pair):
    text = pair.path.read_text()
    pair.path.write_text("\n".join(line for line in text.splitlines() if not line.startswith("sweep")) + "\n")
    said = refusal(read_pair(pair.path, "wide", "tests"))
    assert "declares no `sweep`" in said and "rows, cols, memory, half" in said


def test_a_grid_that_nobody_would_wait_for_is_refused(pair):
    many = ",".join(str(value) for value in range(1, 20))
    assert f"361 points are more than {MOST_POINTS}" in refusal(pair, f"rows={many}", f"cols={many}")
