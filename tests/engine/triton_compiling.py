"""Compile every kernel for sm_90 without a GPU, in bfloat16 and more."""

from collections.abc import Iterator

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from perfproof.engine import triton_kernels as kernels
from perfproof.engine.few_rows_linear import few_rows_linear

TARGET = GPUTarget("cuda", 90, 32)
SHARED_BYTES = 227 * 1024  # of a Hopper multiprocessor
BF16, F32, I64 = "*bf16", "*fp32", "*i64"
ATTEND = {"KV_HEADS": 8, "GROUP": 4, "SIZE": 16, "TILE": 64, "ROWS": 16}


def compiled(name, kernel, types, constants, warps=4):
    """The kernel's name. `types` by parameter; None is an argument that is not given."""
    absent = {one: None for one, kind in types.items() if kind is None}
    signature = {one: "constexpr" if kind is None else kind for one, kind in types.items()}
    constants = constants | {"IS_EARLY": True}
    signature |= dict.fromkeys(constants, "constexpr")
    ordered = {one: signature[one] for one in kernel.arg_names}
    source = ASTSource(fn=kernel, signature=ordered, constexprs=absent | constants)
    made = triton.compile(source, target=TARGET, options={"num_warps": warps})
    assert "cubin" in made.asm and made.metadata.shared <= SHARED_BYTES
    return name


def compile_all() -> Iterator[str]:
    """The name of each kernel that was compiled."""
    for bits, stored in ((16, BF16), (8, "*i8"), (4, "*u8")):
        gate = {
            "x": BF16, "norm_weight": BF16, "matrix": stored, "scales": None if bits == 16 else BF16, "bias": None,
            "added": None, "experts": None, "out": BF16, "eps": "fp32", "lines": "i32", "outputs": "i32",
            "rows_share": "i32",
        }  # fmt: skip
        tile = {"BLOCK_N": 8, "BLOCK_K": 512} if bits == 16 else {"BLOCK_N": 32, "BLOCK_K": 128}
        flags = {"INPUTS": 4096, "ROWS": 1, "BITS": bits, "GROUP": 1 if bits == 16 else 128, "IS_GATED": True}
        yield compiled(f"few_rows_linear {bits}", few_rows_linear, gate, flags | tile)
    yield compiled(
        "norm_rows",
        kernels.norm_rows,
        {"x": BF16, "weight": BF16, "out": BF16, "eps": "fp32"},
        {"WIDTH": 4096, "BLOCK": 4096},
    )
    yield compiled("gate_rows", kernels.gate_rows, {"gate_up": BF16, "out": BF16, "width": "i32"}, {"BLOCK": 1024})
    yield compiled(
        "rotate_heads",
        kernels.rotate_heads,
        {
            "qkv": BF16, "query_norm": BF16, "key_norm": BF16, "cosines": F32, "sines": F32, "positions": I64,
            "slots": I64, "query": BF16, "keys": "*i8", "values": "*i8", "key_scales": F32,
            "value_scales": F32, "eps": "fp32",
        },
        {"HEADS": 32, "KV_HEADS": 8, "HALF": 64, "BLOCK": 64, "TILE": 16},
        warps=2,
    )  # fmt: skip
    # In float64 heads are narrower: at 128 it takes the assembler four seconds.
    for asked, kept, scales, width in ((BF16, BF16, None, 128), (BF16, "*i8", F32, 128), ("*fp64", "*fp64", None, 32)):
        yield compiled(
            f"attend_part {kept}",
            kernels.attend_part,
            {
                "query": asked, "keys": kept, "values": kept, "key_scales": scales, "value_scales": scales,
                "tables": I64, "contexts": I64, "sums": F32, "largest": F32, "totals": F32, "scale": "fp32",
                "parts": "i32", "table_stride": "i32",
            },
            {**ATTEND, "WIDTH": width, "BLOCK": width, "IS_WHOLE": False},
        )  # fmt: skip
    yield compiled(
        "attend_part whole",
        kernels.attend_part,
        {
            "query": BF16, "keys": BF16, "values": BF16, "key_scales": None, "value_scales": None, "tables": I64,
            "contexts": I64, "sums": BF16, "largest": F32, "totals": F32, "scale": "fp32", "parts": "i32",
            "table_stride": "i32",
        },
        {**ATTEND, "WIDTH": 128, "BLOCK": 128, "IS_WHOLE": True},
    )  # fmt: skip
    yield compiled(
        "join_parts",
        kernels.join_parts,
        {"sums": F32, "largest": F32, "totals": F32, "out": BF16, "parts": "i32"},
        {"GROUP": 4, "WIDTH": 128, "BLOCK": 128, "PARTS": 64},
    )
    yield compiled(
        "attend_tile",
        kernels.attend_tile,
        {
            "query": BF16, "keys": BF16, "values": BF16, "key_scales": None, "value_scales": None, "tables": I64,
            "tiles": I64, "out": BF16, "scale": "fp32", "tiles_count": "i32", "table_stride": "i32",
        },
        {**ATTEND, "WIDTH": 128, "BLOCK": 128, "ROWS": 64},
    )  # fmt: skip
