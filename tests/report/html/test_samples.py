"""Raw samples are read as they are; what cannot be read is said."""

import gzip

import pytest

from perfproof.report.html.samples import quantile, read_samples, thinned
from tests.report.sample_pages import rich_target, sample_rows, write_samples
from tests.report.sample_runs import judged


def test_samples_come_in_the_order_in_which_they_ran(tmp_path):
    rows = sample_rows(launches=1, quads=2)
    write_samples(tmp_path, rows[::-1])
    found = read_samples(tmp_path, rich_target()).readings
    assert [one.seconds for one in found] == [row["seconds"] for row in rows]
    assert found[0].process == (0, 0, 1) and found[0].valid


def test_only_the_judged_rung_counts_and_never_the_twin(tmp_path):
    rows = sample_rows(launches=1, quads=1)
    twins = [{**row, "kind": "twin", "side": row["side"].replace("optimized", "twin")} for row in rows]
    write_samples(tmp_path, [*rows, *twins, *({**row, "rung": "stay"} for row in rows)])
    found = read_samples(tmp_path, rich_target())
    assert len(found.readings) == 24 and len(found.judged(rich_target())) == 8


def test_runs_of_a_program_are_grouped_by_their_block(tmp_path):
    write_samples(tmp_path, [{"side": "b", "block": 3, "seconds": 0.5, "start_ns": 1}])
    (found,) = read_samples(tmp_path, rich_target()).readings
    assert found.process == (3,)


@pytest.mark.parametrize(
    ("claim", "clock", "value"),
    [("time", "wall", 0.5), ("time", "cpu", 0.2), ("memory", "ru_maxrss", 4096.0), ("metric", "rate", 7.0)],
)
def test_a_run_of_a_program_is_read_in_what_was_judged(tmp_path, claim, clock, value):
    row = {"side": "b", "block": 0, "seconds": 0.5, "cpu_seconds": 0.2, "peak_bytes": 4096, "metrics": {"rate": 7}}
    write_samples(tmp_path, [row])
    ratios = {"b": judged(claim=claim, clock=clock)}
    (found,) = read_samples(tmp_path, rich_target(ratios=ratios, program={"blocks": 1})).readings
    assert found.value == value


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (None, "No such file"),
        (b"not gzip", "Not a gzipped file"),
        (gzip.compress(b'{"side": "a"'), "cannot be read"),
        (gzip.compress(b'{"side": "a", "seconds": 1}\n')[:-12], "cannot be read"),
        (gzip.compress(b'[1]\n{"side": 3}\n{"side": "a", "seconds": -1}\n'), "holds no samples of what was judged"),
        (gzip.compress(b""), "holds no samples of what was judged"),
        (gzip.compress(b"\xff\n"), "cannot be read"),
    ],
)
def test_a_broken_file_is_named_with_its_reason(tmp_path, content, why):
    (tmp_path / "samples").mkdir()
    if content is not None:
        (tmp_path / "samples" / "one.jsonl.gz").write_bytes(content)
    found = read_samples(tmp_path, rich_target())
    assert not found.readings and "samples/one.jsonl.gz" in found.why and why in found.why


def test_a_document_cannot_point_outside_its_folder(tmp_path):
    write_samples(tmp_path, sample_rows(1, 1), "outside.jsonl.gz")
    (tmp_path / "run").mkdir()
    found = read_samples(tmp_path / "run", rich_target(samples="../outside.jsonl.gz"))
    assert not found.readings and "outside the run's folder" in found.why


def test_quantiles_lie_between_their_neighbours():
    assert [quantile([1.0, 2.0, 4.0], share) for share in (0, 0.25, 0.5, 0.75, 1)] == [1, 1.5, 2, 3, 4]


def test_thinning_takes_every_kth_and_nothing_where_there_is_room():
    assert thinned(range(10), 4) == [0, 3, 6, 9]
    assert thinned(range(3), 4) == [0, 1, 2]
