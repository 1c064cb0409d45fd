"""A recording inside a program: what is asked for by PERFPROOF_CAPTURE, and once only."""

import json
import os
from types import SimpleNamespace

import pytest
import torch

from perfproof.core.events import Kind
from perfproof.profile.children import capture as recording
from perfproof.profile.children.capture import STEADY, capture
from perfproof.profile.compile_log import WARM_MARK
from perfproof.profile.plans import STEADY as PLANNED
from perfproof.profile.reading import read
from perfproof.profile.steps import find_steps


def asked(monkeypatch, **wish):
    monkeypatch.setenv("PERFPROOF_CAPTURE", json.dumps(wish))


def test_only_what_runs_inside_is_recorded(monkeypatch, tmp_path):
    asked(monkeypatch, kind="torch", output=str(tmp_path / "it"), steady=True)
    torch.ones(3).cumsum(0)
    with capture():
        torch.ones(3).neg()
    torch.ones(3).exp()
    names = {event.name for event in read(tmp_path / "it.trace.json.gz").rows(Kind.OPERATOR, Kind.RANGE)}
    assert {"aten::neg", STEADY} <= names and not {"aten::cumsum", "aten::exp"} & names


def test_steps_are_ranges_in_the_steady_one_and_nothing_of_ours_is_in_the_trace(monkeypatch, tmp_path):
    asked(monkeypatch, kind="torch", output=str(tmp_path / "it"), steady=True, shapes=True)
    with capture() as step:
        for _ in range(4):
            with step():
                torch.ones(3).neg()
    events = read(tmp_path / "it.trace.json.gz")
    assert len(find_steps(events).steps) == 4
    (steady,) = (row for row in events.rows(Kind.RANGE) if row.name == STEADY)
    assert sorted({row.name for row in events.rows(Kind.RANGE)}) == [STEADY, "step"]
    assert {row.name for row in events.rows(Kind.OPERATOR)} == {"aten::ones", "aten::empty", "aten::fill_", "aten::neg"}
    assert all(steady.start_ns <= row.start_ns < steady.end_ns for row in events.rows(Kind.OPERATOR))


def test_the_end_of_warm_up_is_said_when_a_loop_asks_for_its_third_batch(monkeypatch, capsys):
    asked(monkeypatch, kind="warm")
    said = []
    with capture():
        for _ in torch.utils.data.DataLoader(range(4)):
            said.append(capsys.readouterr().err)
    assert said == ["", "", f"{WARM_MARK}\n", ""]
    list(torch.utils.data.DataLoader(range(9)))
    assert capsys.readouterr().err == ""  # nothing stays behind


def test_the_reader_knows_the_mark():
    assert recording.WARM_MARK == WARM_MARK


def test_both_sides_of_the_range_have_one_name():
    assert STEADY == PLANNED


def test_the_trace_of_a_rank_has_its_number(monkeypatch, tmp_path):
    asked(monkeypatch, kind="torch", output=str(tmp_path / "it-{rank}"))
    monkeypatch.setenv("RANK", "3")
    with capture():
        pass
    assert (tmp_path / "it-3.trace.json.gz").is_file()


def test_programs_that_are_started_inside_do_not_record(monkeypatch, tmp_path):
    asked(monkeypatch, kind="none")
    with capture():
        assert "PERFPROOF_CAPTURE" not in os.environ
    with capture():  # nothing is asked for
        pass


def test_a_failure_inside_is_passed_on_and_the_trace_is_there(monkeypatch, tmp_path):
    asked(monkeypatch, kind="torch", output=str(tmp_path / "it"))
    with pytest.raises(ValueError, match="oh"), capture():
        torch.ones(3).neg()
        raise ValueError("oh")
    assert (tmp_path / "it.trace.json.gz").is_file()


@pytest.mark.skipif(torch.cuda.is_available(), reason="a GPU's allocator writes a snapshot instead")
def test_without_a_gpu_allocations_are_in_the_trace(monkeypatch, tmp_path):
    asked(monkeypatch, kind="memory", output=str(tmp_path / "it"))
    with capture():
        kept = torch.ones(1000)
    table = read(tmp_path / "it.trace.json.gz")
    assert max(table.series["cpu.allocated_bytes"].values) >= kept.nbytes


class Gpu:
    """Writes down what is asked of torch and triton on a machine with a GPU, in order."""

    def __init__(self):
        self.calls = []

    def part(self, name):
        return lambda *arguments, **named: self.calls.append((name, *arguments, *named.values()))

    def imported(self, name):
        cuda = SimpleNamespace(
            is_available=lambda: True,
            is_initialized=lambda: True,
            synchronize=self.part("synchronise"),
            cudart=lambda: SimpleNamespace(cudaProfilerStart=self.part("start"), cudaProfilerStop=self.part("stop")),
            nvtx=SimpleNamespace(range_push=self.part("push"), range_pop=self.part("pop")),
            memory=SimpleNamespace(_record_memory_history=self.part("history"), _dump_snapshot=self.part("dump")),
        )
        return SimpleNamespace(cuda=cuda)


@pytest.fixture
def gpu(monkeypatch):
    found = Gpu()
    monkeypatch.setattr(recording.importlib, "import_module", found.imported)
    return found


def test_a_profiler_outside_sees_a_range_with_nothing_in_flight_at_either_end(monkeypatch, gpu):
    asked(monkeypatch, kind="range")
    with capture():
        gpu.calls.append(("work",))
    assert [call[0] for call in gpu.calls] == ["synchronise", "start", "push", "work", "synchronise", "pop", "stop"]


def test_the_range_is_closed_when_the_work_fails(monkeypatch, gpu):
    asked(monkeypatch, kind="range")
    with pytest.raises(ValueError, match="oh"), capture():
        raise ValueError("oh")
    assert [call[0] for call in gpu.calls][-2:] == ["pop", "stop"]


def test_the_history_of_the_allocator_has_a_limit_and_ends(monkeypatch, gpu):
    asked(monkeypatch, kind="memory", output="it")
    with capture():
        gpu.calls.append(("work",))
    assert gpu.calls == [("history", 100_000), ("work",), ("synchronise",), ("dump", "it.pickle"), ("history", None)]
