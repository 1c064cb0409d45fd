"""The interpreter's lock: py-spy is asked for those who hold it, in a file that the rule knows by its name."""

import sys

import pytest

from perfproof.core.doctor import Finding
from perfproof.diagnose.evidence import gather
from perfproof.diagnose.rules import gil_bound
from perfproof.profile.adapters import gil, perf
from perfproof.profile.profiling import capture

HELP = """
Options:
  -o, --output <filename>    Output filename
  -f, --format <format>      Output file format
  -r, --rate <rate>          The number of samples to collect per second
  -g, --gil                  Only include traces that are holding on to the GIL
  -t, --threads              Show thread ids in the output
"""
STACKS = "thread (1): MainThread;step (a.py:1) 10\\nthread (2): feeder;decode (a.py:7) 90"
SPY = f"""
import sys
if "--help" in sys.argv:
    print({HELP!r})
elif "--version" in sys.argv:
    print("py-spy 0.4.1")
elif "--gil" in sys.argv and "--threads" in sys.argv:
    option = dict(word.split("=", 1) for word in sys.argv if "=" in word)
    open(option["--output"], "w").write("{STACKS}")
"""


@pytest.fixture(autouse=True)
def attaching_works(monkeypatch):
    monkeypatch.setattr(perf.ptrace, "probe", lambda: Finding(name="ptrace", state="works"))


def test_who_holds_the_lock_is_recorded_and_the_rule_names_it(fake_tool, work):
    fake_tool("py-spy", SPY)
    given = work(sys.executable, "a.py")
    found = capture("gil", given, 300.0, lambda *_: None)
    assert (found.status, found.main_files) == ("ok", ["command.gil.txt"]), found.why
    finding = gil_bound.find(gather([given.folder / name for name in found.main_files]))
    assert finding.rule == "gil_bound" and "'feeder'" in finding.title


def test_a_program_in_which_nobody_held_it_is_a_failure_that_says_so(fake_tool, work):
    fake_tool("py-spy", SPY.replace("--threads", "--never"))
    found = capture("gil", work(sys.executable, "a.py"), 300.0, lambda *_: None)
    assert found.status == "failed" and found.why.startswith("no samples")


def test_pairs_and_other_programs_have_no_such_lock(work, monkeypatch):
    monkeypatch.setattr(gil, "find_tool", lambda name: None)
    assert gil.works(work("child", marked=True)).state == "denied"
    assert gil.works(work("make", "all")).state == "denied"
    assert gil.works(work("python", "a.py")).fix == "pip install py-spy"
