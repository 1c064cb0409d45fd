"""MFU and HFU of a measured training run: useful operations, and those the hardware really did.

MFU   tokens/s·model operations per token/(GPUs·F); model operations 6·P_act + attention, forward and backward
HFU   the same with what is computed a second time: full recomputation adds a forward pass (2·P_act + attention),
      selective recomputation adds the forward attention alone

HFU is never below MFU. A high HFU beside a low MFU says that recomputation, not the kernels, costs the speed. F is the
dense rate of the arithmetic's type. Above 100 % something is counted wrongly: F, the tokens or the GPUs.
"""

from typing import Annotated

from perfproof.calc.accelerator import Accelerator
from perfproof.calc.answer import Answer, Flag, Value
from perfproof.calc.attention_work import prompt_flops
from perfproof.calc.model_shape import Shape
from perfproof.calc.number_formats import format_name
from perfproof.calc.parameters import count
from perfproof.core.errors import UsageError

WAYS = ("none", "selective", "full")


def calculate(
    shape: Shape,
    gpu: Accelerator,
    throughput: Annotated[float, Flag("Measured tokens per second, all GPUs together.", "TOK/S", above=0)],
    gpus: Annotated[int, Flag("Number of GPUs.", "N", least=1)] = 1,
    sequence: Annotated[int, Flag("Sequence length, in tokens.", "S", least=1)] = 4096,
    recompute: Annotated[str, Flag("Recomputation of activations: none, selective or full.", "NAME")] = "none",
    dtype: Annotated[str, Flag("Data type of the arithmetic.", "NAME")] = "bf16",
) -> Answer:
    if recompute not in WAYS:
        raise UsageError(f"--recompute {recompute!r} is unknown: choose {', '.join(WAYS)}")
    rate, used = gpu.rate(format_name(dtype))
    useful, again = useful_flops(shape, sequence), repeated_flops(shape, sequence, recompute)
    peak = gpus * rate
    mfu, hfu = throughput * useful / peak, throughput * (useful + again) / peak
    values = (
        Value("mfu", mfu, "share", f"of {gpus} x {rate / 1e12:.0f} TFLOP/s in {used}"),
        Value("hfu", hfu, "share", f"recomputation: {recompute}"),
        Value("model_flops_per_token", useful, "FLOP"),
        Value("repeated_flops_per_token", again, "FLOP", "computed a second time"),
        Value("tflops_per_gpu", throughput * useful / gpus / 1e12, "TFLOP/s", "useful"),
    )
    wrong = "more than the hardware can do: the rate, the tokens or the number of GPUs is wrong"
    return Answer(
        f"{shape.name}: MFU {mfu:.1%}, HFU {hfu:.1%}", values, (), (*shape.warnings, *([wrong] if hfu > 1 else []))
    )


def useful_flops(shape: Shape, sequence: int) -> float:
    """Forward and backward of one token."""
    return 6.0 * count(shape).active + 3 * prompt_flops(shape, sequence) / sequence


def repeated_flops(shape: Shape, sequence: int, recompute: str) -> float:
    attention = prompt_flops(shape, sequence) / sequence
    return {"none": 0.0, "selective": attention, "full": 2.0 * count(shape).active + attention}[recompute]
