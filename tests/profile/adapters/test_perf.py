"""The CPU by samples: py-spy for Python, perf elsewhere; of a pair only what lies under its steady calls."""

import sys

import pytest

from perfproof.core.doctor import Finding
from perfproof.core.events import Total
from perfproof.profile.adapters import perf
from perfproof.profile.plans import Ran, Work
from perfproof.profile.profiling import capture
from perfproof.profile.tool_help import Flags

SPY_HELP = """
Options:
  -o, --output <filename>    Output filename
  -f, --format <format>      Output file format
  -r, --rate <rate>          The number of samples to collect per second
"""
STACKS = "main (a.py:1);perfproof_steady (calls.py:9);work (a.py:7) 30\\nmain (a.py:1);load (a.py:2) 70"
RECORDED = f"""
import sys
if "--help" in sys.argv:
    print({SPY_HELP!r})
elif "--version" in sys.argv:
    print("py-spy 0.4.1")
else:
    option = dict(word.split("=", 1) for word in sys.argv if "=" in word)
    WRITE
"""


@pytest.fixture(autouse=True)
def attaching_works(monkeypatch):
    monkeypatch.setattr(perf.ptrace, "probe", lambda: Finding(name="ptrace", state="works"))


def spied(fake_tool, given, write=f"open(option['--output'], 'w').write('{STACKS}')"):
    fake_tool("py-spy", RECORDED.replace("WRITE", write))
    return capture("perf", given, 300.0, lambda *_: None, 0.1)


def test_options_that_this_py_spy_has_not_are_left_out(work):
    plan = perf.spy_plan(work("python", "a.py", preset="deep"), "py-spy", perf.read_names(SPY_HELP, "py-spy"))
    assert plan.command[:2] == ("py-spy", "record") and plan.command[-3:] == ("--", "python", "a.py")
    assert [one.argument for one in plan.dropped] == ["--subprocesses", "--native"]


def test_a_help_that_cannot_be_read_drops_nothing(work):
    flags = perf.read_names("", "py-spy")
    assert flags.unknown and "--subprocesses" in perf.spy_plan(work("python", "a.py"), "py-spy", flags).command


def test_perf_counts_the_software_clock_where_there_are_no_cycles(work):
    flags = perf.read_names("    -o, --output <file>\n        --event <event>\n", "perf")
    assert "--event=cpu-clock" in perf.perf_plan(work("./app"), "perf", flags, hardware=False).command
    assert "--event=cycles" in perf.perf_plan(work("./app"), "perf", flags, hardware=True).command


def test_of_a_command_every_sample_counts(fake_tool, work):
    found = spied(fake_tool, work(sys.executable, "a.py"))
    assert found.status == "ok", found.why
    assert [(one.name, one.launches) for one in found.portions] == [("load (a.py:2)", 70), ("work (a.py:7)", 30)]
    assert found.portions[0].seconds == pytest.approx(0.7)  # 70 samples, 100 a second
    assert found.exit_code is None and "py-spy" in found.unknown["exit code"]
    assert found.main_files == ["command.speedscope.json"]


def test_of_a_pair_only_the_steady_calls_count(fake_tool, work):
    given = work("child", marked=True)
    found = spied(fake_tool, given)
    assert [(one.name, one.launches) for one in found.portions] == [("work (a.py:7)", 30)]
    assert given.file(".stacks.txt").read_text() == "perfproof_steady (calls.py:9);work (a.py:7) 30\n"


def test_a_pair_without_a_steady_sample_is_a_failure():
    assert perf.steady([Total(("main", "load"), {"samples": 3.0})]) == []


def test_one_that_may_not_look_is_denied(fake_tool, work):
    refusal = "sys.exit('Error: Permission Denied: Try running again with elevated permissions')"
    found = spied(fake_tool, work(sys.executable, "a.py"), refusal)
    assert found.status == "denied" and "ptrace_scope" in found.fix


def test_an_empty_recording_is_a_failure(work):
    ran = Ran(0, 1.0, late=False, left=0, out="", err="no samples were taken\n")
    assert perf.gather(work("python", "a.py"), ran).failed == "no samples: no samples were taken"


def test_without_py_spy_a_pair_cannot_be_sampled(monkeypatch, work):
    monkeypatch.setattr(perf, "find_tool", lambda name: None)
    found = perf.works(work("child", marked=True))
    assert (found.state, found.fix) == ("absent", "pip install py-spy")


def test_a_running_process_is_attached_to_for_a_time(tmp_path):
    attached = Work(("python", "serve.py"), tmp_path, "minimal", pid=41, seconds=2.5)
    spy = perf.spy_plan(attached, "py-spy", Flags("py-spy", frozenset(["--output", "--pid", "--duration", "--rate"])))
    assert "--pid=41" in spy.command and "--duration=3" in spy.command and "serve.py" not in spy.command
    native = perf.perf_plan(attached, "perf", Flags("perf", frozenset(["--output"])), hardware=False)
    assert native.command[-4:] == ("--pid=41", "--", "sleep", "2.5")
