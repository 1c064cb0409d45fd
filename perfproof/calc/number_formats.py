"""How many bits an element takes in memory, the scales of its group included.

A block format stores a scale for each group: int4 in groups of 128 with a 16-bit scale is 4 + 16/128 = 4.125 bits,
NVFP4 4 + 8/16 = 4.5, MXFP4 4 + 8/32 = 4.25, FP8 in blocks of 128 x 128 with a 32-bit scale 8.002.

Integers in groups of another size have names that say it: `int3-g64` is 3 + 16/64 bits, `int4-g32-zero` has a zero
point of 4 bits a group as well, `int4-channel` one scale a row of the matrix, which is too little to count.
"""

import re

from perfproof.core.errors import UsageError

BITS: dict[str, float] = {
    "fp32": 32,
    "bf16": 16,
    "fp16": 16,
    "fp8": 8,
    "fp8-block": 8 + 32 / (128 * 128),
    "mxfp8": 8 + 8 / 32,
    "int8": 8,
    "int4": 4 + 16 / 128,
    "int4-zero": 4 + (16 + 4) / 128,  # with a 4-bit zero point
    "nvfp4": 4 + 8 / 16,
    "mxfp4": 4 + 8 / 32,
}
# Of bitsandbytes, in blocks of 64: a 32-bit scale a block, or one of 8 bits and 32 more for 256 blocks.
BLOCKS_OF_64 = {"nf4": 4 + 32 / 64, "nf4-double": 4 + 8 / 64 + 32 / (64 * 256)}
GROUPED = re.compile(r"int([2348])-(?:channel|g([1-9]\d{0,5})(-zero)?)")
OTHER_NAMES = {
    "float32": "fp32",
    "bfloat16": "bf16",
    "float16": "fp16",
    "half": "fp16",
    "float8": "fp8",
    "fp8_e4m3": "fp8",
    "fp8_e5m2": "fp8",
    "float8_e4m3fn": "fp8",
    "float8_e5m2": "fp8",
}
# The type whose arithmetic rate counts: weights of fewer bits are widened before they are multiplied unless the
# tensor cores take them.
COMPUTE = {
    "fp32": "fp32",
    "bf16": "bf16",
    "fp16": "fp16",
    "fp8": "fp8",
    "fp8-block": "fp8",
    "mxfp8": "fp8",
    "int8": "int8",
    "int4": "bf16",
    "int4-zero": "bf16",
    "nvfp4": "fp4",
    "mxfp4": "fp4",
}


def format_name(written: str, option: str = "--dtype") -> str:
    """Our name of a format; UsageError with the list of names where there is none."""
    name = OTHER_NAMES.get(written.lower(), written.lower())
    if name not in BITS and name not in BLOCKS_OF_64 and not GROUPED.fullmatch(name):
        known = ", ".join([*BITS, *BLOCKS_OF_64])
        raise UsageError(f"{option} {written!r} is unknown: choose {known}, or groups of your own such as int4-g64")
    return name


def bits_per_element(name: str) -> float:
    grouped = GROUPED.fullmatch(name)
    if grouped is None:
        return BITS[name] if name in BITS else BLOCKS_OF_64[name]
    bits, group = int(grouped[1]), grouped[2]
    return bits + (16 + (bits if grouped[3] else 0)) / int(group) if group else float(bits)


def bytes_per_element(name: str) -> float:
    return bits_per_element(name) / 8


def compute_type(name: str) -> str:
    """What has no entry holds weights only, and is widened."""
    return COMPUTE.get(name, "bf16")
