"""Results of SGLang, guidellm and aiperf as our records: their names mapped to ours, broken files refused."""

import copy
import json

import pytest

from perfproof.cli.app import main
from perfproof.core.errors import DocumentError, UsageError
from perfproof.load.foreign import read_foreign

# What sglang/bench_serving.py appends with --output-details: the second answer has two tokens per event.
SGLANG = {
    "tag": None,
    "backend": "sglang",
    "dataset_name": "random",
    "request_rate": "inf",
    "max_concurrency": 2,
    "duration": 4.0,
    "completed": 2,
    "total_input_tokens": 30,
    "total_output_tokens": 8,
    "request_throughput": 0.5,
    "output_throughput": 2.0,
    "mean_ttft_ms": 150.0,
    "accept_length": 1.6,
    "input_lens": [10, 20, 30],
    "output_lens": [3, 5, 0],
    "ttfts": [0.1, 0.2, 0.0],
    "itls": [[0.05, 0.05], [0.1, 0.1], []],
    "generated_texts": ["a", "b", ""],
    "errors": ["", "", "Traceback (most recent call last):\nConnectionResetError: reset"],
}


def guidellm_row(at: float, output: int | None, error: str | None = None) -> dict:
    """The fields of GenerativeRequestStats in a benchmarks.json that matter here, with its computed ones."""
    timings = {
        "targeted_start": 1000.0 + at,
        "queued": 999.0,
        "request_start": 1000.5 + at,
        "first_token_iteration": 1000.7 + at if output else None,
        "first_output_token_iteration": 1000.9 + at if output else None,
        "last_token_iteration": 1001.7 + at if output else None,
        "token_iterations": output or 0,
        "request_end": 1001.8 + at,
        "resolve_end": 1001.9 + at,
    }
    info = {"request_id": "r", "status": "completed", "timings": timings, "error": error}
    return {"type_": "generative_request_stats", "info": info, "prompt_tokens": 7, "output_tokens": output}


GUIDELLM = {
    "metadata": {"version": 2, "guidellm_version": "0.8.0"},
    "args": {"model": "m"},
    "benchmarks": [
        {
            "config": {"strategy": {"type_": "poisson", "rate": 2.0}},
            "requests": {
                "successful": [guidellm_row(0, 11), guidellm_row(1, 1)],
                "errored": [guidellm_row(2, None, "Traceback\nboom")],
                "incomplete": [guidellm_row(3, None)],
            },
        }
    ],
}


def aiperf_row(at: int, phase: str = "profiling", **other) -> dict:
    """A line as in aiperf's own documentation of its record structure, with an event of its list per token but one."""
    start = 1759813207532900363 + at
    about = {
        "session_num": 45,
        "turn_index": 0,
        "request_start_ns": start,
        "request_ack_ns": start + 117_830_613,
        "request_end_ns": start + 305_864_241,
        "benchmark_phase": phase,
        "was_cancelled": False,
    }
    metrics = {
        "input_sequence_length": {"value": 550, "unit": "tokens"},
        "time_to_first_token": {"value": 255.886568, "unit": "ms"},
        "request_latency": {"value": 297.525228, "unit": "ms"},
        "output_sequence_length": {"value": 9, "unit": "tokens"},
        "inter_chunk_latency": {"value": [4.9, 5.3, 4.8, 5.7, 4.8, 5.1, 5.5, 5.5], "unit": "ms"},
    }
    return {"metadata": about | other, "metrics": metrics, "error": None}


def read(tmp_path, said, number=None):
    path = tmp_path / "result"
    lines = said if isinstance(said, list) else [said]
    path.write_text(said if isinstance(said, str) else "\n".join(json.dumps(one) for one in lines) + "\n")
    return read_foreign(path, number)


def changed(said: dict, *place: str | int, to) -> dict:
    other = copy.deepcopy(said)
    inner = other
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = to
    return other


def test_sglang_times_of_events_are_shared_by_their_tokens(tmp_path):
    found = read(tmp_path, SGLANG)
    first, second, third = found.records
    assert found.tool == "sglang bench_serving" and found.seconds == 4
    assert first.ttft == pytest.approx(0.1) and first.tpot == pytest.approx(0.05) and first.tokens == [1, 1, 1]
    assert sum(second.tokens) == 5 and second.tokens_by == "estimated" and second.latency == pytest.approx(0.4)
    assert third.outcome == "error" and third.error == "ConnectionResetError: reset"
    assert "no times of sending" in found.notes[0]


def test_a_file_with_several_runs_needs_a_choice(tmp_path):
    two = [SGLANG, SGLANG | {"request_throughput": 9.0, "duration": 7.0}]
    with pytest.raises(UsageError, match=r"2 benchmarks.*--number"):
        read(tmp_path, two)
    assert read(tmp_path, two, 2).seconds == 7
    with pytest.raises(UsageError, match="--number 3"):
        read(tmp_path, two, 3)


def test_guidellm_counts_from_the_target_and_its_tpot_is_our_ntpot(tmp_path):
    found = read(tmp_path, GUIDELLM)
    good, single, bad, unfinished = found.records
    assert (found.tool, found.model) == ("guidellm", "m") and not found.notes
    assert good.ttft == pytest.approx(0.7) and good.client_wait == pytest.approx(0.5)
    assert good.tpot == pytest.approx(1.0 / 10) and good.ntpot == pytest.approx(1.7 / 11)
    assert good.first_answer == pytest.approx(0.9)
    assert single.outcome == "ok" and single.tpot is None and single.tokens == [1]
    assert (bad.outcome, bad.error, unfinished.outcome) == ("error", "boom", "unfinished")
    assert "guidellm calls this TPOT" in found.mapping["NTPOT"]


