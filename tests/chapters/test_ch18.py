"""Chapter 18, attention kernels: right on ragged shapes; each mistake that such kernels are known for is caught.

Triton kernels run in one child process through Triton's interpreter, which has to be chosen before Triton is imported.
So this file is also the child's program.
"""

import json
import tempfile
from pathlib import Path

import pytest
import torch
from torch.nn.attention.flex_attention import flex_attention

from tests.chapters.interpreted import interpreted_by
from tests.chapters.loaded_pair import LoadedPair, wrong_answers
from tests.chapters.planted_defect import answer, drawn, planted, share
from tests.triton_interpreter import replace_once_per_launch

CHAPTER = "ch18_attention"
PLAIN = ["chunked_window", "eos_polling", "fused_qkv", "gqa_packing"]
RAGGED = {  # around the edges: one key, a full block, one past it
    "split_kv_decode": [
        dict(context=1), dict(context=64), dict(context=65, group=1), dict(context=333, dtype="float16"),
    ],
    "mla_decode": [
        dict(context=1, batch=1), dict(context=32, heads=16), dict(context=33, heads=17),
        dict(dtype="float16", batch=2),
    ],
    "paged_layout": [
        dict(context=1), dict(context=64), dict(context=65), dict(context=130, dtype="float16"), dict(context=1_030),
    ],
    "fused_rope": [dict(tokens=1, heads=1, dim=2), dict(tokens=3, heads=8, dim=32), dict(tokens=7)],
}  # fmt: skip
DEFECTS = {  # name: pair, line, what replaces it, sizes, factor of the first argument
    "a part that also counts the first key of the next": (
        "split_kv_decode", "there = key < end", "there = key <= end", dict(context=200), 1,
    ),
    "a part that is one key short": (
        "split_kv_decode", "there = key < end", "there = key < end - 1", dict(context=200), 1,
    ),
    "a softmax that overflows": (
        "split_kv_decode", "tl.maximum(largest, tl.max(scores, 1))", "tl.zeros_like(largest)", dict(context=100), 40,
    ),
    "parts that are added without their shares": (
        "split_kv_decode", "share = share / tl.sum(share, 0)", "share = share / share", dict(context=200), 1,
    ),
    "a page read past its length": (
        "paged_layout", "index * PAGE + slot < length", "index * PAGE + slot <= length", dict(context=130), 1,
    ),
    "a page that nothing limits": (
        "paged_layout", "index * PAGE + slot < length", "slot < PAGE", dict(context=130), 1,
    ),
    "pages in the order of memory": (
        "paged_layout", "tl.load(table_ptr + sequence * pages + index)", "(sequence * pages + index)",
        dict(context=130), 1,
    ),
    "a rotation with swapped halves": (
        "fused_rope", "second = tl.load(x_ptr + place + half", "second = tl.load(x_ptr + place", dict(tokens=5), 1,
    ),
    "a rotation the other way": (
        "fused_rope", "first * cos - second * sin", "first * cos + second * sin", dict(tokens=5), 1,
    ),
    "a latent key without its turned part": (
        "mla_decode", "q_turned = tl.load(", "q_turned = 0 * tl.load(", dict(context=40), 1,
    ),
    "tokens behind the context count as zeros": (
        "mla_decode", "(first + tl.arange(0, BLOCK) < end)[None, :]", "(first + tl.arange(0, BLOCK) >= 0)[None, :]",
        dict(context=40), 1,
    ),
    "parts of a latent cache with equal shares": (
        "mla_decode", "weights = tl.exp2(lse - tl.max(lse, 0))", "weights = tl.where(part < parts, 1.0, 0.0)",
        dict(context=300), 1,
    ),
}  # fmt: skip


def interpret() -> dict:
    """Run in the child: shares of the tolerance, by case."""
    torch.set_num_threads(1)
    honest, planted_shares = {}, {}
    for name, cases in RAGGED.items():
        pair = LoadedPair(f"{CHAPTER}/{name}")
        for seed, sizes in enumerate([{}, *cases]):
            honest[f"{name} {sizes}"] = share(pair, "optimized", drawn(pair, seed, **sizes))
        arguments = drawn(pair, 9, **cases[1])
        strided = tuple(one.repeat_interleave(2, -1)[..., ::2] if torch.is_tensor(one) else one for one in arguments)
        honest[f"{name} with strides"] = share(pair, "optimized", strided)
    with tempfile.TemporaryDirectory() as folder:
        for what, (name, old, new, sizes, factor) in DEFECTS.items():
            right, wrong = LoadedPair(f"{CHAPTER}/{name}"), planted(f"{CHAPTER}/{name}", old, new, Path(folder))
            first, *rest = drawn(right, 3, **sizes)
            arguments = (first * factor, *rest)
            shares = [share(pair, "optimized", arguments) for pair in (right, wrong)]
            planted_shares[what] = [shares[0] / factor, shares[1]]  # scores are rounded in proportion to their size
    return dict(honest=honest, planted=planted_shares)


