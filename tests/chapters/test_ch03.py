"""Chapter 3, the operating system: the sides are right, do the whole work, and put back every state they touch."""

import os
import threading
import time

import pytest
import torch

from perfproof.bench.run import make_job
from perfproof.bench.target import run_target
from perfproof.core.options import RunOptions
from perfproof.machine.facts import read_facts
from perfproof.pairs.availability import availability
from perfproof.pairs.contract import read_pair
from perfproof.worker.verify import watch
from tests.chapters.loaded_pair import CHAPTERS, LoadedPair, wrong_answers

CHAPTER = "ch03_operating_system"
ANYWHERE = ["thread_count", "denormals", "pinned_prefetch", "core_affinity", "interop_threads"]
FLOATING = [name for name in [*ANYWHERE, "numa_local"] if name != "pinned_prefetch"]  # every argument can be scaled
SEEDS = range(3)
MARGIN = 0.6  # honest rounding uses at most this share of a tolerance


def pair(name: str) -> LoadedPair:
    return LoadedPair(f"{CHAPTER}/{name}")


def read(name: str):
    return read_pair(CHAPTERS / CHAPTER / f"{name}.py", f"ch03:{name}", "ch03")


@pytest.mark.parametrize("name", [*ANYWHERE, "numa_local"])
def test_every_pair_keeps_the_contract_and_has_sizes_for_a_cpu(name):
    declared = read(name)
    assert declared.workload_cpu and declared.smoke and declared.tier == "idiomatic"
    assert len(declared.menu) == 2 and declared.variants == ("optimized",)
    assert declared.needs == ({"numa": 2} if name == "numa_local" else {})


def test_without_a_second_node_numa_local_is_skipped_with_that_reason():
    facts = read_facts("cpu")
    assert availability(read("numa_local"), type(facts)(**{**vars(facts), "numa": 1})).reason == (
        "needs 2 NUMA nodes; this machine has 1"
    )


@pytest.mark.parametrize("name", ANYWHERE)
def test_the_harness_finds_every_side_right_and_nothing_left_behind_at_smoke_sizes(name, launches):
    job = make_job(read(name), {}, RunOptions(timeout=60), read_facts("cpu"), "5eed", time.monotonic() + 60)
    result, _, log = run_target(job, launches, lambda *_, **__: None, timed=False)
    failed = {check.name: check.detail for check in result.checks if check.result == "fail"}
    assert result.status == "skipped" and failed == {}, (result.reason, failed, log)  # verified, not timed
    assert {"switches restored", "finished on return"} <= {check.name for check in result.checks}


@pytest.mark.parametrize("name", FLOATING)
def test_every_side_agrees_with_the_reference_on_drawn_and_on_renewed_values(name):
    loaded = pair(name)
    before = watch.flags()
    for seed in SEEDS:
        drawn = loaded.draw(loaded.module.smoke, seed)
        for arguments in (drawn, loaded.renewed(drawn, seed)):
            expected = loaded.expected(arguments)
            for side in loaded.sides:
                assert loaded.of_tolerance(loaded.outputs(side, arguments), expected) < MARGIN, (side, seed)
    assert watch.switched(before) == []


@pytest.mark.parametrize("name", FLOATING)
def test_a_wrong_answer_is_outside_the_tolerance(name):
    loaded = pair(name)
    arguments = loaded.draw(loaded.module.smoke, seed=1)
    expected = loaded.expected(arguments)
    wrong = wrong_answers(expected[0], arguments, torch.float32)
    if name == "denormals":  # half of its answers are too small to be told from zero
        del wrong["one element missing"]
    for what, answer in wrong.items():
        assert loaded.of_tolerance([answer], expected) > 1, what


def test_the_two_sides_of_thread_count_differ_in_their_threads_and_the_process_keeps_its_own():
    module, before = pair("thread_count").module, torch.get_num_threads()
    x = torch.randn(64)
    many, one_a_core = module.prepare_baseline(x), module.prepare_optimized(x)
    cores = len(os.sched_getaffinity(0))
    assert many.submit(torch.get_num_threads).result() == module.TIMES * cores
    assert one_a_core.submit(torch.get_num_threads).result() == cores
    assert torch.get_num_threads() == before
    counts: list[int] = []
    late = threading.Thread(target=lambda: counts.append(torch.get_num_threads()))
    late.start()
    late.join()
    assert counts == [before]