def test_guidellm_of_another_version_is_read_by_its_names_or_refused(tmp_path):
    older = json.dumps(GUIDELLM).replace("_token_iteration", "_iteration").replace('"config"', '"scheduler"')
    good = read(tmp_path, older).records[0]
    assert good.ttft == pytest.approx(0.7) and good.tpot == pytest.approx(1.0 / 10)
    with pytest.raises(DocumentError, match="another version"):
        read(tmp_path, json.dumps(GUIDELLM).replace("_token_iteration", "_chunk"))


def test_guidellm_without_a_schedule_counts_from_sending_and_says_so(tmp_path):
    found = read(tmp_path, changed(GUIDELLM, "benchmarks", 0, "config", to={"strategy": {"type_": "throughput"}}))
    assert found.records[0].ttft == pytest.approx(0.2) and "sent" in found.notes[0]


def test_aiperf_events_have_their_times_and_the_warm_up_is_left_out(tmp_path):
    found = read(tmp_path, [aiperf_row(-(10**9), "warmup"), aiperf_row(0), aiperf_row(10**6)])
    first, second = found.records
    assert first.ttft == pytest.approx(0.255886568) and first.tpot == pytest.approx(0.0416 / 8)
    assert first.latency == pytest.approx(0.297486568) and first.tokens_by == "one per event"
    assert second.intended == pytest.approx(0.001, abs=1e-12)  # nanoseconds are not lost in a float
    assert "warm-up" in found.notes[1] and "credit_issued_ns" in found.notes[0]


def test_aiperf_latencies_are_moved_to_when_the_request_was_due(tmp_path):
    row = aiperf_row(0)
    row["metadata"]["credit_issued_ns"] = row["metadata"]["request_start_ns"] - 2 * 10**9
    del row["metrics"]["inter_chunk_latency"]
    (one,) = read(tmp_path, [row]).records
    assert one.ttft == pytest.approx(2.255886568) and one.client_wait == pytest.approx(2.0)
    assert one.latency == pytest.approx(2.297525228) and one.tokens == [1, 8]
    assert one.tpot == pytest.approx((0.297525228 - 0.255886568) / 8)


def test_aiperf_cancelled_and_failed_requests_are_kept_apart(tmp_path):
    failed = aiperf_row(0) | {"error": {"type": "TimeoutError", "message": "too slow"}}
    found = read(tmp_path, [aiperf_row(0, was_cancelled=True), failed])
    assert [one.outcome for one in found.records] == ["cancelled", "error"]
    assert found.records[1].error == "too slow"


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ("", "JSON"),
        ("7", "JSON"),
        (json.dumps(SGLANG)[:300], "JSON"),
        ({"benchmarks": []}, "known"),
        ({key: value for key, value in SGLANG.items() if key != "itls"}, "output-details"),
        (SGLANG | {"ttfts": [0.1]}, "fit"),
        (SGLANG | {"output_lens": [3, -5, 0]}, "fit"),
        (changed(GUIDELLM, "benchmarks", 0, "requests", "successful", to=[{"prompt_tokens": 1}]), "fit"),
        (changed(GUIDELLM, "benchmarks", 0, "requests", to={"successful": 5}), "fit"),
        ([aiperf_row(0), {"other": 1}], "something else"),
        ([changed(aiperf_row(0), "metrics", "request_latency", "unit", to="parsecs")], "fit"),
        ([changed(aiperf_row(0), "metadata", "request_end_ns", to=None)], "fit"),
        ([changed(aiperf_row(0), "metrics", "time_to_first_token", "value", to=float("nan"))], "fit"),
    ],
)
def test_a_broken_file_is_refused_with_a_reason(tmp_path, said, word):
    with pytest.raises(DocumentError, match=word):
        read(tmp_path, said)


def test_the_command_saves_an_import_and_compares_it_with_another_tool(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sg.jsonl").write_text(json.dumps(SGLANG) + "\n")
    (tmp_path / "g.json").write_text(json.dumps(GUIDELLM))
    assert main(["load", "import", "sg.jsonl", "--save"]) == 0
    folder = capsys.readouterr().out.strip().splitlines()[-1].split()[-1]
    assert json.loads((tmp_path / folder / "load.json").read_text())["tool"] == "sglang bench_serving"
    assert main(["load", "compare", folder, "g.json"]) == 0
    said = capsys.readouterr().out
    assert "TTFT p50" in said and "sglang bench_serving" in said and "guidellm" in said
    assert "not the intended arrival" in said
    assert main(["load", "compare", folder, "g.json", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["g.json"]["tool"] == "guidellm"
    assert main(["load", "compare", "g.json", "missing.json"]) == 2
    capsys.readouterr()
    assert main(["compare", folder, "g.json"]) == 0  # also without the word load
    said = capsys.readouterr().out
    assert "TTFT" in said and "guidellm" in said
    assert main(["compare", folder, "g.json", "--gate"]) == 2 and "not judged" in capsys.readouterr().err
