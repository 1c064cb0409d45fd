"""The line with most of the time is told, as low, if no cause is known."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.diagnose.diagnose import diagnose
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules.busiest_line import ADVICE, find
from perfproof.profile.children.running_text import RUNS
from tests.diagnose.test_sampled import stacks


def at(text):
    return Evidence(stacks=stacks(f"main (a.py:9);fit (a.py:3);{RUNS}{text};numpy.linalg:run 900", "main (a.py:9) 100"))


def test_the_line_is_named_with_what_runs_of_it():
    found = find(at("a @ b"))
    assert (
        found.confidence == "low" and found.advice == ADVICE and "fit (a.py:3) 90 % `a @ b`" in found.evidence[0].text
    )


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("np.linalg.svd(x)", "full_matrices=False"),
        ("np.linalg.svd(x, full_matrices=False)", "leading"),
        ("np.convolve(wave, response)", "fftconvolve"),
        ("rng.choice(n, 5, p=noise)", "cumulative"),
        ("x.sort()", "top"),
    ],
)
def test_calls_that_often_have_a_cheaper_form_have_a_hint(text, hint):
    assert hint in find(at(text)).advice


def test_time_in_many_lines_is_no_finding():
    assert find(Evidence(stacks=stacks(*(f"main (a.py:{line}) 100" for line in range(1, 11))))) is None


def test_a_known_cause_makes_it_go_without_saying():
    found = diagnose(Evidence(stacks=stacks("main (a.py:9);json:loads 900", "main (a.py:10) 100"))).findings
    assert [one.rule for one in found] == ["python_code"]


def test_without_stacks_the_rule_abstains():
    assert isinstance(find(Evidence()), Abstained)