@pytest.mark.parametrize("side", ["baseline", "optimized"])
def test_every_layer_of_every_element_is_run_whatever_the_threads(side):
    loaded = pair("thread_count")
    x = torch.linspace(-3, 3, 70_001)  # more than one thread's share
    result = loaded.outputs(side, [x])[0]
    one_short = x.double()
    for _ in range(loaded.module.LAYERS - 1):
        one_short = torch.tanh(one_short)
    assert (
        loaded.of_tolerance([result], [torch.tanh(one_short)]) < MARGIN < 1 < loaded.of_tolerance([result], [one_short])
    )


def denormal(tensor: torch.Tensor) -> torch.Tensor:
    return (tensor != 0) & (tensor.abs() < torch.finfo(torch.float32).tiny)


def test_the_inputs_hold_denormals_in_every_vector_however_often_they_are_renewed():
    loaded = pair("denormals")
    arguments = loaded.draw(loaded.module.workload_cpu, seed=4)
    for turn in range(50):
        arguments = loaded.renewed(arguments, turn)
        gradient, moment = arguments
        assert denormal(moment).view(-1, 16).any(-1).float().mean() > 0.99
        assert denormal(gradient.square()).view(-1, 16).any(-1).float().mean() > 0.99


def test_flushing_changes_what_is_below_the_smallest_normal_number_and_nothing_else():
    loaded = pair("denormals")
    arguments = loaded.draw(loaded.module.workload_cpu, seed=5)
    plain, flushed = (loaded.outputs(side, arguments)[0] for side in loaded.sides)
    assert denormal(plain).float().mean() == pytest.approx(0.4, abs=0.02)
    assert not denormal(flushed).any() and (flushed == 0).any()
    assert torch.equal(torch.where(denormal(plain), 0.0, plain), flushed)


def test_the_flag_for_denormals_is_put_back_even_where_the_work_fails():
    module = pair("denormals").module
    with pytest.raises(RuntimeError):
        module.optimized(torch.ones(3), torch.ones(4))
    assert not watch.flags()["flush denormals"]


def batches(module, seed: int):
    torch.manual_seed(seed)
    return module.inputs(samples=101, width=33, batches=5, rows=7, hidden=13)


def test_every_batch_is_staged_in_its_place_and_no_buffer_holds_over_from_the_one_before():
    loaded = pair("pinned_prefetch")
    module = loaded.module
    kept = {
        "baseline": module.prepare_baseline(*batches(module, 0)),
        "optimized": module.prepare_optimized(*batches(module, 0)),
    }
    for seed in (1, 2, 3):
        arguments = batches(module, seed)
        expected = module.reference(*arguments)
        for side, state in kept.items():
            result = getattr(module, side)(state, *arguments)
            assert loaded.of_tolerance([result], [expected]) < MARGIN, (side, seed)
        for number in range(len(expected)):  # a batch that was staged one too late or too early
            stale = expected.clone()
            stale[number] = expected[number - 1]
            assert loaded.of_tolerance([stale], [expected]) > 1


def test_the_staging_thread_fills_two_buffers_in_turn_and_has_nothing_left_to_do_on_return(monkeypatch):
    module = pair("pinned_prefetch").module
    arguments = batches(module, 6)
    thread, stream, buffers = module.prepare_optimized(*arguments)
    stage, staged = module.stage, []

    def noted(buffer, *rest):
        staged.append(buffer.data_ptr())
        return stage(buffer, *rest)

    monkeypatch.setattr(module, "stage", noted)
    module.optimized((thread, stream, buffers), *arguments)
    first, second = (buffer.data_ptr() for buffer in buffers)
    assert staged == [first, second, first, second, first]
    assert thread._work_queue.empty()


