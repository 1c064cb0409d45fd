"""Calls with the same arguments are found by the mark that sampling puts on them, if they take much of the time."""

from perfproof.core.diagnosis import Abstained
from perfproof.diagnose.diagnose import diagnose
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules.repeated_calls import find
from perfproof.profile.children.sampling import SAME
from tests.diagnose.test_sampled import stacks

AGAIN = f"{SAME}inv;main (a.py:9);whiten (a.py:3);numpy.linalg:inv"
REST = "main (a.py:9);whiten (a.py:4)"


def test_a_call_that_is_made_again_is_named_with_its_line():
    found = find(Evidence(stacks=stacks(f"{AGAIN} 800", f"{REST} 200")))
    assert found.confidence == "high" and found.share == 0.8 and found.title.startswith("inv ")
    assert found.evidence[0].place == "whiten (a.py:3)"


def test_a_call_that_takes_little_is_a_suspicion_and_one_that_takes_less_a_note():
    found = diagnose(Evidence(stacks=stacks(f"{AGAIN} 100", f"{REST} 900"))).findings
    assert [(one.confidence, one.share) for one in found if one.rule == "repeated_calls"] == [("low", 0.1)]
    found = diagnose(Evidence(stacks=stacks(f"{AGAIN} 40", f"{REST} 960")))
    assert "repeated_calls" not in [one.rule for one in found.findings]
    note = (
        "repeated_calls: found 4.0 % (inv is called again with the same arguments), below the 5.0 % that it speaks at"
    )
    assert note in found.warnings
    assert not any("repeated_calls" in one for one in diagnose(Evidence(stacks=stacks(f"{REST} 960"))).warnings)


def test_a_call_that_waits_computes_nothing_again():
    assert find(Evidence(stacks=stacks(f"{AGAIN};[waits] 800", f"{REST} 200"))) is None


def test_a_call_that_looks_at_the_programs_state_is_not_one_to_keep():
    line = f"{SAME}stack;main (a.py:9);note (a.py:3);inspect:stack;inspect:getouterframes"
    found = diagnose(Evidence(stacks=stacks(f"{line};[python] 800", f"{REST} 200"))).findings
    assert found[0].rule == "python_code" and "stack traces" in found[0].title


def test_without_stacks_the_rule_abstains():
    assert isinstance(find(Evidence()), Abstained)


def test_the_same_time_is_not_promised_as_python_code_too():
    found = diagnose(Evidence(stacks=stacks(f"{AGAIN};[python] 800", f"{REST};[python] 200"))).findings
    assert found[0].rule == "repeated_calls" and sum(one.share for one in found) <= 1.01


def test_a_password_that_is_hashed_again_is_no_repeated_call_and_another_hash_is():
    def found(text):
        line = f"{SAME}check;main (a.py:9);check (a.py:3);[runs] {text};hashlib:"
        return find(Evidence(stacks=stacks(f"{line} 800", f"{REST} 200")))

    assert found("hashlib.scrypt(password, salt=salt)") is None
    assert found("hashlib.pbkdf2_hmac('sha256', password, salt, 10**5)") is None
    assert found("hashlib.sha256(text).hexdigest()").share == 0.8
