"""A matrix that is factorised again and again is found by the mark that sampling puts on its solver."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.diagnose.diagnose import diagnose
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules.same_matrix import find
from perfproof.profile.children.same_matrix import MARK
from tests.diagnose.test_sampled import stacks

SOLVE = "step (a.py:7);scipy.sparse.linalg:spsolve"
REST = "main (a.py:12);[python]"


@pytest.mark.parametrize(("share", "confidence"), [(800, "high"), (300, "medium"), (100, None)])
def test_its_share_decides_how_sure_it_is(share, confidence):
    found = find(Evidence(stacks=stacks(f"{MARK}spsolve;{SOLVE} {share}", f"{REST} {1000 - share}")))
    assert (found and found.confidence) == confidence


def test_the_line_and_the_way_out_are_named():
    found = find(Evidence(stacks=stacks(f"{MARK}spsolve;{SOLVE} 800", f"{REST} 200")))
    assert found.title.startswith("spsolve") and found.evidence[0].place == "step (a.py:7)" and "splu" in found.advice


def test_other_matrices_are_no_finding_and_without_stacks_the_rule_abstains():
    assert find(Evidence(stacks=stacks(f"{SOLVE} 800", f"{REST} 200"))) is None
    assert isinstance(find(Evidence()), Abstained)


def test_it_comes_before_what_the_same_time_is_otherwise():
    found = diagnose(Evidence(stacks=stacks(f"{MARK}spsolve;{SOLVE} 800", f"{REST} 200"))).findings
    assert found[0].rule == "same_matrix" and sum(one.share for one in found if one.confidence != "low") <= 1.01
