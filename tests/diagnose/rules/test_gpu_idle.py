"""Idle time is found, given its causes, and handed to the rules that speak for them."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.core.events import Kind
from perfproof.diagnose.diagnose import diagnose
from perfproof.diagnose.rules.gpu_idle import find
from perfproof.profile.nsys_tables import IN_GRAPHS, WHOLE_GRAPHS
from tests.diagnose.building import Program, evidence_of
from tests.diagnose.rules.test_input_bound import epochs
from tests.diagnose.test_sampled import stacks


def idle_program(idle, rank=None):
    """Busy for the rest of every step; the next kernel comes because the host launches it late."""
    program = Program(rank)
    for base in program.starts():
        program.kernel(base + idle, base + 1000, launched=base + idle - 10)
    return program


def test_forty_per_cent_without_work_are_forty_per_cent_to_save():
    found = find(idle_program(400).evidence())
    assert found.share == pytest.approx(0.4) and found.confidence == "high"
    assert "host 40 %" in found.evidence[0].text and found.parts == {"host_work": pytest.approx(0.4)}


def test_the_longest_gaps_are_shown_with_what_the_host_did():
    program = idle_program(400)
    program.each_step(Kind.OPERATOR, "aten::unique", 5, 380)
    gap = find(program.evidence()).evidence[1]
    assert "400 µs" in gap.text and "aten::unique" in gap.text and gap.place.startswith("rank-1.json, 1.000 ms")


def test_parts_name_the_rules_that_speak_for_a_cause():
    program = idle_program(300)
    program.each_step(Kind.RANGE, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 0, 280)
    assert find(program.evidence()).parts == {"input_bound": pytest.approx(0.3)}
    first, second = diagnose(program.evidence()).findings[:2]
    assert (first.rule, first.share) == ("input_bound", pytest.approx(0.28))
    assert second.rule == "gpu_idle" and second.share == pytest.approx(0.02) and second.confidence == "low"


def test_the_worst_rank_is_reported():
    found = find(evidence_of(idle_program(150, rank=0), idle_program(350, rank=1)))
    assert found.share == pytest.approx(0.35) and found.evidence[0].place == "rank 1"


def test_a_device_that_is_hardly_used_is_named_and_not_judged():
    healthy = idle_program(40)
    healthy.each_step(Kind.COPY, "Memcpy PtoP", 500, 501, device=1, stream=8)
    assert find(healthy.evidence()) is None
    idle = idle_program(400)
    idle.each_step(Kind.COPY, "Memcpy PtoP", 500, 501, device=1, stream=8)
    found = find(idle.evidence())
    assert found.share == pytest.approx(0.4) and "device 0 is idle" in found.evidence[0].text
    assert found.evidence[-1].text.endswith("device 1") and found.evidence[-1].values == {}


def test_where_graphs_were_traced_as_a_whole_a_busy_device_is_no_answer():
    program = idle_program(50)
    program.events.unknown[IN_GRAPHS] = WHOLE_GRAPHS
    answer = find(program.evidence())
    assert isinstance(answer, Abstained) and "--cuda-graph-trace=node" in answer.missing
    between = idle_program(400)
    between.events.unknown[IN_GRAPHS] = WHOLE_GRAPHS
    assert find(between.evidence()).share == pytest.approx(0.4)


def test_a_tenth_is_normal():
    assert find(idle_program(100).evidence()) is None


def test_without_a_gpu_it_abstains():
    assert isinstance(find(Program().evidence()), Abstained)


@pytest.mark.parametrize(("seed", "loader"), [("aten::random_", True), ("aten::add", False)])
def test_gaps_without_a_launch_in_which_a_loader_starts_are_late_input(seed, loader):
    evidence = epochs(batches=6, starts=4, seed=seed, launches=False)
    found = find(evidence)
    assert "unknown 3" in found.evidence[0].text and (found.parts.get("input_bound", 0.0) > 0.3) == loader
    assert (diagnose(evidence).findings[0].rule == "gpu_idle") != loader


@pytest.mark.parametrize(("starting", "explained"), [(900, 0.7), (200, 0.0)])
def test_work_that_has_a_name_explains_gaps_without_a_cause_as_far_as_nothing_hides_it(starting, explained):
    program = Program()
    for base in program.starts():
        program.work(base + 800, base + 1000)
    lines = stacks(f"main (a.py:3);subprocess:_execute_child {starting}", f"main (a.py:5);[aten::mm] {1000 - starting}")
    assert find(program.evidence(stacks=lines)).parts.get("python_code", 0.0) == pytest.approx(explained)
