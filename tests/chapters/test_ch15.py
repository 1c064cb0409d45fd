"""Chapters 15 and 16, inference and serving: sides are right on ragged sizes, and what leaves something out is found.

Pairs that need a GPU run here on a CPU, without graphs.
"""

import time

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from perfproof.bench.launches import Launches
from perfproof.bench.run import make_job
from perfproof.bench.target import run_target
from perfproof.core.documents import TargetResult
from perfproof.core.options import RunOptions
from perfproof.engine.offline import greedy_requests
from perfproof.machine.facts import read_facts
from perfproof.pairs.availability import availability
from perfproof.pairs.contract import read_pair
from tests.chapters.loaded_pair import CHAPTERS, LoadedPair

FOLDERS = ("ch15_inference", "ch16_serving")
PAIRS = {path.stem: path for folder in FOLDERS for path in sorted((CHAPTERS / folder).glob("*.py"))}
ON_RANKS = ("disaggregated_pipeline", "expert_all_to_all", "tensor_parallel_mlp")
NEEDS_GPU = ("graph_buckets",)
EXACT = ("async_scheduler", "chunked_prefill", "continuous_batching", "graph_buckets", "kv_cache", "paged_kv",
         "prefix_cache", "speculative_ngram")  # fmt: skip
SECONDS = 90.0
DEFECTS = [  # a part of a pair's source, and what is wrong in its place
    ("kv_cache", "slot * runner.width, (slot + 1) * runner.width", "0, runner.width"),  # all share one's blocks
    ("continuous_batching", "return padded(answers(", "return 1 + padded(answers("),
    ("moe_grouped", "back[order] = answers", "back = answers"),
    ("moe_grouped", "inner[order // chosen.shape[1]].split", "inner[order % len(inner)].split"),
    ("prefix_cache", "torch.tensor([request.answer for", "torch.tensor([requests[0].answer for"),
    ("paged_kv", "block_size=PAGE)", "block_size=PAGE).roll(1, 0)"),
    ("weight_only_int8", "return runner_for(text, weights)", "return runner_for(text, off(weights))"),
    ("weight_only_int4", "return runner_for(text, weights)", "return runner_for(text, off(weights))"),
]
OFF = """

def off(weights):
    from dataclasses import replace

    scales = weights.layers[0].down.scales * 1.01
    return replace(weights, layers=[replace(weights.layers[0], down=replace(weights.layers[0].down, scales=scales))])
"""
LESS_ON_RANKS = {
    "tensor_parallel_mlp": ("    dist.all_reduce(part)\n", ""),
    "expert_all_to_all": ("dist.all_to_all_single(back, own_experts(rows, choices, layer), out, into)", "back.zero_()"),
    "disaggregated_pipeline": ("torch.cat([first, prefilled.sent])", "torch.cat([first, 0 * prefilled.sent])"),
}


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def verified(launches: Launches):
    """Every side at smoke sizes through the real verification, no time measured."""

    def verify(path) -> TargetResult:
        pair, options = read_pair(path, path.stem, "tests"), RunOptions(timeout=SECONDS, fast=True)
        job = make_job(pair, {}, options, read_facts("cpu"), "5eed", time.monotonic() + SECONDS)
        return run_target(job, launches, lambda *_, **__: None, timed=False)[0]

    return verify


def arguments(pair: LoadedPair, seed: int, **sizes) -> dict:
    """All arguments by name, as the harness puts them together."""
    torch.manual_seed(seed)
    sizes = pair.module.smoke | sizes
    constants = getattr(pair.module, "constants", None)
    made: dict = {}
    if constants is not None:
        wanted = {name: sizes[name] for name in parameters(constants)}
        found = constants(**wanted)
        made = dict(zip(pair.constant, found if isinstance(found, tuple) else (found,), strict=True))
    given = {name: sizes.get(name, made.get(name)) for name in parameters(pair.module.inputs)}
    drawn = pair.module.inputs(**given)
    free = [name for name in pair.names if name not in made]
    drawn = drawn if isinstance(drawn, tuple) else (drawn,)
    return dict(zip(free, drawn, strict=True)) | made


def parameters(function) -> tuple:
    return function.__code__.co_varnames[: function.__code__.co_argcount]


