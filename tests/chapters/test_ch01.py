"""Chapter 1, goodput: the sides are right by a margin, wrong answers are caught, and neither side does less work."""

import pytest
import torch

from tests.chapters.loaded_pair import LoadedPair, wrong_answers

ON_A_CPU = ["batched_gemm", "preallocated_buffers", "microbatch_fusion", "reduced_precision", "sync_free_step"]
GPU_TYPES = {  # the types of the GPU workload at sizes that a CPU can do
    "batched_gemm": dict(count=5, size=66, dtype="float16"),
    "microbatch_fusion": dict(batches=3, rows=5, width=66, hidden=130, dtype="bfloat16"),
}
FEW_ROWS = {"reduced_precision": dict(rows=17)}  # a CPU without bfloat16 takes seconds; the sums stay as long
CASES = [(name, size) for name in ON_A_CPU for size in ("smoke", "workload_cpu")]
CASES += [(name, "gpu types") for name in GPU_TYPES]
SEEDS = range(4)
MARGIN = 0.6  # honest rounding uses at most this share of a tolerance
needs_cuda = pytest.mark.skipif(not torch.cuda.is_available(), reason="page-locked memory needs a CUDA GPU")


def pair(name: str) -> LoadedPair:
    return LoadedPair(f"ch01_goodput/{name}")


def sizes(loaded: LoadedPair, name: str) -> dict:
    if name == "gpu types":
        return GPU_TYPES[loaded.path.stem]
    return getattr(loaded.module, name) | (FEW_ROWS.get(loaded.path.stem, {}) if name == "workload_cpu" else {})


def seeds(size: str) -> range:
    """One at the large sizes: a million drawn values show no less than four draws of a thousand."""
    return SEEDS[:1] if size == "workload_cpu" else SEEDS


def root_mean_square(outputs: list, expected: list) -> float:
    return max(float((o.double() - e).norm() / e.norm()) for o, e in zip(outputs, expected, strict=True))


@pytest.mark.parametrize(("name", "size"), CASES)
def test_every_side_agrees_with_the_reference_on_drawn_and_on_renewed_values(name, size):
    loaded = pair(name)
    for seed in seeds(size):
        drawn = loaded.draw(sizes(loaded, size), seed)
        for arguments in (drawn, loaded.renewed(drawn, seed)):
            expected = loaded.expected(arguments)
            for side in loaded.sides:
                assert loaded.of_tolerance(loaded.outputs(side, arguments), expected) < MARGIN, (side, seed)


@pytest.mark.parametrize(("name", "size"), CASES)
def test_a_wrong_answer_in_any_output_is_outside_the_tolerance(name, size):
    loaded = pair(name)
    for seed in seeds(size):
        arguments = loaded.draw(sizes(loaded, size), seed)
        outputs, expected = loaded.outputs("baseline", arguments), loaded.expected(arguments)
        for place, output in enumerate(outputs):
            for what, wrong in wrong_answers(expected[place], arguments, output.dtype).items():
                spoilt = [*outputs[:place], wrong, *outputs[place + 1 :]]
                assert loaded.of_tolerance(spoilt, expected) > 1, (what, place, seed)


@pytest.mark.parametrize(("name", "size"), [case for case in CASES if case[0] != "reduced_precision"])
def test_no_optimised_side_has_more_than_twice_the_error_of_the_baseline(name, size):
    loaded = pair(name)
    arguments = loaded.draw(sizes(loaded, size), seed=3)
    expected = loaded.expected(arguments)
    first, *others = (root_mean_square(loaded.outputs(side, arguments), expected) for side in loaded.sides)
    assert all(error <= 2 * max(first, 1e-7) for error in others)


@pytest.mark.parametrize("side", ["baseline", "optimized"])
@pytest.mark.parametrize("name", ["batched_gemm", "preallocated_buffers", "microbatch_fusion", "reduced_precision"])
def test_a_changed_slice_of_the_input_changes_that_slice_of_the_output_and_no_other(name, side):
    loaded = pair(name)
    arguments = loaded.draw(loaded.module.smoke, seed=5)
    before = loaded.outputs(side, arguments)[0].clone()
    for index in range(len(before)):
        changed = [argument.clone() for argument in arguments]
        changed[0][index] *= -1.5
        after = loaded.outputs(side, changed)[0]
        moved = [place for place in range(len(before)) if not torch.equal(before[place], after[place])]
        assert moved == [index]


@pytest.mark.parametrize("side", ["baseline", "optimized"])
def test_every_element_of_a_row_counts_in_its_clipped_mean(side):
    loaded = pair("preallocated_buffers")
    for column in (0, 1, 51, 101):
        x = torch.zeros(3, 102)
        x[1, column] = 9.0
        result = loaded.outputs(side, [x])[0]
        assert result.tolist() == pytest.approx([0.0, loaded.module.LIMIT / 102, 0.0])


def test_a_kept_buffer_holds_nothing_over_from_the_call_before():
    module = pair("preallocated_buffers").module
    buffer = torch.full((4, 50), float("nan"))
    first, second = torch.randn(2, 4, 50)
    for x in (first, second, first):
        assert torch.equal(module.optimized(buffer, x), module.baseline(x))


