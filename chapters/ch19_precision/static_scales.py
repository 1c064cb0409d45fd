"""Take an activation's scale from calibration instead of searching its largest value at every call.

An int8 product needs a scale that maps activations to -127 ... 127. A dynamic scale reads the whole tensor before the
first element can be converted: one more pass, and a dependency. A static scale is measured once on sample data;
values beyond it are clamped.
Predicts: one pass of eight over the activations goes, 1.1x; more if the conversion is fused into one pass.
No gain where: the product takes most of the time. Wrong where: the data drifts from what was calibrated.
"""

import torch

MARGIN = 1.25  # calibration sees a sample: the scale leaves room above its largest value

workload = dict(rows=16_384, width=4_096, outputs=1_024, dtype="bfloat16")  # 128 MiB of activations
workload_cpu = dict(rows=512, width=512, outputs=32, dtype="float32")
smoke = dict(
    rows=37, width=104, outputs=56, dtype="float32"
)  # more than 16 rows, and eights, as the int8 product wants
constant = ("weight", "weight_scale")
domain = dict(x="drawn")  # a calibrated scale holds for the data it was calibrated on, and for no other
tolerance = dict(
    rtol=2e-2, atol=0.16
)  # results near 1; steps of 7 / 127 are 1.6 % of the spread, six times that at worst
lowers_precision = "int8"
tier = "idiomatic"
menu = ("inference", "memory-bound")


def inputs(rows, width, outputs, dtype):
    kind = getattr(torch, dtype)
    weight = torch.randint(-127, 128, (outputs, width), dtype=torch.int8)
    return torch.randn(rows, width, dtype=kind), weight, (torch.rand(outputs) + 0.5) / (73 * width**0.5)


def reference(x, weight, weight_scale):
    return x.double() @ (weight.double() * weight_scale.double()[:, None]).T


def product(x, scale, weight, weight_scale):
    numbers = torch.mul(x, 1 / scale).round_().clamp_(-127, 127).to(torch.int8)
    return (torch._int_mm(numbers, weight.T) * (scale * weight_scale)).to(x.dtype)


def baseline(x, weight, weight_scale):
    scale = torch.linalg.vector_norm(x, float("inf")).float() / 127
    return product(x, scale, weight, weight_scale)


def prepare_optimized(x, weight, weight_scale):
    return torch.linalg.vector_norm(x, float("inf")).float() * MARGIN / 127


def optimized(scale, x, weight, weight_scale):
    return product(x, scale, weight, weight_scale)


def cost(rows, width, outputs, dtype):
    size = getattr(torch, dtype).itemsize
    convert, after = (7 * size + 1) * rows * width, (12 + 2 * size) * rows * outputs
    least = size * rows * (width + outputs) + width * outputs
    moved = convert + rows * width + width * outputs + after
    return dict(
        flops=2 * rows * width * outputs,
        bytes=least,
        baseline_bytes=moved + size * rows * width,
        optimized_bytes=moved,
    )
