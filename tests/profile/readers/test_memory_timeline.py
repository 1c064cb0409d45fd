"""Memory timelines as torch 2.13 wrote them on a CPU (export_memory_timeline), shortened."""

import gzip
import json

import pytest

from perfproof.app.view import summary, view_file
from perfproof.core.errors import DocumentError
from perfproof.profile import reading
from perfproof.profile.readers.memory_timeline import ALL, CATEGORIES, read

SUMS = [
    [1794884693214850, 1794884693214850, 1794884693215211],
    [[0, 1088, 0, 0, 0, 0, 0, 0, 0], [0, 1088, 0, 256, 0, 0, 0, 0, 0], [0, 1088, 0, 256, 0, 256, 0, 0, 0]],
]
CHANGES = [
    [-1, 1, 1088, 0],
    [1794884693214850750, 2, 256, 2],
    [1794884693215211561, 2, 256, 4],
    [1794884693215566866, 4, -256, 4],
]


def test_categories_are_series_and_the_peak_says_what_holds_it(write):
    events = reading.read(write(SUMS))
    assert list(events.series[ALL].values) == [1088, 1344, 1600]
    assert events.series[ALL].times_ns[0] == 1794884693214850000
    assert [(one.path[1], one.values["value"]) for one in events.totals] == [
        ("parameters", 1088),
        ("inputs", 256),
        ("activations", 256),
    ]


def test_raw_changes_give_the_same_and_what_was_held_before_counts_from_the_first_time(tmp_path):
    path = tmp_path / "memory.raw.json.gz"
    path.write_bytes(gzip.compress(json.dumps(CHANGES).encode()))
    events = reading.read(path)
    assert list(events.series[ALL].values) == [1088, 1344, 1600, 1344]
    assert events.series[ALL].times_ns[0] == events.series[ALL].times_ns[1] == 1794884693214850750


def test_the_page_tells_the_peak(write):
    assert summary(view_file(write(SUMS)))["memory"][0]["peak_bytes"] == 1600


def test_the_order_of_the_categories_is_torchs():
    profiler = pytest.importorskip("torch.profiler._memory_profiler")
    names = [None if one is None else one.name.lower() for one in profiler._CATEGORY_TO_INDEX]
    assert len(names) == len(CATEGORIES) and (names.index("optimizer_state"), names.index(None)) == (1, 7)
    assert [name[:5] for name in names[:7]] == [name.replace(" ", "_")[:5] for name in CATEGORIES[:7]]


@pytest.mark.parametrize(
    "content",
    [
        [[1], [[0, 1]]],  # a version with other categories
        [[1, 2], [[0] * 9]],
        [[5, 9, 1, 1]],
        [5, [[0] * 9]],
        [[1], 5],
        [[1, 2, 3, 99]],
        json.dumps(SUMS)[:120],
    ],
)
def test_other_lists_and_a_cut_file_are_errors(write, content):
    with pytest.raises(DocumentError):
        read(write(content))