@pytest.fixture(scope="module")
def interpreted(one_warm_python) -> dict:
    pytest.importorskip("triton", reason="the kernels are written in Triton")
    return interpreted_by(one_warm_python, __name__)


def test_the_kernels_agree_with_their_references_on_ragged_shapes_and_on_strided_memory(interpreted):
    assert len(interpreted["honest"]) == sum(len(cases) + 2 for cases in RAGGED.values())
    assert {case: found for case, found in interpreted["honest"].items() if not found < 0.6} == {}


@pytest.mark.parametrize("what", DEFECTS)
def test_a_planted_defect_of_a_kernel_is_caught_where_the_kernel_itself_is_right(interpreted, what):
    right, wrong = interpreted["planted"][what]
    assert right < 1 < wrong


@pytest.mark.parametrize("name", PLAIN)
def test_the_sides_in_plain_torch_agree_with_the_reference(name):
    pair = LoadedPair(f"{CHAPTER}/{name}")
    for seed in range(3):
        arguments = drawn(pair, seed)
        for side in pair.sides:
            assert share(pair, side, arguments) < 0.6 if name != "eos_polling" else exact(pair, side, arguments)


def exact(pair: LoadedPair, side: str, arguments: tuple) -> bool:
    return torch.equal(answer(pair, side, arguments), pair.module.reference(*arguments))


@pytest.mark.parametrize("name", ["split_kv_decode", "mla_decode", "paged_layout", "fused_rope"])
def test_the_baselines_of_the_triton_pairs_agree_too(name):
    pair = LoadedPair(f"{CHAPTER}/{name}")
    sides = [side for side in pair.sides if side != "optimized" and (name, side) != ("split_kv_decode", "baseline")]
    for side in sides:
        assert share(pair, side, drawn(pair, 2)) < 0.6


@pytest.mark.parametrize("name", ["chunked_window", "gqa_packing", "split_kv_decode", "mla_decode", "paged_layout"])
def test_a_wrong_answer_is_outside_the_tolerance(name):
    pair = LoadedPair(f"{CHAPTER}/{name}")
    arguments = drawn(pair, 4)
    expected = pair.module.reference(*arguments)
    for what, wrong in wrong_answers(expected, [], torch.float32).items():
        assert pair.of_tolerance([wrong], [expected]) > 1, what


@pytest.mark.parametrize("cut", ["back < window", "back >= 0"])
def test_a_window_that_is_off_by_one_at_either_edge_is_caught(cut, tmp_path):
    further = {"back < window": "back <= window", "back >= 0": "back >= -1"}[cut]
    name = f"{CHAPTER}/chunked_window"
    right, wrong = LoadedPair(name), planted(name, f"({cut})", f"({further})", tmp_path)
    arguments = drawn(right, 5)
    assert share(right, "optimized", arguments) < 1 < share(wrong, "optimized", arguments)


def test_the_first_chunk_does_not_see_the_padding_before_it(tmp_path):
    name = f"{CHAPTER}/chunked_window"
    wrong = planted(name, "seen[0, :, :, :window] = False", "pass", tmp_path)
    assert share(wrong, "optimized", drawn(wrong, 5)) > 1


def test_a_chunked_window_holds_at_every_length_around_a_chunk():
    pair = LoadedPair(f"{CHAPTER}/chunked_window")
    for length in (1, 8, 9, 16, 17):
        assert share(pair, "optimized", drawn(pair, length, length=length, window=8)) < 1


def windowed(pair: LoadedPair, arguments: tuple) -> float:
    """FlexAttention without its compiler, on the pair's own block mask."""
    q, k, v, window = arguments
    blocks = pair.module.block_mask(q.shape[2], window, "cpu")
    return pair.of_tolerance([flex_attention(q, k, v, block_mask=blocks)], [pair.module.reference(*arguments)])


@pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile")
def test_the_block_mask_sees_the_window_and_one_that_is_off_by_one_is_caught(tmp_path):
    name = f"{CHAPTER}/sliding_window"
    right = LoadedPair(name)
    wrong = planted(name, "query - key < window", "query - key <= window", tmp_path)
    arguments = drawn(right, 6)
    assert share(right, "baseline", arguments) < 0.6
    assert windowed(right, arguments) < 0.6 < 1 < windowed(wrong, arguments)


def test_a_block_mask_leaves_most_blocks_out():
    blocks = LoadedPair(f"{CHAPTER}/sliding_window").module.block_mask(1_024, 128, "cpu")
    assert blocks.sparsity() > 70


