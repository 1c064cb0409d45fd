"""Warm-up ends on a plateau, and not before."""

from perfproof.measure.warmup import warm_up


def test_it_goes_on_while_samples_get_faster():
    speeds = iter([8.0, 8.0, 8.0, 4.0, 4.0, 4.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0] + [2.0] * 50)
    asked = []

    def sample(calls):
        asked.append(calls)
        return next(speeds) * 1e-3

    assert warm_up(sample, 16e-3, 0.1, least=0.0, most=60.0) == 2e-3
    assert len(asked) == 12, "two windows in a row agree at 2 ms"


def test_it_ends_at_the_limit():
    times = iter(1.0 / 1.5**n for n in range(1000))
    assert warm_up(lambda calls: next(times), 2.0, 0.001, least=0.0, most=0.0) > 0
