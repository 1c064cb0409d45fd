"""Waiting for the next batch, on a GPU and without one."""

from dataclasses import replace

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.core.events import Kind
from perfproof.diagnose.diagnose import diagnose
from perfproof.diagnose.rules.input_bound import NO_MARK, find
from perfproof.profile.children.sampling import SAME
from tests.diagnose.building import Program
from tests.diagnose.test_sampled import stacks

LOADER = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"


def waiting(until, thread=1):
    program = Program()
    program.each_step(Kind.RANGE, LOADER, 0, until, thread=thread)
    program.each_step(Kind.OPERATOR, "aten::mm", until, 1000)
    return program


def test_on_a_cpu_all_of_the_wait_counts():
    found = find(waiting(300).evidence())
    assert found.share == pytest.approx(0.3) and found.confidence == "high"
    assert "300 µs per step" in found.evidence[0].text and "--rev worktree" in found.experiment


def test_without_a_gpu_a_little_work_of_the_loader_is_a_suspicion():
    assert find(waiting(80).evidence()).confidence == "low" and find(waiting(120).evidence()).confidence == "medium"


def test_lines_that_the_loader_calls_are_named_and_no_others():
    lines = stacks(
        "fit (a.py:9);torch.utils.data.dataloader:__next__;collate (a.py:3) 300",
        "fit (a.py:9);torch.utils.data.dataloader:__next__;[waits] 100",
        "fit (a.py:7);log (a.py:2) 600",
    )
    found = find(waiting(until=400).evidence(stacks=lines))
    assert "collate (a.py:3) 30 %" in found.evidence[1].text and "log" not in found.evidence[1].text


def test_what_the_loader_s_line_says_gives_the_remedy():
    line = "weighted (a.py:3);[runs] rng.choice(len(freq), p=freq)"
    slow = stacks(f"fit (a.py:9);torch.utils.data.dataloader:__next__;{line} 400", "fit (a.py:7);step (a.py:2) 600")
    assert "weights are summed" in find(waiting(until=400).evidence(stacks=slow)).advice
    plain = stacks("fit (a.py:9);torch.utils.data.dataloader:__next__;collate (a.py:3) 400", "fit (a.py:7) 600")
    assert find(waiting(until=400).evidence(stacks=plain)).advice.startswith("do less per item")


BATCH = "fit (a.py:9);torch.utils.data.dataloader:__next__"


def test_time_in_which_the_loader_repeats_calls_is_that_of_repeated_calls():
    again = f"{SAME}bank;{BATCH};mel (a.py:3);bank (a.py:1) 400"
    found = diagnose(waiting(until=700).evidence(stacks=stacks(again, f"{BATCH};mel (a.py:4) 300", "fit (a.py:7) 300")))
    shares = {one.rule: one.share for one in found.findings}
    assert found.findings[0].rule == "repeated_calls" and shares["input_bound"] == pytest.approx(0.3)
    beside = f"{SAME}bank;fit (a.py:9);bank (a.py:1) 300"  # not in the loader: its time is not the loader's
    found = diagnose(waiting(until=700).evidence(stacks=stacks(beside, f"{BATCH};mel (a.py:4) 700")))
    assert found.findings[0].rule == "input_bound" and found.findings[0].share == pytest.approx(0.7)


def test_a_function_that_is_spread_over_its_lines_is_named_as_a_whole():
    spread = [f"{BATCH};bank (a.py:{line}) 150" for line in (1, 2, 3)]
    found = find(waiting(until=700).evidence(stacks=stacks(*spread, f"{BATCH};mel (a.py:8) 200", "fit (a.py:7) 350")))
    assert "bank (a.py) 45 %, mel (a.py) 20 %" in found.evidence[2].text
    one_line = stacks(f"{BATCH};bank (a.py:1) 450", f"{BATCH};mel (a.py:8) 200", "fit (a.py:7) 350")
    assert not any("functions" in proof.text for proof in find(waiting(until=700).evidence(stacks=one_line)).evidence)


def test_on_a_gpu_only_the_part_in_which_it_is_idle_counts():
    program = waiting(300)
    program.busy(200, 1000)
    assert find(program.evidence()).share == pytest.approx(0.2)


def test_a_wait_that_the_gpu_does_not_notice_is_nothing():
    program = waiting(300)
    program.busy(0, 1000)
    assert find(program.evidence()) is None


def test_a_range_of_the_users_own_is_known_by_its_name():
    program = Program()
    program.each_step(Kind.RANGE, "next_batch", 0, 120)
    assert find(program.evidence()).share == pytest.approx(0.12)


