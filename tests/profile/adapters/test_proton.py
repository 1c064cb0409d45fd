"""Proton: it starts on a GPU only, and its tree is read."""

import json

from perfproof.core.doctor import Finding
from perfproof.machine.probes import proton as probed
from perfproof.profile.adapters import proton
from perfproof.profile.plans import Ran
from perfproof.profile.portions import portions

RAN = Ran(1, 1.0, late=False, left=0, out="", err="0 active drivers\n")
TREE = [
    {
        "frame": {"name": "ROOT"},
        "metrics": {},
        "children": [{"frame": {"name": "rmsnorm_row"}, "metrics": {"time (ns)": 500, "count": 2}, "children": []}],
    }
]


def test_without_a_gpu_it_is_absent_and_says_what_to_use(monkeypatch, work):
    limited = Finding(name="proton", state="limited", why="there is no GPU: it starts on a GPU only")
    monkeypatch.setattr(probed, "probe", lambda: limited)
    found = proton.works(work("python", "a.py"))
    assert found.state == "absent" and found.fix == "perfproof profile --tool torch"


def test_with_one_it_needs_a_python_program(monkeypatch, work):
    monkeypatch.setattr(probed, "probe", lambda: Finding(name="proton", state="works"))
    assert proton.works(work("python", "a.py")).state == "works"
    assert proton.works(work("./app")).state == "denied"


def test_it_records_from_inside(work):
    plan = proton.plan(work("child", marked=True), Finding(name="proton", state="works"))
    assert json.loads(plan.environment["PERFPROOF_CAPTURE"])["kind"] == "proton"


def test_its_tree_becomes_portions(work):
    given = work("child", marked=True)
    given.file(".hatchet").write_text(json.dumps(TREE))
    found = portions(proton.gather(given, RAN).events)
    assert [(one.name, one.launches) for one in found] == [("rmsnorm_row", 2)]
    assert round(found[0].seconds * 1e9) == 500


def test_no_tree_is_a_failure_with_its_last_words(work):
    assert proton.gather(work("child"), RAN).failed == "no tree was written: 0 active drivers"
