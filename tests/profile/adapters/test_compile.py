"""The compiler's log of any command: gathered, read, and none means none."""

import sys

from perfproof.profile.profiling import capture

LOGGED = (
    "V1115 10:30:01.000000 1 torch/_dynamo/symbolic_convert.py:1] [0/0] [__graph_breaks] Graph break in user code "
    "at a.py:4\\nV1115 10:30:01.000000 1 torch/_dynamo/symbolic_convert.py:1] [0/0] [__graph_breaks] Graph Break "
    "Reason: Unsupported: builtin: print"
)


def run(work, code):
    return capture("compile", work(sys.executable, "-c", code), 300.0, lambda *_: None)


def test_the_variables_of_torch_are_set_and_its_files_kept(work):
    code = (
        "import os; print(os.environ['TORCH_LOGS']); os.makedirs(os.environ['TORCH_TRACE']);"
        "open(os.environ['TORCH_TRACE'] + '/trace.log', 'w').write('')"
    )
    found = run(work, code)
    assert found.status == "ok", found.why
    assert "graph_breaks" in (work().folder / "command.stdout").read_text()
    assert "command-torch-trace/trace.log" in [one.name for one in found.files]


def test_a_program_that_compiles_nothing_says_so(work):
    found = run(work, "print(1)")
    assert found.status == "ok" and found.found["events"] == []
    assert "torch.compile was not reached" in found.notes[0]


def test_what_was_logged_is_read(work):
    found = run(work, f"import sys; print('{LOGGED}', file=sys.stderr)")
    assert [event["kind"] for event in found.found["events"]] == ["graph break"]


def test_a_program_that_fails_before_it_compiles_is_a_failure(work):
    found = run(work, "raise SystemExit('no such data')")
    assert (found.status, found.why) == ("failed", "nothing was compiled: no such data")
