"""A callback for which others wait is named; a loop that waits, or whose callbacks are short, is healthy."""

import pytest

from perfproof.diagnose.diagnose import diagnose
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules import blocked_loop
from perfproof.profile.children.sampling import LATE
from tests.diagnose.test_sampled import stacks


def test_a_call_that_blocks_the_loop_comes_first_with_its_line():
    lines = [f"{LATE};main (app.py:30);asyncio.events:_run;verify (app.py:14) 800", "main (app.py:30);[waits] 200"]
    first = diagnose(Evidence(stacks=stacks(*lines))).findings[0]
    assert first.rule == "blocked_loop" and first.confidence == "high" and first.share == pytest.approx(0.8)
    assert "verify (app.py:14)" in first.evidence[0].text


def test_a_loop_whose_callbacks_are_short_is_not_blocked():
    lines = ["main (app.py:30);asyncio.events:_run;answer (app.py:14) 800", "main (app.py:30);[waits] 200"]
    assert blocked_loop.find(Evidence(stacks=stacks(*lines))) is None
