"""Pairs that cheat, and pairs that only look like it: the first are stopped by the right check, the second are not.

Every file beside this one is an attack; its docstring says what it claims and how it cheats. What only repeats a plain
product of matrices is borrowed from product.py. The tables say what has to happen to each. Files in honest/ do what an
attack does, lawfully.

Known gaps, tried and not closed:

* Native code. A C extension, or ctypes used to the full, can read and write all of the process. What is looked at from
  outside still holds: the run's clock, the signed line, the exit status.
* Module namespaces. A pair can reach the modules of the harness (`torch.sys.modules`); what it replaces there is found,
  what it only reads is not. The calls of a sample are in a frame that `logging` can hand over; that it does not pay to
  know them is tested here.
* Values outside of what `inputs` draws, where an argument is not floating point: what whole numbers and texts may be is
  not known, so a variant that is wrong only for others is not found.
* A state that is carried from call to call and only makes the next one shorter (a warm start of an iteration).
* Of ranks on a CPU, a collective in flight after the return that takes less than 0.3 ms of processor time.
* Memory that a child process takes is not counted in a claim about memory.
* On a GPU "nothing remembered" does not run: a single call waits for the device, which timed ones do not.
"""

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from perfproof.bench import job
from perfproof.core.errors import ContractError
from tests.conftest import SMALL

HERE = Path(__file__).parent
LENDER = "product"
# Launches for an interval, and a few quads in each: what slows the other side slows it by half or more.
FEW_QUADS = replace(SMALL, quads=5, most_quads=10, seconds=0.02)

