"""In which format a file stores its matrices: `torch_dtype`, or what its `quantization_config` says.

Scales and zero points are part of the format (see number_formats): GPTQ and AWQ keep 16 bits of scale a group of
`group_size` weights, and a zero point of as many bits as a weight. What stays in 16 bits (embeddings, head, norms) is
counted so elsewhere. A method that is not known here is said to be unknown: as bf16 it could be four times too large.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from perfproof.calc.number_formats import BITS, GROUPED, OTHER_NAMES

USUAL_GROUP = 128
MODELOPT = {"FP8": "fp8", "NVFP4": "nvfp4"}  # by quant_algo
FLOATS_OF_FOUR_BITS = {16: "nvfp4", 32: "mxfp4"}  # by group


@dataclass(frozen=True)
class StoredFormat:
    """Of the matrices, and of experts where it is another one; an empty `matrices` is unknown, and `why` says why."""

    matrices: str
    experts: str = ""
    why: str = ""


def stored_format(config: dict[str, Any]) -> StoredFormat:
    written = str(config.get("torch_dtype") or config.get("dtype") or "bf16").removeprefix("torch.")
    plain = OTHER_NAMES.get(written, written)
    quantised = config.get("quantization_config") or config.get("compression_config")
    if not isinstance(quantised, dict):
        return StoredFormat(plain) if plain in BITS else StoredFormat("", why=f"torch_dtype {written!r} is unknown")
    method = str(quantised.get("quant_method"))
    if method == "mxfp4":
        return StoredFormat(plain if plain in BITS else "bf16", "mxfp4")
    known = READERS.get(method)
    if known is None:
        return StoredFormat("", why=f"quant_method {method!r} is unknown")
    found = known(quantised)
    return StoredFormat(found) if found else StoredFormat("", why=f"quant_method {method!r} of a kind that is unknown")


def _fp8(quantised: dict[str, Any]) -> str:
    return "fp8-block" if quantised.get("weight_block_size") else "fp8"


def _gptq(quantised: dict[str, Any]) -> str:
    """It stores zero points whether the grid is symmetric or not."""
    return _integers(quantised.get("bits") or 4, quantised.get("group_size"), has_zeros=True)


def _awq(quantised: dict[str, Any]) -> str:
    bits = quantised.get("bits") or quantised.get("w_bit") or 4
    group = quantised.get("group_size") or quantised.get("q_group_size")
    return _integers(bits, group, has_zeros=quantised.get("zero_point") is not False)


def _integers(bits: Any, group: Any, has_zeros: bool) -> str:
    size = USUAL_GROUP if group is None else int(group)
    ending = f"g{size}{'-zero' if has_zeros else ''}" if size > 0 else "channel"
    name = f"int{int(bits)}-{ending}"
    usual = {"int4-g128": "int4", "int4-g128-zero": "int4-zero"}.get(name, name)
    return usual if usual in BITS or GROUPED.fullmatch(usual) else ""


def _bitsandbytes(quantised: dict[str, Any]) -> str:
    if quantised.get("load_in_4bit") or quantised.get("_load_in_4bit"):
        return "nf4-double" if quantised.get("bnb_4bit_use_double_quant") else "nf4"
    return "int8" if quantised.get("load_in_8bit") or quantised.get("_load_in_8bit") else ""


def _modelopt(quantised: dict[str, Any]) -> str:
    return MODELOPT.get(str(quantised.get("quant_algo")).upper(), "")


def _compressed_tensors(quantised: dict[str, Any]) -> str:
    """All groups of layers must be stored alike, and none of them sparse."""
    sparse = quantised.get("sparsity_config") or {}
    groups = quantised.get("config_groups")
    if sparse.get("format", "dense") != "dense" or not isinstance(groups, dict):
        return ""
    found = {_compressed(group.get("weights") or {}) for group in groups.values()}
    return found.pop() if len(found) == 1 else ""


def _compressed(weights: dict[str, Any]) -> str:
    bits, kind, strategy = weights.get("num_bits"), weights.get("type", "int"), weights.get("strategy")
    group = weights.get("group_size")
    if kind == "float" and bits == 8:
        return "fp8-block" if strategy == "block" else "" if strategy == "group" else "fp8"
    if kind == "float" and bits == 4:
        return FLOATS_OF_FOUR_BITS.get(group or 0, "")
    if kind != "int" or not bits:
        return ""
    if strategy == "group" or (group and group > 0):
        return _integers(bits, group, has_zeros=weights.get("symmetric") is False)
    return "int8" if bits == 8 else _integers(bits, -1, has_zeros=False)


READERS: dict[str, Callable[[dict[str, Any]], str]] = {
    "fp8": _fp8,
    "fbgemm_fp8": lambda quantised: "fp8",
    "gptq": _gptq,
    "awq": _awq,
    "bitsandbytes": _bitsandbytes,
    "modelopt": _modelopt,
    "compressed-tensors": _compressed_tensors,
}