def test_polling_computes_too_many_steps_and_returns_the_same_tokens():
    pair = LoadedPair(f"{CHAPTER}/eos_polling")
    first, budget, *weights = drawn(pair, 1, steps=40)
    for allowed in (1, 15, 16, 17, 39, 40, 99):
        arguments = (first, torch.full_like(budget, allowed), *weights)
        for side in pair.sides:
            assert exact(pair, side, arguments), (side, allowed)


def test_tokens_after_the_end_are_caught(tmp_path):
    name = f"{CHAPTER}/eos_polling"
    wrong = planted(name, "token = torch.where(ended, EOS, (state", "token = ((state", tmp_path)
    assert not exact(wrong, "optimized", drawn(wrong, 1))


def test_the_costs_are_those_of_a_count_by_hand():
    costs = {}
    for name in (*RAGGED, *PLAIN, "sliding_window"):
        module = LoadedPair(f"{CHAPTER}/{name}").module
        costs[name] = module.cost(**module.workload)
    cache = 2 * 2 * 8 * 131_072 * 128 * 2
    assert (
        costs["split_kv_decode"]["bytes"] == pytest.approx(cache, rel=1e-3)
        and "baseline_bytes" not in costs["split_kv_decode"]
    )
    latent = costs["mla_decode"]
    assert latent["bytes"] == pytest.approx(32 * 16_384 * 576 * 2, rel=1e-2)
    assert 1.8 < latent["baseline_bytes"] / latent["bytes"] < 2.2
    paged = costs["paged_layout"]
    assert paged["baseline_bytes"] / paged["bytes"] == pytest.approx(4, rel=0.05)
    assert costs["gqa_packing"]["baseline_bytes"] / costs["gqa_packing"]["bytes"] == pytest.approx(9, rel=0.01)
    assert costs["fused_rope"]["baseline_bytes"] / costs["fused_rope"]["bytes"] == pytest.approx(5, rel=0.03)
    window = costs["sliding_window"]
    assert window["baseline_flops"] / window["optimized_flops"] == pytest.approx(14.2, rel=0.01)


ATTENTION = {
    "q_ptr": "*fp16",
    "k_ptr": "*fp16",
    "v_ptr": "*fp16",
    "part_ptr": "*fp32",
    "lse_ptr": "*fp32",
    "scale": "fp32",
}
KERNELS = {  # as the workload launches them: types, constants, options, how many programs one multiprocessor must hold
    "split_kv_decode:attend_part": (
        ATTENTION | {"context": "i32", "part_length": "i32"},
        dict(GROUP=4, DIM=128, ROWS=16, BLOCK=64), dict(num_warps=4, num_stages=3), 2,
    ),
    "split_kv_decode:combine_parts": (
        {"part_ptr": "*fp32", "lse_ptr": "*fp32", "out_ptr": "*fp16", "parts": "i32"},
        dict(GROUP=4, DIM=128, PARTS=32, COLUMNS=16), {}, 1,
    ),
    "mla_decode:attend_latent": (
        ATTENTION | {"context": "i32", "part_length": "i32", "heads": "i32"}
        | {"latents": "tensordesc<fp16[1, 64, 512]>", "turned": "tensordesc<fp16[1, 64, 64]>"},
        dict(LATENT=512, ROPE=64, HEADS=16, BLOCK=64), dict(num_warps=8, num_stages=3), 1,
    ),
    "mla_decode:join_parts": (
        {"part_ptr": "*fp32", "lse_ptr": "*fp32", "out_ptr": "*fp16", "parts": "i32", "heads": "i32"},
        dict(LATENT=512, PARTS=4), {}, 1,
    ),
    "paged_layout:attend_pages": (
        ATTENTION | {"table_ptr": "*i32", "length_ptr": "*i32", "pages": "i32"},
        dict(KV_HEADS=8, GROUP=4, DIM=128, PAGE=64, ROWS=16, PART_PAGES=16), dict(num_warps=4, num_stages=5), 2,
    ),
    "fused_rope:turn_token": (
        {"x_ptr": "*bf16", "cos_ptr": "*bf16", "sin_ptr": "*bf16", "out_ptr": "*bf16", "heads": "i32", "half": "i32"},
        dict(HEADS=32, HALF=64), {}, 1,
    ),
}  # fmt: skip


@pytest.mark.parametrize("capability", [90, 100])
@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_compiles_for_hopper_and_blackwell_and_leaves_room_for_its_neighbours(name, capability):
    pytest.importorskip("triton", reason="the kernels are written in Triton")
    from tests.chapters.compiled_triton import SHARED_LIMIT, build

    types, constants, options, resident = KERNELS[name]
    pair, kernel = name.split(":")
    built = build(getattr(LoadedPair(f"{CHAPTER}/{pair}").module, kernel), types, constants, capability, **options)
    assert built.shared * resident <= SHARED_LIMIT
    assert built.is_pipelined == ("attend" in kernel)


if __name__ == "__main__":
    replace_once_per_launch()
    print(json.dumps(interpret()))