# What verification stops, before anything is timed: status, and words of the reason.
STOPPED_AT_ONCE = {
    "answer_left_for_an_index": ("failed-verification", "right at extremes: optimized"),
    "alarm_clock": ("rejected", "switches restored: optimized at timed sizes: signal handlers"),
    "all_constant": ("refused", "values change: every argument is constant"),
    "answer_as_argument": ("refused", "the input passes"),
    "answer_in_a_global": ("failed-verification", "right at extremes: optimized"),
    "answer_in_an_object": ("failed-verification", "right at extremes: optimized"),
    "answer_in_preparation": ("failed-verification", "wrong answer: optimized at timed sizes"),
    "answer_scaled": ("failed-verification", "right at extremes: optimized with values all zero"),
    "batch_and_skip": ("failed-verification", "wrong answer: optimized at timed sizes"),
    "cached_by_pointer": ("failed-verification", "wrong answer: optimized at timed sizes"),
    "cached_by_shape": ("failed-verification", "wrong answer: optimized at timed sizes"),
    "closed_line": ("crashed", "exited with 70 before the end"),
    "collector_callback": ("rejected", "gc.callbacks: [] to ["),
    "computed_from_the_base": ("failed-verification", "right at extremes: optimized with values in strided memory"),
    "constant_output": ("failed-verification", "wrong answer: optimized at timed sizes"),
    "deferred_to_child": ("rejected", "nothing patched: os.fork used while it was verified"),
    "deferred_to_executor": ("failed-verification", "wrong answer: optimized at timed sizes"),
    "deferred_to_raw_thread": ("failed-verification", "wrong answer: optimized at timed sizes"),
    "deferred_to_thread": ("failed-verification", "wrong answer: optimized at timed sizes"),
    "doubled_worker": ("rejected", "nothing patched: os.fork used"),
    "exits_by_exception": ("crashed", "SystemExit: 0"),
    "exits_quietly": ("crashed", "exited with 0 before the end"),
    "finds_the_harness": ("rejected", "nothing patched: gc.get_objects used while it was verified"),
    "fixed_inputs": ("refused", "`inputs` gives the same values for every seed"),
    "forged_message": ("rejected", "a forged message came over the worker's line"),
    "frozen_inputs": ("failed-verification", "wrong answer: optimized at timed sizes"),
    "function_mode": ("rejected", "torch function modes: 0 to 1"),
    "half_precision": ("failed-verification", "precision: optimized has 0.000"),
    "half_precision_behind_noise": ("failed-verification", "precision: optimized has 0.000"),
    "input_changed": ("failed-verification", "arguments unchanged: optimized at timed sizes: changes its argument `x`"),
    "input_returned": ("failed-verification", "the result shares memory with the argument `x`"),
    "input_view": ("failed-verification", "the result shares memory with the argument `x`"),
    "input_view_in_disguise": ("failed-verification", "the result shares memory with the argument `x`"),
    "kills_itself": ("crashed", "killed by SIGKILL"),
    "lazy_list": ("failed-verification", "the result holds a Later, which finds its parts by code of its own"),
    "lazy_tensor": ("failed-verification", "the result is a Later, not a plain torch.Tensor"),
    "loose_behind_an_infinity": ("refused", "zeros passes: worst difference"),
    "loose_for_one_part": ("refused", "zeros passes for part 1"),
    "loose_tolerance": ("refused", "zeros passes: worst difference"),
    "out_of_memory": ("crashed", "memory: you tried to allocate"),
    "partial_work": ("failed-verification", "wrong answer: optimized at timed sizes"),
    "patched_clock": ("rejected", "time.perf_counter replaced while it was verified"),
    "patched_comparison": ("rejected", "torch.allclose replaced while it was verified"),
    "patched_event": ("rejected", "torch.cuda.Event replaced while it was verified"),
    "patched_harness_builtin": ("rejected", "perfproof.worker.verify.compare.float replaced"),
    "patched_harness_clock": ("rejected", "perfproof.worker.measure.clocks._now replaced"),
    "patched_harness_clock_table": ("rejected", "perfproof.worker.measure.clocks.CLOCKS.('call', 'cpu') replaced"),
    "patched_harness_code": ("rejected", "nothing patched: __code__ used"),
    "patched_harness_compare": ("rejected", "perfproof.worker.verify.compare.difference replaced"),
    "patched_harness_findings": ("rejected", "perfproof.worker.verification.Findings.note replaced"),
    "patched_harness_watch": ("rejected", "perfproof.worker.verify.guard.Guard.look replaced"),
    "patched_on_import": ("rejected", "torch.equal replaced on import"),
    "patched_reference": ("rejected", "reference's own.product replaced"),
    "patched_statistics": ("rejected", "statistics.median replaced"),
    "rank_in_flight": ("failed-verification", "finished on return: "),
    "rank_wrong": ("failed-verification", "rank 1: optimized at smoke sizes"),
    "raises": ("crashed", "RuntimeError: no product today"),
    "reads_frames_unseen": ("rejected", "nothing patched: sys._getframe used while it was verified"),
    "segfault": ("crashed", "killed by SIGSEGV"),
    "settings_of_a_step": ("rejected", "switches restored: flush denormals: False to True on import"),
    "settings_of_one_side": (
        "rejected",
        "switches restored: torch.get_float32_matmul_precision(): highest to medium on",
    ),
    "slowed_dependency": ("rejected", "torch.mm replaced while it was verified"),
    "stale_memory": ("failed-verification", "wrong answer: optimized at timed sizes"),
    "stale_memory_searched": ("failed-verification", "wrong answer: optimized at timed sizes"),
    "task_not_awaited": ("crashed", "5 tasks were started and not awaited"),
    "switches_affinity": ("rejected", "switches restored: optimized at timed sizes: CPU affinity"),
    "switches_anomaly_mode": ("rejected", "torch.is_anomaly_enabled(): False to True"),
    "switches_collector": ("rejected", "garbage collector: True to False"),
    "switches_collector_threshold": ("rejected", "gc.get_threshold(): (700, 10, 10) to (1, 10, 10)"),
    "switches_decimals": ("rejected", "decimal.getcontext(): (28,"),
    "switches_denormals": ("rejected", "flush denormals: False to True"),
    "switches_environment": ("rejected", "environment variable OMP_NUM_THREADS"),
    "switches_gradients": ("rejected", "torch.is_grad_enabled(): True to False"),
    "switches_matmul_precision": ("rejected", "torch.get_float32_matmul_precision(): highest to medium"),
    "switches_priority": ("rejected", f"priority: {os.getpriority(os.PRIO_PROCESS, 0)} to 5"),
    "switches_threads": ("rejected", "torch.get_num_threads(): 1 to 2"),
    "works_on_after_return": ("failed-verification", "finished on return: optimized: work goes on"),
}

