"""torch.profiler: put around a Python program, or left to a child that marks its own range."""

import json
import sys

from perfproof.core.doctor import Finding
from perfproof.profile.adapters import torch
from perfproof.profile.plans import STEADY, Ran
from perfproof.profile.profiling import capture
from perfproof.profile.python_program import CHILD
from perfproof.profile.reading import read

SCRIPT = """
import sys, torch
for _ in range(5):
    torch.ones(8, 8) @ torch.ones(8, 8)
sys.exit(3)
"""
LIMITED = Finding(name="torch", state="limited")


def test_a_program_is_run_inside_the_recording(work):
    given = work(sys.executable, "-u", "a.py", "--x", preset="deep")
    plan = torch.plan(given, LIMITED)
    assert plan.command == (sys.executable, "-u", str(CHILD), "a.py", "--x")
    wish = json.loads(plan.environment["PERFPROOF_CAPTURE"])
    assert wish == {
        **{"kind": "torch", "output": f"{given.folder}/command", "steady": False},
        **{"shapes": True, "stacks": True, "memory": True, "flops": True},
    }
    assert "stacks" in plan.recorded


def test_minimal_records_shapes_and_nothing_dearer(work):
    wish = json.loads(torch.plan(work("python", "a.py"), LIMITED).environment["PERFPROOF_CAPTURE"])
    assert wish["shapes"] and not any(wish[name] for name in ("stacks", "memory", "flops"))


def test_a_child_of_ours_is_run_as_it_is(work):
    plan = torch.plan(work("child", marked=True), LIMITED)
    assert plan.command == ("child",) and json.loads(plan.environment["PERFPROOF_CAPTURE"])["steady"]


def test_a_real_program_gives_its_operators_and_its_exit_code(warm_python, tmp_path, work):
    (tmp_path / "a.py").write_text(SCRIPT)
    found = capture("torch", work(sys.executable, str(tmp_path / "a.py")), 300.0, lambda *_: None)
    assert (found.status, found.exit_code) == ("failed", 3) and "exited with 3" in found.why
    counted = {one.name: one.launches for one in found.portions}
    assert counted["aten::mm"] == 5 and counted["aten::ones"] == 10
    assert found.main_files == ["command.trace.json.gz"]
    assert STEADY not in read(work().file(".trace.json.gz")).names  # a whole program is more than steady calls


def test_what_is_no_python_is_refused_with_what_to_use(work):
    found = capture("torch", work("sleep", "1"), 10.0, lambda *_: None)
    assert found.status == "denied" and "--tool perf" in found.why


def test_an_interpreter_without_torch_is_said(fake_tool, work):
    program = fake_tool("python3", "import sys; sys.exit(1)")
    assert torch.works(work(program, "a.py")).why == f"{program} has no torch"


def test_a_program_that_left_no_trace_is_a_failure_with_its_last_words(work):
    ran = Ran(1, 1.0, late=False, left=0, out="", err="Traceback\nImportError: no torch\n")
    assert torch.gather(work("python", "a.py"), ran).failed == "no trace was written: ImportError: no torch"
