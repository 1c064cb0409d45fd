"""A trace of every rank, whoever starts them; the launcher's own process writes none."""

import os
import subprocess
import sys

from perfproof.core.events import Kind
from perfproof.profile.adapters import trace_ranks
from perfproof.profile.plans import Ran
from perfproof.profile.profiling import capture

LAUNCHER = """
import os, subprocess, sys
started = [
    subprocess.Popen([sys.executable, "-c", sys.argv[1]], env={**os.environ, "RANK": str(rank), "WORLD_SIZE": "2"})
    for rank in range(2)
]
sys.exit(max(process.wait() for process in started))
"""
RANK = "import torch; torch.ones(4, 4) @ torch.ones(4, 4)"


def test_each_rank_records_itself(work):
    given = work(sys.executable, "-c", LAUNCHER, RANK)
    found = capture("trace-ranks", given, 300.0, lambda *_: None)
    assert (found.status, found.exit_code) == ("ok", 0), found.why
    assert found.main_files == ["command-rank0.trace.json.gz", "command-rank1.trace.json.gz"]
    assert {one.name: one.launches for one in found.portions}["aten::mm"] == 2
    table = trace_ranks.gather(given, Ran(0, 1.0, late=False, left=0, out="", err="")).events
    assert {event.rank for event in table.rows(Kind.OPERATOR)} == {0, 1}


def test_the_path_of_the_user_is_kept(monkeypatch, work):
    monkeypatch.setenv("PYTHONPATH", "theirs")
    environment = trace_ranks.plan(work("torchrun", "a.py"), None).environment
    assert environment["PYTHONPATH"] == f"{trace_ranks.STARTUP}{os.pathsep}theirs"


def test_a_sitecustomize_of_their_own_is_loaded_as_well(tmp_path):
    (tmp_path / "sitecustomize.py").write_text("print('theirs')")
    environment = {**os.environ, "PYTHONPATH": f"{trace_ranks.STARTUP}{os.pathsep}{tmp_path}"}
    code = "import sys; print(any('startup' in entry for entry in sys.path))"
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "theirs\nFalse\n"


def test_a_program_without_ranks_is_a_failure_that_says_why(work):
    found = capture("trace-ranks", work(sys.executable, "-c", "print(1)"), 300.0, lambda *_: None)
    assert found.status == "failed" and "no process had RANK set" in found.why


def test_ten_ranks_are_in_order(work):
    given = work("torchrun", "a.py")
    names = [given.folder / f"command-rank{rank}.trace.json.gz" for rank in (10, 9, 0)]
    assert [trace_ranks._rank(name) for name in sorted(names, key=trace_ranks._rank)] == [0, 9, 10]


def test_a_pair_has_no_ranks(work):
    assert trace_ranks.works(work("child", marked=True)).state == "denied"
