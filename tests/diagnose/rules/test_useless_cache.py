"""A cache that hardly ever has the answer is found by the mark that sampling puts on its function."""

from perfproof.core.diagnosis import Abstained
from perfproof.diagnose.diagnose import diagnose
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules.useless_cache import find
from perfproof.profile.children.cache_misses import MISSES, TOO_SMALL
from tests.diagnose.test_sampled import stacks

CALL = "main (a.py:9);encode (a.py:3);merge (a.py:7);[python]"
REST = "main (a.py:12);[python]"


def test_the_samples_before_the_mark_count_too():
    found = find(Evidence(stacks=stacks(f"{MISSES}encode;{CALL} 300", f"{CALL} 500", f"{REST} 200")))
    assert found.confidence == "high" and found.share == 0.8
    assert found.title.startswith("the cache of encode") and found.evidence[0].place == "encode (a.py:3)"


def test_a_cache_that_is_too_small_has_another_remedy():
    small = find(Evidence(stacks=stacks(f"{TOO_SMALL}encode;{CALL} 800", f"{REST} 200")))
    assert "maxsize" in small.advice and "forgotten" in small.evidence[0].text


def test_a_function_that_takes_little_and_one_without_a_mark_are_not_told():
    assert find(Evidence(stacks=stacks(f"{MISSES}encode;{CALL} 100", f"{REST} 900"))) is None
    assert find(Evidence(stacks=stacks(f"{CALL} 800", f"{REST} 200"))) is None


def test_without_stacks_the_rule_abstains():
    assert isinstance(find(Evidence()), Abstained)


def test_the_same_time_is_not_promised_as_python_code_too():
    found = diagnose(Evidence(stacks=stacks(f"{MISSES}encode;{CALL} 800", f"{REST} 200"))).findings
    assert found[0].rule == "useless_cache" and sum(one.share for one in found) <= 1.01
