"""Results of vllm bench serve as our records: latencies moved to the intended arrival, broken files refused."""

import json

import pytest

from perfproof.core.errors import DocumentError
from perfproof.load.foreign import read_foreign

# The fields that vllm/benchmarks/serve.py writes, of three requests: the second waited 2 s for a cap, the third failed.
RESULT = {
    "model_id": "m",
    "duration": 5.0,
    "completed": 2,
    "total_output_tokens": 6,
    "request_throughput": 0.4,
    "input_lens": [10, 20, 30],
    "output_lens": [3, 3, 0],
    "ttfts": [0.1, 0.2, 0.0],
    "itls": [[0.05, 0.05], [0.3], []],
    "start_times": [100.0, 103.0, 104.0],
    "queue_times": [0.0, 2.0, 0.0],
    "errors": ["", "", "Traceback\nBroken pipe"],
}


def read(tmp_path, said):
    path = tmp_path / "result.json"
    path.write_text(said if isinstance(said, str) else json.dumps(said))
    return read_foreign(path)


def test_latencies_are_moved_to_the_intended_arrival(tmp_path):
    found = read(tmp_path, RESULT)
    first, second, third = found.records
    assert first.ttft == pytest.approx(0.1) and first.tpot == pytest.approx(0.05)
    assert second.intended == pytest.approx(1.0) and second.client_wait == pytest.approx(2.0)
    assert second.ttft == pytest.approx(2.2) and second.tokens == [1, 2] and second.tokens_by == "estimated"
    assert third.outcome == "error" and third.error == "Broken pipe" and not found.notes


def test_without_the_wait_a_note_says_where_latencies_begin(tmp_path):
    found = read(tmp_path, {key: value for key, value in RESULT.items() if key != "queue_times"})
    assert found.records[1].ttft == pytest.approx(0.2) and "sent" in found.notes[0]


def test_a_file_of_an_older_version_has_latencies_and_no_times_of_sending(tmp_path):
    older = {key: value for key, value in RESULT.items() if key not in ("queue_times", "start_times")}
    found = read(tmp_path, older)
    assert [one.ttft for one in found.records[:2]] == pytest.approx([0.1, 0.2]) and found.records[2].outcome == "error"
    assert found.seconds == 5.0 and "no times of sending" in found.notes[0]


def test_the_first_arrival_is_at_zero_also_if_it_waited(tmp_path):
    waited = RESULT | {"start_times": [1000.0, 1000.1, 1000.2], "queue_times": [0.01, 0.01, 0.01]}
    assert [one.intended for one in read(tmp_path, waited).records] == pytest.approx([0.0, 0.1, 0.2])
    assert min(one.intended for one in read(tmp_path, waited).records) >= 0


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ("{", "JSON"),
        ("[]", "vllm"),
        ({"x": 1}, "vllm"),
        ({key: value for key, value in RESULT.items() if key != "ttfts"}, "save-detailed"),
        (RESULT | {"ttfts": [0.1]}, "fit"),
        (RESULT | {"start_times": ["a", "b", "c"]}, "fit"),
        (RESULT | {"ttfts": [-0.1, 0.2, 0.0]}, "-0.1 is no time"),
        (json.dumps(RESULT)[:200], "JSON"),
    ],
)
def test_a_file_that_is_no_such_result_is_refused_with_a_reason(tmp_path, said, word):
    with pytest.raises(DocumentError, match=word):
        read(tmp_path, said)
