"""Steps of SciPy's explicit solvers are told from those of others, and short ones from those that the error sets."""

import sys

import pytest

from perfproof.profile.children.short_steps import EXPLICIT, SHORT, ShortSteps

ivp = pytest.importorskip("scipy.integrate")


def frames():
    found, frame = [], sys._getframe(1)
    while frame is not None:
        found.append(frame)
        frame = frame.f_back
    return found[::-1]


def marks(derivative, start, end, **options):
    """How many looks from inside of the right-hand side had which marks."""
    found, known = [], ShortSteps()

    def looked(time, value):
        found.extend(known.mark(frames()) or ["none"])
        return derivative(time, value)

    ivp.solve_ivp(looked, (0, end), start, **options)
    return found


def fast_and_slow(_, value):
    return [-2000.0 * (value[0] - 1.0), -0.1 * value[1]]


def oscillator(_, value):
    return [value[1], -value[0]]


def share_of(found, name):
    return sum(one.startswith(name) for one in found) / sum(one.startswith(EXPLICIT) for one in found)


@pytest.mark.parametrize("method", ["RK45", "RK23", "DOP853"])
def test_stiff_equations_make_steps_short(method):
    found = marks(fast_and_slow, [1.5, 1.0], 1.0, method=method)
    assert f"{EXPLICIT}{method}" in found and share_of(found, SHORT) > 0.5


@pytest.mark.parametrize("tolerance", [1e-3, 1e-8])
def test_equations_whose_error_sets_the_step_do_not(tolerance):
    assert share_of(marks(oscillator, [1.0, 0.0], 30.0, rtol=tolerance, atol=tolerance), SHORT) < 0.1


def ends_of_steps(derivative, start, end, **options):
    """The marks while the error of a step is estimated, when all of its derivatives are known."""
    found, known = [], ShortSteps()

    def entered(frame, event, _):
        if event == "call" and frame.f_code.co_name == "_estimate_error_norm":
            found.extend(known.mark([*frames(), frame]))
        return None

    sys.settrace(entered)
    try:
        ivp.solve_ivp(derivative, (0, end), start, **options)
    finally:
        sys.settrace(None)
    return found


@pytest.mark.parametrize("method", ["RK45", "DOP853"])
@pytest.mark.parametrize("tolerance", [1e-3, 1e-6, 1e-9])
def test_stiff_equations_are_told_at_any_tolerance(method, tolerance):
    found = ends_of_steps(fast_and_slow, [1.5, 1.0], 1.0, method=method, rtol=tolerance, atol=tolerance / 1000)
    assert share_of(found, SHORT) > 0.5


@pytest.mark.parametrize("method", ["RK45", "DOP853", "RK23"])
@pytest.mark.parametrize("tolerance", [1e-3, 1e-6, 1e-9])
def test_others_are_not(method, tolerance):
    found = ends_of_steps(oscillator, [1.0, 0.0], 10.0, method=method, rtol=tolerance, atol=tolerance / 1000)
    assert share_of(found, SHORT) < 0.3


def test_what_was_seen_at_the_end_of_a_step_holds_for_the_looks_within_the_next_one():
    known, found = ShortSteps(), []

    def entered(frame, event, _):
        if event == "call" and frame.f_code.co_name == "_estimate_error_norm":
            known.mark([*frames(), frame])
        if event == "call" and frame.f_code.co_name == "fast_and_slow":
            found.extend(known.mark([*frames(), frame]))
        return None

    sys.settrace(entered)
    try:
        ivp.solve_ivp(fast_and_slow, (0, 1), [1.5, 1.0], rtol=1e-6, atol=1e-9)
    finally:
        sys.settrace(None)
    assert share_of(found, SHORT) > 0.5


def test_an_implicit_solver_is_not_looked_at():
    assert set(marks(fast_and_slow, [1.5, 1.0], 1.0, method="BDF")) == {"none"}