def test_a_short_wait_is_nothing():
    assert find(waiting(40).evidence()) is None


def test_a_loader_thread_that_loads_ahead_does_not_make_the_step_wait():
    assert isinstance(find(waiting(900, thread=99).evidence()), Abstained)


def test_without_marks_it_abstains_unless_no_device_ever_waits():
    program = Program()
    program.each_step(Kind.OPERATOR, "aten::mm", 0, 1000)
    assert find(program.evidence()) == Abstained(rule="input_bound", missing=NO_MARK)
    program.busy(0, 990)
    assert find(program.evidence()) is None


def fed_by_python(copied=1_500_000, step=10_000):
    """Nothing is marked: 4 ms in which the GPU has nothing to do, a copy to it, and its work."""
    program = Program(step=step)
    for base in program.starts():
        memory = {"kind": Kind.COPY, "launcher": "cudaMemcpyAsync", "bytes": copied}
        program.kernel(base + 4000, base + 4200, "Memcpy HtoD (Pageable -> Device)", launched=base + 3990, **memory)
        program.kernel(base + 4200, base + step, launched=base + 4100)
    return program.evidence()


def test_without_marks_work_that_ends_in_a_copy_to_the_gpu_is_input():
    found = find(fed_by_python())
    assert found.share == pytest.approx(0.4) and found.confidence == "high"
    assert "copies data to it" in found.evidence[0].text and "--tool perf" in found.evidence[1].text


def test_a_copied_number_is_no_batch():
    assert isinstance(find(fed_by_python(copied=8)), Abstained)


def test_without_a_gpu_python_whose_data_becomes_a_tensor_is_input():
    program = Program(step=10_000)
    program.each_step(Kind.OPERATOR, "aten::empty", 3000, 3010)
    program.each_step(Kind.OPERATOR, "aten::lift_fresh", 3010, 3020)
    program.each_step(Kind.OPERATOR, "aten::mm", 3020, 10_000)
    assert find(program.evidence()).share == pytest.approx(0.3)


def test_a_loader_that_starts_its_workers_again_is_late_because_of_that():
    start = "fit (a.py:9);torch.utils.data.dataloader:__iter__;multiprocessing.popen_fork:_launch 600"
    found = diagnose(waiting(until=600).evidence(stacks=stacks(start, "fit (a.py:9) 400"))).findings
    assert found[0].rule == "python_code" and "processes" in found[0].title
    late = "fit (a.py:9);torch.utils.data.dataloader:__next__;collate (a.py:3) 600"
    found = diagnose(waiting(until=600).evidence(stacks=stacks(late, "fit (a.py:9) 400"))).findings
    assert found[0].rule == "input_bound"


def test_the_advice_is_that_of_the_work_that_the_loader_does():
    line = "fit (a.py:9);torch.utils.data.dataloader:__next__;__getitem__ (a.py:3)"
    lines = stacks(f"{line};numpy.lib._npyio_impl:__getitem__ 600", "fit (a.py:9) 400")
    assert "take it out once" in find(waiting(until=600).evidence(stacks=lines)).advice
    assert "take it out once" not in find(waiting(until=600).evidence(stacks=stacks(f"{line} 600"))).advice


def test_without_a_gpu_a_wait_before_a_tensor_is_made_is_the_waits_time():
    program = Program(step=10_000)
    program.each_step(Kind.OPERATOR, "aten::lift_fresh", 6000, 6020)
    program.each_step(Kind.OPERATOR, "aten::mm", 6020, 10_000)
    lines = stacks("serve (a.py:3);[waits] 600", "serve (a.py:9);[aten::mm] 400")
    assert [one.rule for one in diagnose(program.evidence(stacks=lines)).findings] == ["host_waits"]


SEVERAL = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"


def epochs(batches, starts, seed="aten::random_", launches=True):
    """Batches of 10 ms; each epoch begins with a seed and the start of the workers, 40 ms."""
    program, moment = Program(steps=0), 0
    for _ in range(starts):
        program.add(Kind.OPERATOR, seed, moment, moment + 10)
        moment += 40_000
        for _ in range(batches):
            program.add(Kind.RANGE, SEVERAL, moment, moment + 100)
            made = program.kernel if launches else program.work
            made(moment + 110, moment + 9_900, **({"launched": moment + 105} if launches else {}))
            program.add(Kind.OPERATOR, "aten::mm", moment + 101, moment + 120)
            moment += 10_000
        program.add(Kind.RANGE, SEVERAL, moment, moment + 50)  # the end of the epoch
        moment += 60
    return program.evidence()


