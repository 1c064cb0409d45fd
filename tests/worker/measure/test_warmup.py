"""Warm-up goes on until a body gets no faster, and not for ever. The clock is a fake one: no test depends on speed."""

import pytest

from perfproof.worker.measure import warmup


class Body:
    """Its calls take what `seconds(calls so far)` says, and the fake clock moves with them."""

    def __init__(self, seconds, monkeypatch, clock=lambda sample: None):
        self.seconds, self.clock, self.now, self.taken = seconds, clock, 0.0, []
        monkeypatch.setattr(warmup.time, "perf_counter", lambda: self.now)

    def sample(self, calls):
        each, clock = self.seconds(len(self.taken)), self.clock(len(self.taken))
        self.taken.append(calls)
        self.now += each * calls
        return each, clock


def warm(body, rough=1e-4, sample_seconds=0.002, least=0.0, most=1.0):
    return warmup.warm_up(body.sample, rough, sample_seconds, least=least, most=most)


def test_a_steady_body_is_warm_after_two_windows(monkeypatch):
    body = Body(lambda _: 1e-4, monkeypatch)
    assert warm(body) == 1e-4
    assert body.taken == [20] * 2 * warmup.WINDOW_SAMPLES


def test_a_body_that_gets_faster_is_followed_to_its_plateau(monkeypatch):
    body = Body(lambda sample: max(1e-4, 1e-3 * 0.8**sample), monkeypatch)
    assert warm(body, rough=1e-3) == pytest.approx(1e-4)


def test_the_length_of_a_sample_follows_the_speed(monkeypatch):
    body = Body(lambda _: 1e-5, monkeypatch)
    warm(body, rough=1e-3)
    assert (body.taken[0], body.taken[-1]) == (2, 200)


def test_a_long_call_is_a_window_by_itself(monkeypatch):
    body = Body(lambda _: 0.1, monkeypatch)
    assert warm(body, rough=0.1) == 0.1
    assert body.taken == [1, 1]


def test_a_body_that_gets_faster_for_ever_is_given_up(monkeypatch):
    body = Body(lambda sample: 1e-4 * 0.96 ** (sample // warmup.WINDOW_SAMPLES), monkeypatch)
    warm(body, most=0.5)
    assert 0.5 < body.now < 0.6


def test_windows_that_were_disturbed_do_not_prolong_it(monkeypatch):
    body = Body(lambda sample: 1e-4 * (1.5 if (sample // warmup.WINDOW_SAMPLES) % 2 else 1.0), monkeypatch)
    assert warm(body) == pytest.approx(1e-4)
    assert len(body.taken) == 2 * warmup.WINDOW_SAMPLES


def test_a_device_is_kept_busy_for_as_long_as_its_clocks_take_to_rise(monkeypatch):
    body = Body(lambda _: 1e-4, monkeypatch)
    warm(body, least=warmup.LEAST_ON_GPU, most=warmup.MOST_ON_GPU)
    assert body.now > warmup.LEAST_ON_GPU


def test_a_device_whose_clock_still_moves_is_not_warm(monkeypatch):
    steady = lambda _: 1e-4  # noqa: E731
    body = Body(steady, monkeypatch, clock=lambda sample: 1.98e9 * (1 - 0.02 * max(0, 9 - sample)))
    warm(body)
    moved = len(body.taken)
    still = Body(steady, monkeypatch, clock=lambda sample: 1.98e9)
    warm(still)
    assert moved > len(still.taken) == 2 * warmup.WINDOW_SAMPLES


def test_a_long_call_does_not_wait_for_steady_clocks_and_a_short_one_does(monkeypatch):
    unsteady = [1.8e9, 1.7e9]
    long = Body(lambda _: 0.1, monkeypatch, clock=lambda sample: unsteady[sample % 2])
    warm(long, rough=0.1)
    assert long.taken == [1, 1]
    short = Body(lambda _: 1e-4, monkeypatch, clock=lambda sample: unsteady[sample // warmup.WINDOW_SAMPLES % 2])
    warm(short, most=0.1)
    assert len(short.taken) > 2 * warmup.WINDOW_SAMPLES
