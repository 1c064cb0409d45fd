"""Lines with unusual operands are found if they take much of the time."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules.operands import KINDS, find
from tests.diagnose.test_sampled import stacks


@pytest.mark.parametrize("kind", KINDS)
def test_unusual_operands_are_named_with_their_line(kind):
    found = find(Evidence(stacks=stacks(f"{kind.mark};main (a.py:9);similar (a.py:3) 800", "main (a.py:9) 200")))
    assert found.title == kind.title and found.confidence == "high" and found.evidence[0].place == "similar (a.py:3)"


def test_lines_that_take_little_are_not_told():
    assert find(Evidence(stacks=stacks(f"{KINDS[0].mark};similar (a.py:3) 200", "main (a.py:9) 800"))) is None


def test_without_stacks_the_rule_abstains():
    assert isinstance(find(Evidence()), Abstained)