# What behaves until it is timed.
STOPPED_WHEN_TIMED = {
    "baseline_leaves_the_answer": ("failed-verification", "timed outputs: optimized"),
    "burns_after_return": ("failed-verification", "finished on return: "),
    "computed_ahead": ("failed-verification", "finished on return: "),
    "answer_left_in_a_library": ("failed-verification", "nothing remembered: optimized takes"),
    "answer_left_in_a_docstring": ("failed-verification", "nothing remembered: optimized takes"),
    "dispatcher_override": ("rejected", "the kernel of aten::sub.Tensor replaced"),
    "garbage_later": ("failed-verification", "timed outputs: optimized"),
    "half_precision_later": ("failed-verification", "precision: optimized has 0.000"),
    "input_changed_later": ("failed-verification", "arguments unchanged: "),
    "input_returned_later": ("failed-verification", "optimized while it was timed: the result shares memory"),
    "lazy_tensor_later": ("failed-verification", "optimized while it was timed: the result is a Later"),
    "noise_kept_when_timed": ("failed-verification", "timed outputs: optimized"),
    "old_answer_later": ("failed-verification", "timed outputs: optimized"),
    "switches_later": ("rejected", "torch.get_float32_matmul_precision(): highest to medium while it was timed"),
}

# What makes the other side slow, out of sight: found by the baseline's time in a process without the variant.
STOPPED_BY_ISOLATION = {
    "slowed_baseline": ("rejected", "isolation: the baseline takes"),
    "slowed_layer": ("rejected", "isolation: the baseline takes"),
}

# What gives right answers and gains nothing by its trick: the ratio a working one would have is far above this.
WITHOUT_GAIN = {
    "answer_as_attribute": 1.5,
    "answer_in_a_cached_property": 1.5,
    "cache_thrasher": 1.5,
    "cached_by_content": 1.5,
    "cached_by_content_short": 1.5,
    "cached_by_fingerprint": 1.5,
    "generator_replaced": 1.5,
    "input_poisoned_for_next_time": 1.5,
    "memory_only_when_looked_at": 1.5,
    "reseeded": 1.5,
    "memory_in_preparation": 3.0,
}

# What leaves out calls whose answer is not looked at, or prepares the next one: it is seen, or it gains nothing.
SEEN_OR_WITHOUT_GAIN = {
    "input_zeroed_for_next_time": "nothing remembered: optimized takes",
    "reads_frames_by_logging": "nothing remembered: optimized takes",
    "skips_the_beginning": "timed outputs: optimized",
}

SPECIAL = {"endless", "kills_its_parent", "reads_frames"}

HONEST = sorted(path.stem for path in (HERE / "honest").glob("*.py"))
# Honest pairs that are timed without their reference (test_smallest.py), and here verified with it.
TIMED_WITHOUT_A_REFERENCE = (
    "arrays",
    "copy",
    "in_place",
    "layer",
    "short_body",
    "sorted_values",
    "static_buffer",
    "table_in_preparation",
    "whole_numbers",
)


def undisturbed(run_attack, path: Path, fine):
    """The result, or that of a second run where the first was not `fine`: other work on the core looks like a cheat."""
    result = run_attack(path)
    return result if fine(result) else run_attack(path)


REASSOCIATED = """
import torch

workload = dict(n=64)
tolerance = dict(rtol=2e-2, atol=2e-2)


def inputs(n):
    return torch.randn(n, n), torch.randn(n, n)


def reference(x, y):
    return x.double() @ y.double()


def baseline(x, y):
    return x @ y


def optimized(x, y):
    return x[:, :32] @ y[:32] + x[:, 32:] @ y[32:]
"""


def attack(name: str) -> Path:
    return HERE / f"{name}.py"


@pytest.mark.parametrize("name", STOPPED_AT_ONCE)
def test_is_stopped_before_anything_is_timed(run_attack, run_pair, name):
    status, reason = STOPPED_AT_ONCE[name]
    result = run_attack(attack(name))
    assert (result.status, result.ratios) == (status, {})
    assert reason in result.reason and "\n" not in result.reason
    assert run_pair.samples == []


@pytest.mark.parametrize("name", STOPPED_WHEN_TIMED)
def test_is_stopped_when_it_is_timed(run_attack, name):
    status, reason = STOPPED_WHEN_TIMED[name]
    result = run_attack(attack(name))
    assert (result.status, result.ratios) == (status, {})
    assert reason in result.reason


