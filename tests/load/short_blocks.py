"""Blocks of two servers as many requests long as asked for, in a quarter of the time."""

from dataclasses import replace

import pytest

from perfproof.app.load import against

FASTER = 4


def shorten_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests of what a comparison of two servers does: nothing but the clock needs its seconds."""
    block = against.block_plan

    def shorter(plan, seconds, number, salt):
        arrivals = plan.arrivals and replace(plan.arrivals, rates=tuple(FASTER * rate for rate in plan.arrivals.rates))
        return block(replace(plan, arrivals=arrivals), seconds / FASTER, number, salt)

    monkeypatch.setattr(against, "block_plan", shorter)
