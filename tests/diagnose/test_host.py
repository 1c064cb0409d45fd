"""What the host did, and on which thread."""

from perfproof.core.events import Kind
from perfproof.diagnose.host import covering, launching_threads, main_thread, outermost_operators, sync_calls
from tests.diagnose.building import Program


def test_the_thread_that_marks_the_steps_is_the_main_one_however_busy_others_are():
    program = Program()
    program.each_step(Kind.OPERATOR, "aten::mm", 0, 1000, thread=5)
    assert main_thread(program.evidence().traces[0]) == (1, 1)


def test_without_marks_it_is_the_busiest():
    program = Program(steps=0)
    program.add(Kind.OPERATOR, "aten::add", 0, 10, thread=4)
    program.add(Kind.OPERATOR, "aten::mm", 0, 90, thread=5)
    assert main_thread(program.evidence().traces[0]) == (1, 5)


def test_a_helper_that_waits_for_an_event_says_nothing_of_the_host_that_launches():
    program = Program()
    program.busy(0, 400)
    program.each_step(Kind.RUNTIME, "cudaStreamSynchronize", 410, 420)
    program.each_step(Kind.RUNTIME, "cudaEventSynchronize", 10, 990, thread=9)
    trace = program.evidence().traces[0]
    assert launching_threads(trace) == {(1, 1)}
    assert {trace.events.name(row) for row in sync_calls(trace)} == {"cudaStreamSynchronize"}
    assert covering(trace, (1_500_000, 1_600_000)).startswith("no operator")


def test_operators_inside_operators_and_the_engines_wrappers_are_left_out():
    program = Program()
    for name, start, end in (("aten::linear", 0, 50), ("aten::mm", 5, 45), ("aten::add", 50, 60)):
        program.add(Kind.OPERATOR, name, 1000 + start, 1000 + end)
    program.add(Kind.OPERATOR, "autograd::engine::evaluate_function: AddBackward0", 1100, 1200)
    program.add(Kind.OPERATOR, "AddBackward0", 1110, 1190)
    trace = program.evidence().traces[0]
    assert [trace.events.name(row) for row in outermost_operators(trace)] == [
        "aten::linear",
        "aten::add",
        "AddBackward0",
    ]


def test_the_shortest_row_that_covers_half_of_a_stretch_tells_what_went_on():
    program = Program()
    program.add(Kind.RANGE, "forward", 1000, 1900)
    program.add(Kind.OPERATOR, "aten::nonzero", 1100, 1200)
    trace = program.evidence().traces[0]
    assert covering(trace, (1_110_000, 1_180_000)) == "aten::nonzero"
    assert covering(trace, (1_300_000, 1_400_000)) == "forward"
    assert covering(trace, (2_100_000, 2_200_000)).startswith("no operator")


def test_calls_that_block_are_told_from_those_that_do_not():
    program = Program()
    for name in ("cudaStreamSynchronize", "cudaMemcpyAsync", "cudaMemcpy", "cuCtxSynchronize", "cudaEventRecord"):
        program.add(Kind.RUNTIME, name, 1000, 1010)
    trace = program.evidence().traces[0]
    assert {trace.events.name(row) for row in sync_calls(trace)} == {
        "cudaStreamSynchronize",
        "cudaMemcpy",
        "cuCtxSynchronize",
    }
