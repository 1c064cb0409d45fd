"""A test that measures is repeated as often as it says, and no further; `make test` runs it in the second pass."""

import pytest

from tests.repeating import up_to


@pytest.fixture
def body():
    """A test that fails `failures` times: body(2) gives it and the list of its calls."""

    def make(failures, raised=AssertionError):
        calls = []

        def test(value):
            calls.append(value)
            if len(calls) <= failures:
                raise raised(f"failure {len(calls)}")

        return test, calls

    return make


@pytest.mark.parametrize(("failures", "called"), [(0, 1), (1, 2), (2, 3)])
def test_it_is_repeated_until_it_passes(body, failures, called, capsys):
    test, calls = body(failures)
    up_to(3)(test)(value=7)
    assert calls == [7] * called
    out = capsys.readouterr().out
    assert [f"try {number} of 3 failed" in out for number in (1, 2, 3)] == [failures > 0, failures > 1, False]
    assert all(f"failure {number}" in out for number in range(1, failures + 1))


@pytest.mark.parametrize("raised", [AssertionError, OSError, pytest.fail.Exception])
def test_the_last_failure_is_the_test_s_own(body, raised):
    test, calls = body(9, raised)
    with pytest.raises(raised, match="failure 3"):
        up_to(3)(test)(value=7)
    assert len(calls) == 3


def test_a_skip_and_ctrl_c_end_it_at_once(body):
    for raised in (pytest.skip.Exception, KeyboardInterrupt):
        test, calls = body(9, raised)
        with pytest.raises(raised):
            up_to(3)(test)(value=7)
        assert len(calls) == 1


def test_it_is_marked_and_keeps_its_name_and_fixtures(body):
    marked = up_to(2)(body(0)[0])
    assert [mark.name for mark in marked.pytestmark] == ["measuring"]
    assert marked.__name__ == "test" and marked.__wrapped__.__code__.co_varnames[:1] == ("value",)
