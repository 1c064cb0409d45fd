"""A matrix product against the roofline: its limit, which side of the ridge it is on, and the share that was measured.

operations  2·M·N·K of one product, times the batch
bytes       (M·K + K·N)·b_in + M·N·b_out: every operand is read once and the result is written once
limit       max(operations/F, bytes/BW); F is the dense rate of the operands' type, BW the bandwidth of the memory
intensity   operations/bytes; the ridge is F/BW: below it memory is the limit, above it arithmetic

A product whose operands stay in a cache can be faster than the bytes allow, and no faster than the operations.
"""

from typing import Annotated

from perfproof.calc.accelerator import Accelerator
from perfproof.calc.answer import Answer, Flag, Value
from perfproof.calc.number_formats import bytes_per_element, format_name
from perfproof.core.units import percent, seconds

WIDER = {"fp8": "bf16", "fp8-block": "bf16", "mxfp8": "bf16", "nvfp4": "bf16", "mxfp4": "bf16", "int8": "fp32"}


def calculate(
    gpu: Accelerator,
    m: Annotated[int, Flag("Rows of the result.", "M", least=1, is_positional=True)],
    n: Annotated[int, Flag("Columns of the result.", "N", least=1, is_positional=True)],
    k: Annotated[int, Flag("Length of the sums (inner dimension).", "K", least=1, is_positional=True)],
    batch: Annotated[int, Flag("Number of products of this size (batch).", "B", least=1)] = 1,
    dtype: Annotated[str, Flag("Data type of the operands.", "NAME")] = "bf16",
    out_dtype: Annotated[str, Flag("Data type of the result. [default: the operands', 16 bits or more]", "NAME")] = "",
    measured_us: Annotated[
        float | None, Flag("Measured time of your kernel in µs, to compare with the limit.", "US", above=0)
    ] = None,
) -> Answer:
    name = format_name(dtype)
    out = format_name(out_dtype, "--out-dtype") if out_dtype else WIDER.get(name, name)
    rate, used = gpu.rate(name)
    bandwidth = gpu.needs_bandwidth()
    flops = 2.0 * m * n * k * batch
    size = batch * ((m * k + k * n) * bytes_per_element(name) + m * n * bytes_per_element(out))
    arithmetic, memory = flops / rate, size / bandwidth
    limit = max(arithmetic, memory)
    bound = "arithmetic" if arithmetic >= memory else "memory"
    values = [
        Value("limit", limit, "s", f"bound by {bound}; no kernel that reads its operands from memory is faster"),
        Value("flops", flops, "FLOP", f"{seconds(arithmetic)} at {rate / 1e12:.0f} TFLOP/s in {used}"),
        Value("bytes", size, "B", f"{seconds(memory)} at {bandwidth / 1e12:.2f} TB/s; {name} in, {out} out"),
        Value("intensity", flops / size, "FLOP/B", f"the ridge of {gpu.name} is at {rate / bandwidth:.0f}"),
        Value("tflops_at_limit", flops / limit / 1e12, "TFLOP/s"),
    ]
    headline = f"{m} x {n} x {k} in {name} on {gpu.name}: {seconds(limit)} at best, bound by {bound}"
    warnings = []
    if measured_us is not None:
        taken = measured_us / 1e6
        headline += f"; measured {seconds(taken)}, {percent(limit / taken, 0)} of the limit"
        values += [
            Value("measured_share", limit / taken, "share", "of the limit"),
            Value("measured_tflops", flops / taken / 1e12, "TFLOP/s", f"{percent(arithmetic / taken, 0)} of the rate"),
            Value("measured_gb_s", size / taken / 1e9, "GB/s", f"{percent(memory / taken, 0)} of the bandwidth"),
        ]
        if arithmetic > taken:
            warnings.append("more operations than the hardware can do: the time, the type or the GPU is wrong")
        elif memory > taken:
            warnings.append("more bytes than the memory gives: operands were in a cache; measure with new ones")
    return Answer(headline, tuple(values), (), tuple(warnings))
