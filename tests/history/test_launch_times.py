"""Times from the samples of a saved run: real ones, and files that are damaged or not ours."""

import gzip
import math

import pytest

from perfproof.history.folders import load_run
from perfproof.history.launch_times import log_times, mean_and_error
from tests.history.measured_runs import EARLIER, target


def test_the_units_of_a_single_launch_are_its_couples():
    body = load_run(EARLIER).targets[0]
    units = log_times(EARLIER, body, "baseline", "plain")
    mean, error = mean_and_error(units)
    assert len(units) == 5 and math.exp(mean) == pytest.approx(body.variants["baseline"].times["call"], rel=0.2)
    assert 0 < error < 1
    assert log_times(EARLIER, body, "baseline", "stay") == [] and log_times(EARLIER, body, "nobody", "plain") == []


def test_four_units_have_no_error():
    assert mean_and_error([1.0, 2.0, 3.0, 4.0]) == (2.5, None)


@pytest.mark.parametrize(
    "content", [b"", b"not gzip", gzip.compress(b"[1]\n"), gzip.compress(b"{}\n{"), gzip.compress(b"\xff")]
)
def test_samples_that_cannot_be_read_are_no_samples(tmp_path, content):
    (tmp_path / "samples").mkdir()
    (tmp_path / "samples" / "body.jsonl.gz").write_bytes(content)
    assert log_times(tmp_path, target(), "baseline", "plain") == []


def test_a_document_cannot_name_a_file_outside_its_folder(tmp_path):
    secret = tmp_path / "outside.jsonl.gz"
    secret.write_bytes((EARLIER / "samples" / "body.jsonl.gz").read_bytes())
    (tmp_path / "run").mkdir()
    for name in (str(secret), "../outside.jsonl.gz", None):
        assert log_times(tmp_path / "run", target(samples=name), "baseline", "plain") == []
