"""Which ranges are steps, and what lies in the steady ones."""

from perfproof.core.events import Events, Kind
from perfproof.diagnose.traces import over_the_same_steps, trace_of
from tests.diagnose.building import Program


def spans(*rows):
    """Ranges (name, start, end) as a trace."""
    events = Events("kineto")
    for name, start, end in rows:
        events.add(Kind.RANGE, name, start, end)
    return trace_of(events, "x.json")


def test_the_first_and_the_last_step_are_dropped():
    trace = Program(steps=5).evidence().traces[0]
    assert trace.steps == ((1_000_000, 2_000_000), (2_000_000, 3_000_000), (3_000_000, 4_000_000))
    assert trace.found == 5 and trace.step_ns == 1_000_000 and trace.window == [(1_000_000, 4_000_000)]


def test_a_step_lasts_to_the_start_of_the_next_so_that_waiting_between_ranges_counts():
    trace = spans(("step 0", 0, 10), ("step 1", 20, 30), ("step 2", 40, 50))
    assert trace.steps == ((20, 40),)


def test_of_two_steps_both_are_taken():
    assert spans(("step", 0, 10), ("step", 12, 20)).steps == ((0, 12), (12, 20))


def test_without_ranges_the_whole_trace_is_one_step_and_it_is_said():
    trace = spans(("forward", 5, 10), ("backward", 10, 25))
    assert trace.steps == ((5, 25),) and trace.found == 0 and "whole trace" in trace.step_source


def test_torch_marks_win_over_names_and_the_outer_family_over_the_inner():
    marked = spans(*((f"ProfilerStep#{n}", n * 10, n * 10 + 10) for n in range(3)), ("train step", 1, 29))
    assert marked.step_source == "ProfilerStep ranges"
    nested = spans(
        *(row for n in range(4) for row in (("step", n * 10, n * 10 + 9), ("micro_step", n * 10, n * 10 + 2)))
    )
    assert nested.steps == ((10, 20), (20, 30)) and "'step'" in nested.step_source


def test_a_range_seen_by_two_threads_is_one_step():
    assert spans(*((f"step {n}", n * 10, n * 10 + 9) for n in (0, 1, 2, 2, 3))).found == 4


def test_a_loader_marks_the_turns_of_a_loop_that_marks_none():
    loader = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
    trace = spans(*((loader, n * 100, n * 100 + 5) for n in range(4)), ("Optimizer.step#SGD.step", 50, 60))
    assert trace.steps == ((100, 200), (200, 300)) and "DataLoader" in trace.step_source


def test_an_optimizer_step_is_not_a_step_of_the_program():
    assert spans(*(("Optimizer.step#SGD.step", n * 10, n * 10 + 1) for n in range(2)), ("x", 0, 50)).found == 0


def test_rows_are_those_that_begin_in_the_steady_time():
    program = Program()
    for start in (500, 1500, 2999, 3000):
        program.work(start, start + 10)
    trace = program.evidence().traces[0]
    assert [trace.events.start_ns[row] for row in trace.rows(Kind.KERNEL)] == [1_500_000, 2_999_000]
    assert trace.devices == [0] and trace.covered(trace.rows(Kind.KERNEL))[-1] == (2_999_000, 3_000_000)


def test_a_device_with_less_than_a_tenth_of_the_busiest_ones_work_is_hardly_used():
    program = Program()
    for device, length in enumerate((500, 49, 50)):
        program.busy(100, 100 + length, device=device)
    trace = program.evidence().traces[0]
    assert trace.devices == [0, 1, 2] and trace.used_devices == [0, 2]
    assert trace.busy_ns == {0: 1_000_000, 1: 98_000, 2: 100_000}


def test_a_share_is_never_above_one_or_below_nothing():
    trace = Program().evidence().traces[0]
    assert (trace.share(10**12), trace.share(-5), trace.share(200_000)) == (1.0, 0.0, 0.1)


def test_a_table_without_timed_rows_is_no_trace():
    assert trace_of(Events("stacks"), "x") is None


def numbered(rank, first, steps=6):
    """A rank that recorded the steps from `first` on."""
    program = Program(rank=rank, step=10, steps=steps, first=first)
    return trace_of(program.events, f"rank{rank}.json", rank)


def test_ranks_that_recorded_different_steps_keep_those_that_all_have():
    first, second = over_the_same_steps([numbered(0, first=10), numbered(1, first=12)])
    assert first.numbers == second.numbers == (13, 14)
    assert first.steps == ((30_000, 40_000), (40_000, 50_000)) and second.steps == ((10_000, 20_000), (20_000, 30_000))
    assert "every rank" in first.step_source


def test_ranks_without_a_common_step_are_left_as_they_are():
    traces = [numbered(0, first=10), numbered(1, first=50)]
    assert over_the_same_steps(traces) == traces
