"""Load tests have a history: each measure is a series, of one server and one way to arrive."""

import pytest

from perfproof.core.documents import Check
from perfproof.core.errors import DocumentError
from perfproof.core.load import Figure, LoadResult, Quantile, SloResult, SloTerm, Window
from perfproof.history.index.choosing import Wanted
from perfproof.history.index.reading import newest_runs, results_of
from perfproof.history.index.rebuilding import open_index
from perfproof.history.index.series import read_series
from perfproof.history.index.trends import analyse
from perfproof.history.load_tests import list_load_tests, read_load_test

LOCAL, AWAY = "http://127.0.0.1:8000", "https://api.example.com/v1"


def window(ttft=0.2, rate=5.0, few=False):
    quantiles = {"p50": Quantile(value=ttft), "p99": Quantile(value=3 * ttft, few=few)}
    figures = [Figure(name=name, n=150, mean=ttft, quantiles=quantiles) for name in ("TTFT", "TPOT", "stall")]
    return Window(
        start=0.0, end=30.0, outcomes={"ok": 150}, arrivals_per_second=rate, completed_per_second=rate,
        output_tokens_per_second=100 * rate, prompt_tokens_per_second=rate, mean_in_flight=2.0, figures=figures,
    )  # fmt: skip


def result(day=1, url=LOCAL, check="pass", **fields):
    values = {
        "perfproof_version": "0.1.0",
        "made": f"2025-01-{day:02}T00:00:00Z",
        "command": ["perfproof", "load"],
        "url": url,
        "model": "m",
        "workload": "chat",
        "workload_sha256": "ab",
        "arrivals": "poisson 5/s for 30 s",
        "mode": "open",
        "seed": 1,
        "salt": "s",
        "seconds": 30.0,
        "headline": "",
        "checks": [Check(name="client lag", result=check)],
        "whole": window(),
        "machine": {"host": "h", "cores": "2"},
    }
    return LoadResult(**values | fields)


@pytest.fixture
def keep(tmp_path):
    def write(made, number=0):
        name = f"{made.made.replace('-', '').replace(':', '')}-load-{number:06x}"
        (tmp_path / name).mkdir()
        (tmp_path / name / "load.json").write_text(made.model_dump_json())
        return tmp_path / name

    return write


def rows(folder):
    return {row["variant"]: row for row in read_load_test(folder).results}


def test_the_measures_of_a_test_are_times_and_rates_are_times_per_request_and_token(keep):
    found = rows(keep(result(steady=window(ttft=0.4, rate=4.0))))
    assert {name: round(row["variant_seconds"], 6) for name, row in found.items()} == {
        "time per request": 0.25,
        "time per output token": 0.0025,
        "TTFT p50": 0.4,
        "TTFT p99": 1.2,
        "TPOT p50": 0.4,
        "TPOT p99": 1.2,
    }
    assert {row["target"] for row in found.values()} == {"load chat"}
    assert "poisson 5/s" in found["TTFT p50"]["sizes"] and found["TTFT p99"]["launches"] == 150


def test_a_percentile_with_few_samples_behind_it_is_no_point(keep):
    assert "TTFT p99" not in rows(keep(result(whole=window(few=True))))


def test_a_search_is_the_time_per_request_at_its_rate(keep):
    term = SloTerm(metric="TTFT", quantile=0.99, limit=0.5, text="ttft_p99<500ms")
    found = rows(keep(result(slo=SloResult(terms=[term], rate=12.5, sentence="", steps=[]))))
    assert {name: row["variant_seconds"] for name, row in found.items()} == {"time per request within the SLO": 0.08}
    assert "ttft_p99<500ms" in next(iter(found.values()))["sizes"]


def test_a_slower_server_is_a_change_in_the_trend(tmp_path, keep):
    for day in range(1, 25):
        keep(result(day, whole=window(ttft=(0.2 if day < 13 else 0.3) * (1 + day % 3 / 500))), day)
    with open_index(tmp_path, None) as index:
        assert len(newest_runs(index, 50, None)) == 24
        series = read_series(index, Wanted("load chat", "time", variant="TTFT p50"))
        assert len(series.points) == 24 and len(analyse(index, series).changes) == 1


def test_another_server_or_model_or_arrival_is_another_series(tmp_path, keep):
    others = [
        {},
        dict(url=AWAY),
        dict(model="n"),
        dict(arrivals="poisson 9/s for 30 s"),
        dict(machine={"name": "gpu-1"}),
    ]
    for number, other in enumerate(others, start=1):
        keep(result(number, **other), number)
    with open_index(tmp_path, None) as index:
        for name in [one["run"] for one in newest_runs(index, 9, None)]:
            assert results_of(index, name)
        series = read_series(index, Wanted("load chat", "time", variant="TTFT p50"))
        assert len(series.points) == 1


def test_a_test_whose_check_failed_or_that_was_interrupted_is_listed_and_no_point(keep):
    for number, other in enumerate((dict(check="fail"), dict(interrupted=True))):
        assert {row["status"] for row in rows(keep(result(1 + number, **other))).values()} == {"rejected"}


def test_an_import_that_names_no_server_has_no_machine(keep):
    entry = read_load_test(keep(result(url="", machine={}, tool="vllm bench serve")))
    assert (entry.run["source"], entry.run["fingerprint"], entry.run["kind"]) == (
        "vllm bench serve",
        "unknown",
        "unknown",
    )


def test_a_damaged_result_is_refused_by_its_name_and_the_others_are_read(tmp_path, keep):
    broken = keep(result())
    (broken / "load.json").write_text("{")
    with pytest.raises(DocumentError, match=broken.name):
        read_load_test(broken)
    good = keep(result(2), 2)
    assert list_load_tests(tmp_path) == [broken, good]
    with open_index(tmp_path, None) as index:
        assert [one["run"] for one in newest_runs(index, 9, None)] == [good.name]