def share(pair: LoadedPair, side: str, given: dict) -> float:
    """Above 1 is a wrong answer; of tokens any difference is."""
    values = [given[name] for name in pair.names]
    prepare = getattr(pair.module, f"prepare_{side}", None)
    found = getattr(pair.module, side)(*((prepare(*values),) if prepare else ()), *values)
    expected = pair.module.reference(*values)
    if isinstance(found, tuple):
        assert found[1] == expected[1]
        found, expected = found[0], expected[0]
    assert found.shape == expected.shape
    if not found.is_floating_point():
        return 0.0 if torch.equal(found, expected) else float("inf")
    return pair.of_tolerance([found], [expected])


def pair_of(name: str) -> LoadedPair:
    return LoadedPair(str(PAIRS[name].with_suffix("")))


def test_the_chapters_have_the_pairs_of_their_pages():
    for folder in FOLDERS:
        page = (CHAPTERS / folder / "README.md").read_text()
        assert all(f"`{name}`" in page for name, path in PAIRS.items() if path.parent.name == folder)


@pytest.mark.parametrize("name", [name for name in PAIRS if name not in ON_RANKS])
def test_every_side_agrees_with_its_reference_on_ragged_sizes(name):
    pair = pair_of(name)
    given = arguments(pair, seed=3)
    for side in pair.sides:
        assert share(pair, side, given) < 0.6, side


@pytest.mark.parametrize("name", ["kv_cache", *ON_RANKS])
def test_the_real_verification_passes(verified, name):
    result = verified(PAIRS[name])
    assert result.status == "skipped" and not result.reason, result.reason  # verified only
    assert {check.result for check in result.checks} == {"pass"}


@pytest.mark.parametrize("name", ON_RANKS)
def test_a_side_on_ranks_that_leaves_something_out_is_found(verified, tmp_path, name):
    work, less = LESS_ON_RANKS[name]
    source = PAIRS[name].read_text()
    assert source.count(work) == 1
    lazy = tmp_path / "lazy.py"
    lazy.write_text(source.replace(work, less))
    result = verified(lazy)
    assert result.status == "failed-verification" and "optimized" in result.reason


@pytest.mark.parametrize(("name", "old", "new"), DEFECTS, ids=[f"{one[0]}-{at}" for at, one in enumerate(DEFECTS)])
def test_a_planted_defect_is_caught(tmp_path, name, old, new):
    source = PAIRS[name].read_text()
    assert source.count(old) == 1
    wrong = tmp_path / f"{name}.py"
    wrong.write_text(source.replace(old, new) + (OFF if "off(" in new else ""))
    pair = LoadedPair(str(wrong.with_suffix("")))
    assert share(pair, "optimized", arguments(pair, seed=4)) > 1


def test_only_graphs_need_a_gpu():
    for name, path in PAIRS.items():
        here = availability(read_pair(path, name, "tests"), read_facts("cpu"))
        assert here.timed == (name not in NEEDS_GPU), name


@pytest.mark.parametrize("name", EXACT)
def test_tokens_have_no_tolerance(name):
    assert pair_of(name).module.tolerance == dict(rtol=0, atol=0)


def test_a_place_that_is_free_is_filled_in_the_next_step():
    pair = pair_of("continuous_batching")
    given = arguments(pair, seed=1, requests=12, places=3, answer=16)
    values, counted = [given[name] for name in pair.names], {}
    for side in pair.sides:
        engine = getattr(pair.module, f"prepare_{side}")(*values)
        getattr(pair.module, side)(engine, *values)
        counted[side] = engine.steps
    assert counted["optimized"] < counted["baseline"]


def test_guesses_are_confirmed_on_real_text_and_not_always():
    """The acceptance of a model that has learnt the text; one that has not is guessed right less often."""
    pair = pair_of("speculative_ngram")
    given = arguments(pair, seed=2, steps=60, prompt=128, answer=32)
    values = [given[name] for name in pair.names]
    engine = pair.module.prepare_optimized(*values)
    drafted = right = 0
    for request in greedy_requests(values[0].tolist(), [32] * len(values[0])):
        engine.add(request)
    while engine.is_busy:
        engine.step()
        drafted, right = drafted + engine.last_step.drafted, right + engine.last_step.accepted
    assert 0 < right < drafted


