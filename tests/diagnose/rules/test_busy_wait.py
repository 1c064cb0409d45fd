"""A thread that asks again and again is named with its loop; one that does so for a moment is not."""

from perfproof.core.diagnosis import Abstained
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules.busy_wait import find
from perfproof.profile.children.spinning import SPINS
from tests.diagnose.test_sampled import stacks

SPIN = f"{SPINS}drain (a.py:5);drain (a.py:5);[runs] while True:"


def found(*lines):
    return find(Evidence(stacks=stacks(*lines)))


def test_a_thread_that_takes_the_lock_from_others_is_named_with_its_loop():
    said = found("main (a.py:9) 900", f"thread:writer;{SPIN} 700", "thread:writer;write (a.py:7) 100")
    assert said.confidence == "high" and said.evidence[0].place == "drain (a.py:5)"
    assert "'writer'" in said.evidence[0].text and said.share < 0.5


def test_a_program_that_waits_so_for_another_process_is_told_with_less_certainty():
    assert found(f"{SPIN} 900", "main (a.py:9) 100").confidence == "medium"


def test_questions_of_a_moment_and_waits_are_not_told():
    assert found("main (a.py:9) 900", f"thread:writer;{SPIN} 100") is None
    assert found("main (a.py:9) 900", f"thread:writer;{SPIN} 300", "thread:writer;write (a.py:7) 600") is None
    assert found("main (a.py:9) 900", f"thread:writer;{SPIN};[waits] 900") is None


def test_without_stacks_the_rule_abstains():
    assert isinstance(find(Evidence()), Abstained)
