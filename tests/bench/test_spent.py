"""Where the seconds of a target go."""

import time

import pytest

from perfproof.bench import spent
from perfproof.worker.target import Target


@pytest.fixture(autouse=True)
def nothing_before():
    spent.take()


def test_seconds_are_added_up_by_what_they_went_into_and_taken_once(monkeypatch):
    clock = iter([0.0, 1.0, 1.0, 4.0, 4.0, 4.5])
    monkeypatch.setattr(time, "perf_counter", lambda: next(clock))
    for command in ("plan", "run", "draw"):
        with spent.on(command):
            pass
    assert spent.take() == {"samples": 3.0, "drawing values": 1.5}
    assert spent.take() == {}


def test_what_fails_took_its_time_too():
    with pytest.raises(ValueError), spent.on("verify"):
        raise ValueError
    assert list(spent.take()) == ["verification"]


def test_every_command_that_a_run_asks_for_has_words():
    asked = {name for name in vars(Target) if not name.startswith("_") and callable(getattr(Target, name))}
    assert asked - {"warm", "close"} == set(spent.WORDS)