def test_chunks_give_the_decoding_requests_their_tokens_after_less_of_the_prompt():
    pair = pair_of("chunked_prefill")
    given = arguments(pair, seed=1)
    values, tokens = [given[name] for name in pair.names], {}
    for side in pair.sides:
        engine = getattr(pair.module, f"prepare_{side}")(*values)
        widest = []
        plan = engine.scheduler.plan
        engine.scheduler.plan = lambda *a, plan=plan, widest=widest: (made := plan(*a), widest.append(made.tokens))[0]
        getattr(pair.module, side)(engine, *values)
        tokens[side] = max(widest)
        assert engine.blocks.used == 0 and not engine.is_busy
    assert tokens["baseline"] >= pair.module.smoke["prompt"]
    assert tokens["optimized"] <= pair.module.smoke["chunk"] + 2 * pair.module.START


def test_a_prefix_is_found_within_a_call_and_not_of_the_call_before():
    pair = pair_of("prefix_cache")
    given = arguments(pair, seed=1)
    values, computed = [given[name] for name in pair.names], []
    engine = pair.module.prepare_optimized(*values)
    plan, seen = engine.scheduler.plan, []
    engine.scheduler.plan = lambda *a: (made := plan(*a), seen.append(made.tokens))[0]
    for _ in range(2):
        seen.clear()
        pair.module.optimized(engine, *values)
        computed.append(sum(seen))
    smoke = pair.module.smoke
    whole = smoke["requests"] * (smoke["shared"] + smoke["own"])
    assert computed[0] == computed[1] < whole


def test_pages_hold_the_tokens_that_are_there():
    pair = pair_of("paged_kv")
    cost = pair.module.cost(**pair.module.workload)
    assert 4 < cost["predicted_optimized"] < 6.5


@pytest.mark.parametrize(
    "name, low, high", [("ch15_inference/kv_cache", 2.1, 2.2), ("ch16_serving/prefix_cache", 1.4, 1.5)]
)
def test_on_a_cpu_what_is_issued_is_part_of_the_prediction(name, low, high):
    module = LoadedPair(name).module
    assert low < module.cost(**module.workload_cpu)["predicted_optimized"] < high
    assert "predicted_optimized" not in module.cost(**module.workload)


class Dispatched(TorchDispatchMode):
    """Counts the operations that torch dispatches."""

    count = 0

    def __torch_dispatch__(self, operation, types, arguments=(), named=None):
        self.count += 1
        return operation(*arguments, **(named or {}))


def test_the_operations_that_the_prediction_counts_are_those_that_are_dispatched():
    pair = LoadedPair("ch15_inference/kv_cache")
    for layers in (1, 2):
        given = arguments(pair, 1, layers=layers, requests=2, answer=6)
        values = [given[name] for name in pair.names]
        prepared = pair.module.prepare_optimized(*values)
        with Dispatched() as seen:
            pair.module.optimized(prepared, *values)
        counted = pair.module.issue_seconds(layers, 6) / pair.module.ISSUE_SECONDS
        assert 0.85 < counted / seen.count < 1.15


def test_the_costs_are_those_of_a_count_by_hand():
    def cost(name):
        module = pair_of(name).module
        return module.cost(**module.workload)

    eight, four = cost("weight_only_int8"), cost("weight_only_int4")
    assert eight["baseline_bytes"] / eight["optimized_bytes"] == pytest.approx(1.97, abs=0.01)
    assert four["baseline_bytes"] / four["optimized_bytes"] == pytest.approx(3.76, abs=0.01)
    cached = cost("kv_cache")
    assert 20 < cached["baseline_flops"] / cached["optimized_flops"] < 32
    prefix = cost("prefix_cache")
    assert 8 < prefix["baseline_flops"] / prefix["optimized_flops"] < 16
    batching = cost("continuous_batching")
    assert 1.5 < batching["baseline_bytes"] / batching["optimized_bytes"] < 4
    assert (
        cost("expert_all_to_all")["predicted_optimized"] < 2 and cost("tensor_parallel_mlp")["predicted_optimized"] < 2
    )
