"""The compiler's log of any command: gathered, read, and none means none."""

import json
import sys

from perfproof.core.doctor import Finding
from perfproof.profile.adapters import compile as compiler
from perfproof.profile.profiling import capture

LOGGED = (
    "V1115 10:30:01.000000 1 torch/_dynamo/symbolic_convert.py:1] [0/0] [__graph_breaks] Graph break in user code "
    "at a.py:4\\nV1115 10:30:01.000000 1 torch/_dynamo/symbolic_convert.py:1] [0/0] [__graph_breaks] Graph Break "
    "Reason: Unsupported: builtin: print"
)


def run(work, code):
    return capture("compile", work("env", sys.executable, "-c", code), 300.0, lambda *_: None)


def test_the_variables_of_torch_are_set_and_its_files_kept(work):
    code = (
        "import os; print(os.environ['TORCH_LOGS']); os.makedirs(os.environ['TORCH_TRACE']);"
        "open(os.environ['TORCH_TRACE'] + '/trace.log', 'w').write('')"
    )
    found = run(work, code)
    assert found.status == "ok", found.why
    assert "graph_breaks" in (work().folder / "command.stdout").read_text()
    assert "command-torch-trace/trace.log" in [one.name for one in found.files]
    assert found.main_files == ["command-torch-trace/trace.log"]  # the log is empty, which proves nothing by itself


def test_a_program_that_compiles_nothing_says_so(work):
    found = run(work, "print(1)")
    assert found.status == "ok" and found.found["events"] == []
    assert "torch.compile was not reached" in found.notes[0]


def test_what_was_logged_is_read(work):
    found = run(work, f"import sys; print('{LOGGED}', file=sys.stderr)")
    assert [event["kind"] for event in found.found["events"]] == ["graph break"]
    assert found.main_files == ["command.stderr"]


def test_a_program_that_fails_before_it_compiles_is_a_failure(work):
    found = run(work, "raise SystemExit('no such data')")
    assert (found.status, found.why) == ("failed", "nothing was compiled: no such data")


def test_a_python_program_is_watched_for_its_first_batches_and_any_other_is_not(work):
    found = Finding(name="compile", state="works")
    watched = compiler.plan(work("python", "train.py", "--lr", "1"), found)
    assert watched.command[-3:] == ("train.py", "--lr", "1") and watched.command[1].endswith("python_command.py")
    assert json.loads(watched.environment["PERFPROOF_CAPTURE"]) == {"kind": "warm"}
    plain = compiler.plan(work("torchrun", "train.py"), found)
    assert plain.command == ("torchrun", "train.py") and "PERFPROOF_CAPTURE" not in plain.environment
