"""Each check fails for what it is there to find, and passes an honest test that looks alike."""

from dataclasses import replace

import pytest

from perfproof.load import checks
from perfproof.load.checks import Around
from perfproof.load.record import Record


def record(index, at=None, **fields):
    at = index / 10 if at is None else at
    values = {"sent": at, "first_token": at + 0.1, "last_token": at + 0.5, "end": at + 0.5, "outcome": "ok"}
    values |= {"output_tokens": 9, "prompt_tokens": 100, "cached_tokens": 0, "asked_prompt": 100}
    values |= {"times": [at + 0.05 * n for n in range(2, 11)], "tokens": [1] * 9, "tokens_by": "one per event"}
    return Record(index, at, at, **(values | fields))


def honest(count=200, **fields):
    return [record(index, **fields) for index in range(count)]


def at_once(index):
    """An answer that a proxy held back until it was complete."""
    return record(index, first_token=index / 10 + 0.5, times=[index / 10 + 0.5] * 9)


AROUND = Around(asked_rate=10.0, cpu_share=0.2, steady=(0.0, 20.0), throttled="")


def results(records, around=AROUND):
    return {one.name: one.result for one in checks.check_all(records, around)}


def test_an_honest_test_passes_every_check():
    assert set(results(honest()).values()) == {"pass"}


@pytest.mark.parametrize(
    ("name", "records", "around"),
    [
        ("client lag", [record(n, sent=n / 10 + 0.02) for n in range(200)], {}),
        ("client saturation", honest(), {"cpu_share": 0.95}),
        ("client saturation", honest(), {"clean_events": 20.0}),
        ("arrivals", honest(), {"asked_rate": 20.0}),
        ("prefix cache", honest(cached_tokens=30), {}),
        ("token accounting", honest(output_tokens=3), {}),
        ("token accounting", [record(n, output_tokens=None if n % 10 == 0 else 9) for n in range(200)], {}),
        ("errors", [record(n, outcome="error" if n % 20 == 0 else "ok") for n in range(200)], {}),
        ("errors", [record(n, resent=n % 20 == 0) for n in range(200)], {}),
        ("errors", [], {}),
        ("streaming", [at_once(n) for n in range(200)], {}),
        ("streaming", [at_once(n) if n % 4 == 0 else record(n) for n in range(200)], {}),
        ("drift", [record(n, last_token=n / 10 + 0.5 + n / 50) for n in range(200)], {}),
        ("throttled GPU", honest(), {"throttled": "heat"}),
    ],
)
def test_a_check_fails_for_what_it_is_there_to_find(name, records, around):
    fields = {key: getattr(AROUND, key) for key in ("asked_rate", "cpu_share", "steady", "throttled")} | around
    assert results(records, Around(**fields))[name] == "fail"


def test_an_answer_that_came_in_one_piece_now_and_then_is_no_fault():
    assert results([at_once(n) if n == 7 else record(n) for n in range(200)])["streaming"] == "pass"


def test_one_token_at_once_is_no_answer_that_was_held_back():
    short = {"output_tokens": 1, "tokens": [1]}
    records = [record(n, last_token=n / 10 + 0.1, times=[n / 10 + 0.1], **short) for n in range(200)]
    assert results(records)["streaming"] == "not-run"


def test_a_rate_that_missed_its_limit_may_refuse_requests_and_others_may_not():
    refused = [record(n, outcome="error" if n >= 100 else "ok") for n in range(200)]
    assert results(refused, replace(AROUND, missed=[(10.0, 20.0)]))["errors"] == "pass"
    assert results(refused, replace(AROUND, missed=[(0.0, 10.0)]))["errors"] == "fail"
    assert results(refused, replace(AROUND, missed=[(0.0, 20.0)]))["errors"] == "not-run"


def test_a_kept_connection_that_was_closed_now_and_then_is_no_fault():
    assert results([record(n, resent=n == 7) for n in range(200)])["errors"] == "pass"


def test_a_wait_for_a_cap_and_declared_sharing_are_no_faults():
    waited = [record(n, sent=n / 10 + 2) for n in range(200)]
    for one in waited:
        one.released = one.sent
    assert results(waited)["client lag"] == "pass"
    assert results(honest(cached_tokens=30, shared=30))["prefix cache"] == "pass"


def test_what_cannot_be_known_is_not_run_and_never_passes():
    blind = honest(output_tokens=None, cached_tokens=None)
    found = results(blind, Around(asked_rate=None, steady=None))
    for name in ("client saturation", "arrivals", "prefix cache", "token accounting", "drift", "throttled GPU"):
        assert found[name] == "not-run", name
    assert results(blind, Around(cache_counters=(1000.0, 400.0)))["prefix cache"] == "fail"
