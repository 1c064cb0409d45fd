"""Records are written when their requests end, so a search or a comparison that is killed keeps them."""

from dataclasses import replace

import pytest

from perfproof.app.load import against, run, search
from perfproof.app.load.asked import Asked
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

    for module in (run, against):
        monkeypatch.setattr(module, "make_plan", made)


def records_in(folder):
    (path,) = folder.glob("*/requests.jsonl")
    _, records, wrong = read_records(path)
    assert not wrong
    return [record.intended for record in records]


def test_a_search_that_is_killed_keeps_its_steps_one_after_the_other(plan, monkeypatch, tmp_path):
    monkeypatch.setattr(search, "run_plan", Runs(before=1))
    asked = Asked(
        "u", arrivals=Arrivals("poisson", (2.0,)), slo=tuple(parse_slo("ttft<1s")), artifacts_dir=str(tmp_path)
    )
    with pytest.raises(Killed):
        run.run_load(asked, lambda text: None)
    times = records_in(tmp_path)
    assert len(times) == 5 and times == sorted(times)


def test_a_comparison_that_is_killed_keeps_its_blocks_and_not_the_warm_up(plan, monkeypatch, tmp_path):
    monkeypatch.setattr(against, "run_plan", Runs(before=4))  # two warm up
    asked = Asked("u", arrivals=Arrivals("poisson", (2.0,)), against="v", seconds=8.0, artifacts_dir=str(tmp_path))
    with pytest.raises(Killed):
        against.run_against(asked, lambda text: None)
    times = records_in(tmp_path)
    assert len(times) == 3 + 3 + 2 and times == sorted(times)


def test_a_search_says_what_it_does_and_how_long_it_takes(plan, monkeypatch, tmp_path):
    monkeypatch.setattr(search, "run_plan", Runs(before=0))
    said = []
    asked = Asked("x", arrivals=Arrivals("poisson", (1.0,)), seconds=8, slo=tuple(parse_slo("ttft_p90<1s")))
    with pytest.raises(Killed):
        run.run_load(replace(asked, artifacts_dir=str(tmp_path)), said.append)
    assert "a search from 1 req/s on, poisson arrivals, steps of 8 to 32 s" in said[0] and "about 3 min" in said[1]