def test_bfloat16_is_less_precise_than_float32_and_says_so():
    loaded = pair("reduced_precision")
    arguments = loaded.draw(sizes(loaded, "workload_cpu"), seed=1)
    expected = loaded.expected(arguments)
    full, half = (root_mean_square(loaded.outputs(side, arguments), expected) for side in loaded.sides)
    assert loaded.module.lowers_precision
    assert full < 1e-6 < 1e-3 < half < 5e-3


@pytest.mark.parametrize("side", ["baseline", "optimized"])
def test_a_step_depends_on_the_steps_before_it_and_on_none_after(side):
    loaded = pair("sync_free_step")
    arguments = loaded.draw(loaded.module.smoke, seed=7)
    losses = loaded.outputs(side, arguments)[0]
    for step in range(len(losses)):
        changed = [argument.clone() for argument in arguments]
        changed[0][step] *= 2
        after = loaded.outputs(side, changed)[0]
        assert torch.equal(losses[:step], after[:step])
        assert (losses[step:] != after[step:]).all()


@pytest.mark.parametrize("size", ["smoke", "workload_cpu"])
def test_weights_that_were_not_trained_and_a_last_step_left_out_are_caught(size):
    loaded = pair("sync_free_step")
    arguments = loaded.draw(getattr(loaded.module, size), seed=2)
    x, y, up, down = arguments
    expected, outputs = loaded.expected(arguments), loaded.outputs("optimized", arguments)
    one_short = loaded.outputs("optimized", [x[:-1], y[:-1], up, down])
    for place, untrained in ((1, up), (2, down)):
        for wrong in (untrained, one_short[place]):
            assert loaded.of_tolerance([*outputs[:place], wrong, *outputs[place + 1 :]], expected) > 10


def test_the_hand_written_gradients_of_the_reference_are_those_of_autograd():
    loaded = pair("sync_free_step")
    x, y, up, down = (argument.double() for argument in loaded.draw(loaded.module.smoke, seed=4))
    x, y = x[:1], y[:1]
    leaves = [up.clone().requires_grad_(), down.clone().requires_grad_()]
    loss = torch.nn.functional.mse_loss(torch.tanh(x[0] @ leaves[0]) @ leaves[1], y[0])
    slopes = torch.autograd.grad(loss, leaves)
    losses, *trained = loaded.expected([x, y, up, down])
    assert losses.item() == pytest.approx(loss.item(), rel=1e-14)
    for before, slope, after in zip((up, down), slopes, trained, strict=True):
        torch.testing.assert_close(after, before - loaded.module.LEARNING_RATE * slope, rtol=1e-13, atol=1e-15)


def test_pinned_transfer_changes_the_buffer_and_nothing_else():
    loaded = pair("pinned_transfer")
    assert loaded.module.needs == {"cuda": 7.0}
    assert not hasattr(loaded.module, "workload_cpu")
    assert loaded.module.baseline.__code__.co_code == loaded.module.optimized.__code__.co_code
    arguments = loaded.draw(loaded.module.smoke, seed=0)
    host = loaded.module.prepare_baseline(*arguments)
    assert not host.is_pinned()
    assert loaded.of_tolerance(loaded.outputs("baseline", arguments), loaded.expected(arguments)) == 0


def test_a_transfer_that_is_wrong_in_one_bit_is_caught():
    loaded = pair("pinned_transfer")
    arguments = loaded.draw(loaded.module.smoke, seed=1)
    expected = loaded.expected(arguments)
    one_bit = arguments[0].clone()
    one_bit.view(torch.int32)[-1] ^= 1
    for what, answer in (wrong_answers(expected[0], [], torch.float32) | {"one bit": one_bit}).items():
        assert loaded.of_tolerance([answer], expected) > 1, what


@needs_cuda
def test_both_transfers_bring_every_element_to_the_host_the_pinned_one_into_locked_memory():
    loaded = pair("pinned_transfer")
    for seed in SEEDS:
        arguments = loaded.draw(loaded.module.smoke, seed, device="cuda")
        expected = loaded.expected(arguments)
        pageable, pinned = (loaded.outputs(side, arguments) for side in loaded.sides)
        assert loaded.of_tolerance(pageable, expected) == loaded.of_tolerance(pinned, expected) == 0
        assert (pageable[0].is_pinned(), pinned[0].is_pinned()) == (False, True)


def test_the_costs_are_those_of_a_count_by_hand():
    costs = {name: pair(name).module.cost(**pair(name).module.workload) for name in [*ON_A_CPU, "pinned_transfer"]}
    matrix = 256 * 256 * 2
    assert costs["batched_gemm"] == dict(flops=40 * 33_554_432, bytes=40 * 3 * matrix, baseline_bytes=40 * 5 * matrix)
    fused = costs["microbatch_fusion"]
    assert fused["baseline_bytes"] / fused["optimized_bytes"] == pytest.approx(40, rel=0.02)  # as its docstring says
    assert fused["flops"] == 2 * 2 * 1024 * 4096 * 8192
    assert costs["preallocated_buffers"]["baseline_bytes"] == costs["preallocated_buffers"]["optimized_bytes"]
    assert costs["sync_free_step"].keys() == {"flops", "bytes", "samples"}  # no side moves or computes more
    assert costs["sync_free_step"]["samples"] == 20 * 4_096
    assert costs["pinned_transfer"] == {"predicted_optimized": 2.0}
