"""Small work under expensive launches, with the queue empty."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.core.events import Kind
from perfproof.diagnose.rules import host_sync
from perfproof.diagnose.rules.launch_bound import find
from tests.diagnose.building import Program
from tests.diagnose.test_sampled import stacks


def chain(work, every, call):
    """A kernel every so many microseconds, launched just before it starts."""
    program = Program()
    for base in program.starts():
        for start in range(0, 1000, every):
            program.kernel(base + start, base + start + work, launched=base + start - call - 1, call=call)
    return program


def test_four_microseconds_of_work_every_ten_lose_sixty_per_cent():
    found = find(chain(work=4, every=10, call=5).evidence())
    assert found.share == pytest.approx(0.6, abs=0.001) and found.confidence == "high"
    assert found.evidence[0].values["launches_a_step"] == 100
    assert "1.2 times as long as the device" in found.evidence[0].text  # 5 µs of call for 4 of work


def test_a_helper_thread_that_is_parked_in_a_wait_takes_nothing_off_it():
    program = chain(work=4, every=10, call=5)
    program.each_step(Kind.RUNTIME, "cudaEventSynchronize", 1, 999, thread=9)
    assert find(program.evidence()).share == pytest.approx(0.6, abs=0.001)
    assert host_sync.find(program.evidence()) is None


def test_a_device_that_is_hardly_used_is_not_the_one_that_waits():
    program = chain(work=60, every=100, call=5)
    for base in program.starts():
        for start in range(0, 1000, 100):
            program.kernel(base + start + 20, base + start + 21, launched=base + start + 10, call=9, device=1)
    assert find(program.evidence()) is None


def test_long_kernels_are_not_launch_bound():
    assert find(chain(work=60, every=100, call=5).evidence()) is None


def test_launches_that_are_cheap_beside_their_work_are_not_the_cause():
    assert find(chain(work=8, every=20, call=2).evidence()) is None


def test_the_operators_around_the_launches_count_as_the_hosts_time():
    program = chain(work=8, every=20, call=2)
    for base in program.starts():
        for start in range(0, 1000, 20):
            program.add(Kind.OPERATOR, "aten::add", base + start + 3, base + start + 19)
    assert find(program.evidence()).share == pytest.approx(0.6, abs=0.001)


def test_a_full_queue_means_that_the_host_is_ahead():
    program = Program()
    for number, base in enumerate(program.starts()):
        for place in range(100):
            program.kernel(base + 10 * place, base + 10 * place + 4, launched=number * 600 + 6 * place - 700, call=5)
    assert find(program.evidence()) is None


def test_a_graph_is_one_launch_of_much_work():
    program = Program()
    for base in program.starts():
        program.kernel(base, base + 4, launched=base - 10, call=8, launcher="cudaGraphLaunch")
        for place in range(1, 80):
            program.work(base + 10 * place, base + 10 * place + 4, correlation=program.correlation)
    assert find(program.evidence()) is None


def test_kernels_whose_launches_are_not_in_the_trace_make_it_abstain():
    program = Program()
    for base in program.starts():
        program.work(base, base + 4)
    assert isinstance(find(program.evidence()), Abstained)


@pytest.mark.parametrize(("until", "told"), [(900, True), (200, False)])
def test_an_optimizer_that_launches_much_of_all_is_named(until, told):
    program = chain(work=4, every=10, call=5)
    program.each_step(Kind.RANGE, "Optimizer.step#Lion.step", -20, until)
    texts = [one.text for one in find(program.evidence()).evidence]
    assert any("Lion" in text for text in texts) == told


def test_the_lines_that_launch_are_named():
    lines = stacks("update (kmeans.py:45);[aten::index] 800", "main (kmeans.py:60);[aten::mm] 200")
    found = find(chain(work=4, every=10, call=5).evidence(stacks=lines))
    assert found.evidence[-1].place == "update (kmeans.py:45)" and "loop" in found.advice
