"""Tests that measure may repeat: what else runs on the machine can spoil one try, and a real fault spoils every try."""

import functools
import traceback
from collections.abc import Callable
from typing import Any

import pytest


def up_to(tries: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Run the body of a test until it passes, at most `tries` times; print the failure of every try that failed.

        @up_to(3)
        def test_half_the_work_is_faster(run_pair): ...

    The test is marked `measuring`: no other kind of test may repeat. The last failure is the test's own. Fixtures are
    set up once, for all tries. A test that is repeated must fail in every try if the code is wrong: an attack that is
    found in one run of two is not found.
    """

    def decorate(test: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(test)
        def repeated(*arguments: Any, **fixtures: Any) -> None:
            for number in range(1, tries):
                try:
                    return test(*arguments, **fixtures)
                except (Exception, pytest.fail.Exception):
                    print(f"try {number} of {tries} failed:\n{traceback.format_exc()}")
            return test(*arguments, **fixtures)

        return pytest.mark.measuring(repeated)

    return decorate
