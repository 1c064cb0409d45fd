"""Records are written when their requests end, so a search or a comparison that is killed keeps them."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from perfproof.app import load, load_against
from perfproof.app.load import Asked
from perfproof.core.documents import Check
from perfproof.core.load import SloResult, SloStep
from perfproof.load.arrivals import Arrivals
from perfproof.load.http_client import parse_address
from perfproof.load.profile import fixed
from perfproof.load.record import Record
from perfproof.load.record_file import read_records
from perfproof.load.session import Measured, Plan
from perfproof.load.slo import parse_slo
from perfproof.load.workload import Service


class Killed(Exception):
    """Stands for the end of the process."""


class Runs:
    """In place of `run_plan`: every run keeps three records; the one after `before` runs dies in the middle."""

    def __init__(self, before: int):
        self.left = before

    def __call__(self, plan, keep, watch=None) -> Measured:
        found = Measured()
        for index in range(3):
            record = Record(index, index / 10, sent=index / 10, outcome="ok", end=index / 10 + 0.05)
            record.times, record.tokens = [index / 10 + 0.05], [1]
            record.first_token = record.last_token = record.times[0]
            found.records.append(record)
            keep(record)
            if self.left == 0 and index == 1:
                raise Killed
        self.left -= 1
        return found


@pytest.fixture
def plan(monkeypatch):
    def made(asked, url, stack, say):
        service = Service(parse_address("127.0.0.1:1"), "m")
        return Plan(service, fixed(8, 4), asked.seconds, 1, "salt", arrivals=asked.arrivals)

    for module in (load, load_against):
        monkeypatch.setattr(module, "_plan", made)


def records_in(folder):
    (path,) = folder.glob("*/requests.jsonl")
    _, records, wrong = read_records(path)
    assert not wrong
    return [record.intended for record in records]


def test_a_search_that_is_killed_keeps_its_steps_one_after_the_other(plan, monkeypatch, tmp_path):
    monkeypatch.setattr(load, "run_plan", Runs(before=1))
    asked = Asked(
        "u", arrivals=Arrivals("poisson", (2.0,)), slo=tuple(parse_slo("ttft<1s")), artifacts_dir=str(tmp_path)
    )
    with pytest.raises(Killed):
        load.run_load(asked, lambda text: None)
    times = records_in(tmp_path)
    assert len(times) == 5 and times == sorted(times)


def test_a_comparison_that_is_killed_keeps_its_blocks_and_not_the_warm_up(plan, monkeypatch, tmp_path):
    monkeypatch.setattr(load_against, "run_plan", Runs(before=4))  # two warm up
    asked = Asked("u", arrivals=Arrivals("poisson", (2.0,)), against="v", seconds=8.0, artifacts_dir=str(tmp_path))
    with pytest.raises(Killed):
        load_against.run_against(asked, lambda text: None)
    times = records_in(tmp_path)
    assert len(times) == 3 + 3 + 2 and times == sorted(times)


SEARCH = {5.0: "meets", 10.0: "meets", 14.0: "open", 20.0: "misses", 22.0: "meets"}


def slo_result(verdicts):
    step = {"seconds": 1.0, "requests": 9, "shares": [1.0], "request_goodput": 1.0, "token_goodput": 1.0}
    steps = [SloStep(rate=rate, verdict=one, output_tokens_per_second=1.0, **step) for rate, one in verdicts.items()]
    return SloResult(terms=parse_slo("ttft_p90<300ms"), sentence="12 req/s [11, 13]", steps=steps)


@pytest.mark.parametrize(
    ("failed", "said"),
    [
        ([], "12 req/s [11, 13]"),
        (
            ["client lag"],
            "at least 10 req/s of this traffic within ttft_p90<300ms; 20 req/s missed it and 22 met it",
        ),
        (["client lag", "errors"], ""),
        (["errors"], ""),
    ],
)
def test_a_late_client_leaves_a_search_its_lower_bound(failed, said):
    checks = [Check(name=name, result="fail", detail="99 % within 13 ms") for name in failed]
    found = SimpleNamespace(checks=checks, slo=slo_result(SEARCH), cost=None, energy=None)
    assert load.headline(found).startswith(said) and bool(load.headline(found)) == bool(said)


def test_a_search_says_what_it_does_and_how_long_it_takes(plan, monkeypatch, tmp_path):
    monkeypatch.setattr(load, "run_plan", Runs(before=0))
    said = []
    asked = Asked("x", arrivals=Arrivals("poisson", (1.0,)), seconds=8, slo=tuple(parse_slo("ttft_p90<1s")))
    with pytest.raises(Killed):
        load.run_load(replace(asked, artifacts_dir=str(tmp_path)), said.append)
    assert "a search from 1 req/s on, poisson arrivals, steps of 8 to 32 s" in said[0] and "about 3 min" in said[1]