def test_a_side_in_a_process_of_its_own_is_held_against_the_baseline_s_error(run_attack, monkeypatch):
    monkeypatch.setattr(job, "SLOW_SECONDS", 0.0)  # as where calls take seconds
    result = run_attack(attack("half_precision_later"))
    assert result.status == "failed-verification" and "precision: optimized has" in result.reason
    honest = run_attack(REASSOCIATED)
    assert honest.status == "ok", honest.reason
    assert {check.name: check.result for check in honest.checks}["isolation"] == "pass"


@pytest.mark.parametrize("name", STOPPED_BY_ISOLATION)
def test_is_stopped_by_the_baseline_s_own_process(run_attack, name):
    status, reason = STOPPED_BY_ISOLATION[name]
    result = run_attack(attack(name), effort=FEW_QUADS, timeout=240.0)
    if result.status == "ok":  # on a busy machine both intervals may be wide: then the sides were measured apart
        (check,) = [check for check in result.checks if check.name == "isolation"]
        assert check.detail.endswith("; processes of their own are judged") and result.verdict != "faster", check.detail
        return
    assert (result.status, result.ratios) == (status, {})
    assert reason in result.reason


@pytest.mark.parametrize("name", WITHOUT_GAIN)
def test_gains_nothing(run_attack, memory_left_out, name):
    limit = WITHOUT_GAIN[name]
    result = undisturbed(
        run_attack, attack(name), lambda found: found.status == "ok" and found.ratios["optimized"].ratio < limit
    )
    assert result.status == "ok", result.reason
    assert result.ratios["optimized"].ratio < limit


@pytest.mark.parametrize("name", SEEN_OR_WITHOUT_GAIN)
def test_leaving_out_calls_is_seen_or_gains_nothing(run_attack, memory_left_out, name):
    """Samples that end after any call leave nothing to leave out, and on a busy machine every sample has one call."""
    result = run_attack(attack(name))
    if result.status == "ok":
        assert result.ratios["optimized"].ratio < 1.5
    else:
        assert result.status == "failed-verification" and SEEN_OR_WITHOUT_GAIN[name] in result.reason


def test_a_pair_that_names_its_caller_s_frames_is_not_even_loaded(run_attack):
    with pytest.raises(ContractError, match=r"looks into the harness \(sys._getframe\)"):
        run_attack(attack("reads_frames"))


def test_a_pair_that_never_returns_runs_out_of_time(run_attack):
    result = run_attack(attack("endless"), timeout=1.5)
    assert result.status == "timeout"
    where = "(verification|loading the pair)"  # on a busy machine the time ends before verification begins
    assert re.search(f"ran out of time during {where}; --timeout gives it longer", result.reason)


def test_a_pair_that_kills_its_parent_harms_no_other(run_attack):
    result = run_attack(attack("kills_its_parent"))
    assert result.status == "crashed"
    assert result.reason == "the interpreter that the worker was forked from was killed"
    after = run_attack(attack("constant_output"))
    assert after.status == "failed-verification"


@pytest.mark.parametrize("name", TIMED_WITHOUT_A_REFERENCE)
def test_an_honest_pair_passes_the_verification(run_attack, verified_only, name):
    result = run_attack(HERE / "honest" / f"{name}.py")
    assert result.status == "ok", result.reason
    assert {check.result for check in result.checks} <= {"pass", "not-run"}
    assert all(variant.error.calls_checked for variant in result.variants.values())


@pytest.mark.parametrize("name", sorted({*HONEST} - {*TIMED_WITHOUT_A_REFERENCE}))
def test_honest_pairs_are_not_stopped(run_attack, few_outputs_checked, name):
    result = undisturbed(run_attack, HERE / "honest" / f"{name}.py", lambda found: found.status == "ok")
    assert result.status == "ok", result.reason
    assert {check.result for check in result.checks} <= {"pass", "not-run"}


def test_every_attack_is_in_one_table():
    tables = [STOPPED_AT_ONCE, STOPPED_WHEN_TIMED, STOPPED_BY_ISOLATION, WITHOUT_GAIN, SEEN_OR_WITHOUT_GAIN, SPECIAL]
    listed = [name for table in tables for name in table]
    files = [path.stem for path in HERE.glob("*.py") if not path.stem.startswith(("test_", "__", "conftest"))]
    assert sorted([*listed, LENDER]) == sorted(files)


def test_attacks_are_small():
    files = [path for path in HERE.glob("*.py") if not path.name.startswith(("test_", "__", "conftest"))]
    assert [path.stem for path in files if len(path.read_text().splitlines()) >= 50] == []
