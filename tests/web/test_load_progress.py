"""How far a load test is, from records that are read once while their file grows."""

import json

import pytest

from perfproof.core.errors import NothingMatched
from perfproof.web import load_progress
from perfproof.web.load_progress import Progress
from tests.web.sample_site import make_load, name_of


def test_counts_rate_and_percentiles_are_those_of_the_records_so_far(tmp_path):
    progress = Progress(tmp_path, make_load(tmp_path, requests=3)).refresh()
    assert progress.what == "m at host:8000" and progress.share == pytest.approx(0.203)
    assert progress.counts == "3 requests so far, 1.48 answered per second"
    assert progress.figures == "TTFT p50 20.0 ms, p99 20.0 ms; TPOT p50 5.00 ms, p99 5.00 ms"


def test_a_file_that_grows_is_read_on_from_where_it_was(tmp_path):
    name = make_load(tmp_path, requests=2)
    file = tmp_path / name / "requests.jsonl"
    progress = Progress(tmp_path, name).refresh()
    record = json.dumps({"index": 2, "intended": 2_000_000, "end": 4_000_000, "outcome": "timeout"})
    with file.open("a") as out:
        out.write(record[:20])
    assert progress.refresh().counts.startswith("2 requests so far,")
    with file.open("a") as out:
        out.write(f"{record[20:]}\n")
    assert progress.refresh().refresh().counts == "3 requests so far (1 timeout), 0.5 answered per second"


def test_nothing_yet_and_no_file(tmp_path):
    progress = Progress(tmp_path, make_load(tmp_path, requests=0)).refresh()
    assert (progress.counts, progress.figures, progress.share) == ("no request has ended yet", "", 0.0)
    with pytest.raises(NothingMatched):
        Progress(tmp_path, name_of(1, "load")).refresh()


def test_a_long_test_says_its_rate_of_the_last_seconds(tmp_path):
    assert "(1 in the last 10 s)" in Progress(tmp_path, make_load(tmp_path, requests=40)).refresh().counts


def test_two_servers_are_named_and_a_search_has_no_planned_end(tmp_path):
    progress = Progress(tmp_path, make_load(tmp_path, against="other:1", planned=None)).refresh()
    assert progress.what == "m at host:8000 against other:1, both together" and progress.share is None


@pytest.mark.parametrize(
    "line",
    [
        "no json",
        "[1]",
        "{}",
        '{"index": 1, "intended": "x"}',
        '{"index": 1, "intended": 0, "outcome": ["ok"]}',
        '{"index": 1, "intended": 0, "outcome": "<script>"}',
        '{"index": 1, "intended": NaN, "first_token": 1, "outcome": "ok"}',
        '{"index": 1, "intended": 0, "first_token": 1, "last_token": 2, "times": [1], "tokens": [], "outcome": "ok"}',
        '{"index": 1, "intended": 0, "times": 7, "outcome": "ok"}',
        "[" * 100_000,
        "\xff",
    ],
)
def test_lines_that_are_no_records_are_passed_over(tmp_path, line):
    name = make_load(tmp_path, requests=2)
    with (tmp_path / name / "requests.jsonl").open("a") as out:
        out.write(f"{line}\n")
    assert Progress(tmp_path, name).refresh().counts.startswith("2 requests so far,")


@pytest.mark.parametrize("first", ["[]", "7", '{"model": ["m"], "url": {"a": 1}, "planned": "x"}', '{"planned": -1}'])
def test_a_first_line_of_any_kind_does_no_harm(tmp_path, first):
    name = make_load(tmp_path, requests=2)
    file = tmp_path / name / "requests.jsonl"
    file.write_text("\n".join([first, *file.read_text().splitlines()[1:]]) + "\n")
    progress = Progress(tmp_path, name).refresh()
    assert progress.share is None and " at " in progress.what and progress.counts.startswith("2 requests so far,")


def test_a_huge_file_is_read_in_pieces_and_an_endless_line_is_passed_over(tmp_path, monkeypatch):
    name = make_load(tmp_path, requests=30)
    size = (tmp_path / name / "requests.jsonl").stat().st_size
    monkeypatch.setattr(load_progress, "PIECE", size // 3)
    progress = Progress(tmp_path, name).refresh()
    assert progress.is_behind and progress.counts.endswith("; more is being read")
    while progress.is_behind:
        progress.refresh()
    assert progress.counts.startswith("30 requests so far")
    with (tmp_path / name / "requests.jsonl").open("a") as out:
        out.write("x" * size)
    for _ in range(4):
        progress.refresh()
    assert progress.counts.startswith("30 requests so far") and not progress.is_behind
