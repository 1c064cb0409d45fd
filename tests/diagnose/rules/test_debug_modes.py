"""A debug mode that was on comes first; a program without one is healthy."""

from perfproof.core.diagnosis import Abstained
from perfproof.core.events import Events
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules.debug_modes import find


def judged(modes):
    events = Events("kineto")
    events.about["perfproof_debug_modes"] = modes
    return find(Evidence(tables=[("trace.json", events)]))


def test_a_mode_that_is_on_is_named_and_makes_times_doubtful():
    found = judged(["torch.autograd.set_detect_anomaly"])
    assert "anomaly" in found.evidence[0].text and found.poisons == "durations"


def test_no_mode_is_healthy_and_without_a_note_the_rule_abstains():
    assert judged([]) is None
    assert isinstance(judged(None), Abstained)