def test_workers_that_start_anew_for_each_short_epoch_are_told_with_its_length():
    found = find(epochs(batches=6, starts=4))
    assert found.title == "the loader starts its processes anew for each short epoch" and found.confidence == "high"
    assert "persistent_workers=True" in found.advice and "about 6 batches" in found.evidence[0].text
    assert found.share == pytest.approx(0.37, abs=0.06)


@pytest.mark.parametrize("healthy", [{"batches": 20, "starts": 1}, {"batches": 6, "starts": 4, "seed": "aten::add"}])
def test_one_start_and_pauses_for_another_reason_are_no_restarts(healthy):
    found = find(epochs(**healthy))
    assert found is None or isinstance(found, Abstained) or "anew" not in found.title


@pytest.mark.parametrize(("can_run", "confidence"), [(2.0, "high"), (7.5, "low")])
def test_input_that_a_library_makes_on_many_cores_is_no_fault(can_run, confidence):
    program = Program(step=10_000)
    for base in program.starts():
        copy = {"kind": Kind.COPY, "bytes": 2**20, "launcher": "cudaMemcpyAsync"}
        program.kernel(base + 6000, base + 6100, "Memcpy HtoD (Pageable -> Device)", **copy)
        program.kernel(base + 6100, base + 10_000, launched=base + 6050)
    threads = {"torch": 16.0, "cpus": 16.0, "can_run": can_run, "worker_processes": 0.0}
    program.events.about["perfproof_threads"] = threads
    found = find(program.evidence())
    assert found.confidence == confidence and ("many cores" in found.evidence[-1].text) == (confidence == "low")


def test_a_choice_without_repeats_of_the_old_interface_permutes_everything():
    line = "batch (a.py:3);[runs] np.random.choice(self.size, count, replace=False)"
    slow = stacks(f"fit (a.py:9);torch.utils.data.dataloader:__next__;{line} 400", "fit (a.py:7);step (a.py:2) 600")
    assert "permutes all elements" in find(waiting(until=400).evidence(stacks=slow)).advice
    new = stacks(
        "fit (a.py:9);torch.utils.data.dataloader:__next__;batch (a.py:3);[runs] rng.choice(n, k, replace=False) 400",
        "fit (a.py:7);step (a.py:2) 600",
    )
    assert "permutes" not in find(waiting(until=400).evidence(stacks=new)).advice


STARTS_PROCESSES = "fit (a.py:9);torch.utils.data.dataloader:__iter__;multiprocessing.popen_fork:_launch"


@pytest.mark.parametrize(("sampled", "rule"), [(200, "input_bound"), (800, "python_code")])
def test_starts_of_a_loader_are_told_once_and_with_their_line(sampled, rule):
    """Samples miss what the first batch waits for; they may also have more than the trace."""
    lines = stacks(f"{STARTS_PROCESSES} {sampled}", f"fit (a.py:12);[aten::mm] {1000 - sampled}")
    findings = diagnose(replace(epochs(batches=6, starts=4), stacks=lines)).findings
    assert findings[0].rule == rule and any("fit (a.py:9)" in one.text for one in findings[0].evidence)
    assert not {"input_bound", "python_code"} - {rule} & {one.rule for one in findings if one.confidence != "low"}


CALLED = "main (a.py:3);torch.nn.modules.module:_call_impl;forward (a.py:20);filters (a.py:9);[python]"


def test_python_in_a_models_forward_is_no_input_though_its_answer_is_copied():
    evidence = replace(fed_by_python(), stacks=stacks(f"{CALLED} 400", "main (a.py:5);[aten::mm] 600"))
    first = diagnose(evidence).findings[0]
    assert first.rule == "host_work" and first.share == pytest.approx(0.4) and "model's forward" in first.title
    assert "register_buffer" in first.advice and any("filters (a.py:9)" in one.text for one in first.evidence)


@pytest.mark.parametrize(
    "lines",
    [
        ("load (a.py:9);[python] 400", "main (a.py:5);[aten::mm] 600"),
        ("load (a.py:9);[python] 300", f"{CALLED} 250", "main (a.py:5);[aten::mm] 450"),
        (f"{CALLED} 100", "main (a.py:5);[aten::mm] 900"),
    ],
)
def test_python_before_a_copy_that_the_model_does_not_call_is_input(lines):
    assert diagnose(replace(fed_by_python(), stacks=stacks(*lines))).findings[0].rule == "input_bound"
