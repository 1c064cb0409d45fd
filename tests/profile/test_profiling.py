"""One capture from beginning to end: whatever goes wrong is in the result, with a reason."""

import sys

import pytest

from perfproof.core.doctor import Finding
from perfproof.core.errors import DocumentError
from perfproof.core.events import Events, Kind
from perfproof.profile import profiling
from perfproof.profile.plans import Gathered, Plan, Work
from perfproof.profile.profiling import capture, list_files


class Tool:
    """An adapter whose every answer is given."""

    def __init__(self, state="works", plan=None, gathered=None):
        self.finding = Finding(name="tool", state=state, why="because", fix="do this")
        self.planned, self.gathered = plan or Plan((sys.executable, "-c", "print(1)")), gathered

    def works(self, work):
        return self.finding

    def plan(self, work, found):
        return self.planned

    def gather(self, work, ran):
        if isinstance(self.gathered, Exception):
            raise self.gathered
        return self.gathered or Gathered()


@pytest.fixture
def captured(monkeypatch, tmp_path):
    def run(tool, **fields):
        monkeypatch.setattr(profiling, "adapter", lambda name: tool)
        return capture("tool", Work(("a",), tmp_path, "minimal", **fields), 300.0, lambda *_: None)

    return run


@pytest.mark.parametrize(("state", "status"), [("absent", "absent"), ("denied", "denied"), ("unknown", "failed")])
def test_a_tool_that_does_not_work_runs_nothing(captured, state, status, tmp_path):
    found = captured(Tool(state))
    assert (found.status, found.why, found.fix) == (status, "because", "do this")
    assert not list(tmp_path.iterdir())


def test_a_plan_that_is_refused_runs_nothing(captured, tmp_path):
    found = captured(Tool(plan=Plan(refused="no range")))
    assert (found.status, found.why) == ("failed", "no range") and not list(tmp_path.iterdir())


def test_a_file_that_cannot_be_read_is_a_failure_not_a_crash(captured):
    found = captured(Tool(gathered=DocumentError("trace.json: is cut off")))
    assert (found.status, found.why) == ("failed", "trace.json: is cut off")
    assert [one.name for one in found.files] == ["command.stderr", "command.stdout"]


def test_a_program_that_cannot_be_started_is_a_failure(captured, tmp_path):
    found = captured(Tool(plan=Plan((str(tmp_path / "none"),))))
    assert found.status == "failed" and "cannot be started" in found.why


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("raise ValueError('no such layer')", "exited with 1: ValueError: no such layer"),
        ("import sys; print('[ perf record: Woken up ]', file=sys.stderr); sys.exit(3)", "with 3 and printed nothing"),
        ("import os; os.kill(os.getpid(), 9)", "was killed by SIGKILL"),
    ],
)
def test_a_program_that_fails_is_a_failure_with_its_own_last_line(captured, code, said):
    plan = Plan((sys.executable, "-c", code))
    for gathered in (Gathered(), Gathered(failed="there is no sample")):
        found = captured(Tool(plan=plan, gathered=gathered))
        assert found.status == "failed" and said in found.why and "command.stderr" in found.why


def test_what_the_command_needs_and_what_the_tool_sets_is_there_and_stored(captured, tmp_path):
    code = "import os; print(os.environ['A'], os.environ['B'])"
    plan = Plan((sys.executable, "-c", code), {"B": "of the tool"})
    found = captured(Tool(plan=plan), environment={"A": "of the work", "B": "lost"})
    assert (tmp_path / "command.stdout").read_text() == "of the work of the tool\n"
    assert found.environment == {"A": "of the work", "B": "of the tool"}


def test_small_portions_are_left_out_and_that_is_said(captured, monkeypatch):
    monkeypatch.setattr(profiling, "MOST_PORTIONS", 2)
    events = Events("kineto")
    for place in range(4):
        events.add(Kind.KERNEL, f"k{place}", 0, 10 * place)
    found = captured(Tool(gathered=Gathered(events)))
    assert [one.name for one in found.portions] == ["k3", "k2"]
    assert found.notes == ["the 2 largest of 4 portions are kept"]


def test_a_side_has_its_own_files_and_not_those_of_a_longer_name(tmp_path):
    for name in ("optimized.json", "optimized-rank0.json", "optimized_tiled.json", "profile.json"):
        (tmp_path / name).write_text("")
    assert [one.name for one in list_files(tmp_path, "optimized")] == ["optimized-rank0.json", "optimized.json"]


def test_one_that_writes_more_than_it_may_is_a_failure_that_says_what_to_do(monkeypatch, tmp_path):
    code = "import sys, time; sys.stdout.write('x' * 3000); sys.stdout.flush(); time.sleep(600)"
    monkeypatch.setattr(profiling, "adapter", lambda name: Tool(plan=Plan((sys.executable, "-c", code))))
    work = Work(("a",), tmp_path, "minimal")
    found = capture("tool", work, 600.0, lambda *_: None, grace=0.1, most_bytes=1000)
    assert found.status == "failed" and "--max-size" in found.why
    assert {one.name: one.bytes for one in found.files}["command.stdout"] == 3000