def test_the_pinned_side_runs_on_one_core_and_gives_the_mask_back(monkeypatch):
    module, allowed = pair("core_affinity").module, os.sched_getaffinity(0)
    seen = []
    monkeypatch.setattr(module, "serve", lambda x, table: seen.append(os.sched_getaffinity(0)))
    module.optimized(None, None)
    assert seen == [{max(allowed)}] and os.sched_getaffinity(0) == allowed
    monkeypatch.setattr(module, "serve", lambda x, table: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        module.optimized(None, None)
    assert os.sched_getaffinity(0) == allowed


@pytest.mark.parametrize("cores", [1, 2, 3, 7])
def test_all_branches_are_run_by_however_many_threads(monkeypatch, cores):
    loaded, before = pair("interop_threads"), torch.get_num_threads()
    module = loaded.module
    monkeypatch.setattr(module.os, "sched_getaffinity", lambda _: set(range(cores)))
    arguments = loaded.draw(module.smoke, seed=cores)
    others = module.prepare_optimized(*arguments)
    assert len(others) == cores - 1
    result = module.optimized(others, *arguments)
    assert loaded.of_tolerance([result], loaded.expected(arguments)) < MARGIN
    for branch in range(len(result)):
        changed = arguments[0].clone()
        changed[branch] *= -1
        moved = (module.optimized(others, changed, arguments[1]) != result).flatten(1).any(1)
        assert moved.nonzero().flatten().tolist() == [branch]
    assert torch.get_num_threads() == before


@pytest.fixture
def two_nodes(tmp_path):
    """The files of a machine with two sockets, and a node of memory without cores, as large servers show it."""
    loaded = pair("numa_local")
    for number, (cpus, distances) in enumerate([("0-1,4-5\n", "10 21 17"), ("2-3\n", "21 10 28"), ("\n", "17 28 10")]):
        (tmp_path / f"node{number}").mkdir()
        (tmp_path / f"node{number}" / "cpulist").write_text(cpus)
        (tmp_path / f"node{number}" / "distance").write_text(distances + "\n")
    (tmp_path / "possible").write_text("0-2\n")
    loaded.module.NODES = str(tmp_path)
    return loaded.module


def test_nodes_without_cores_are_left_out_and_the_farthest_is_found(two_nodes):
    assert two_nodes.nodes() == {0: {0, 1, 4, 5}, 1: {2, 3}}
    near, far, ratio = two_nodes.near_and_far()
    assert (near, far, ratio) in ((0, 1, 2.1), (1, 0, 2.1))
    assert two_nodes.cost(rows=1, cols=1) == {"predicted_optimized": 2.1}


def test_weights_are_written_on_the_far_node_by_one_side_and_on_the_near_one_by_the_other(two_nodes, monkeypatch):
    visited, allowed, threads = [], os.sched_getaffinity(0), torch.get_num_threads()
    monkeypatch.setattr(two_nodes.os, "sched_getaffinity", lambda _: {0, 1})
    monkeypatch.setattr(two_nodes.os, "sched_setaffinity", lambda _, cpus: visited.append(cpus))
    x, weight = torch.randn(33), torch.randn(5, 33)
    placed = two_nodes.prepare_baseline(x, weight)
    assert visited == [{2, 3}, {0, 1}]
    assert placed[1].data_ptr() != weight.data_ptr() and torch.equal(placed[1], weight)
    two_nodes.prepare_optimized(x, weight)
    two_nodes.baseline(placed, x, weight)
    assert visited[2:] == [{0, 1}] * 4  # near to write, near to read; the mask given back each time
    monkeypatch.undo()
    assert (os.sched_getaffinity(0), torch.get_num_threads()) == (allowed, threads)


def test_the_models_say_what_the_docstrings_say(monkeypatch):
    names = {name: pair(name).module for name in ANYWHERE}
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0})
    predicted = {name: module.cost(**module.workload_cpu).get("predicted_optimized") for name, module in names.items()}
    assert predicted["thread_count"] == pytest.approx(4.05, abs=0.01)
    assert predicted["denormals"] == pytest.approx(12.5, abs=0.1)
    assert predicted["interop_threads"] == 1 and predicted["core_affinity"] is None
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(15)))
    assert names["interop_threads"].cost(**names["interop_threads"].workload)["predicted_optimized"] == 15
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    prefetch = names["pinned_prefetch"]
    assert prefetch.cost(**prefetch.workload)["predicted_optimized"] == pytest.approx(1.7, abs=0.1)
    assert prefetch.cost(samples=1, width=1, batches=1, rows=1, hidden=1)["predicted_optimized"] == 1
    assert names["thread_count"].cost(**names["thread_count"].workload)["predicted_optimized"] == pytest.approx(
        3.9, abs=0.1
    )
