"""The product of a few rows with a matrix on a GPU, and the tiles that are tried for it.

It is bound by the bytes of the matrix, which is read once: from 16, 8 or 4 bits per number. The norm before it, the
activation after it or the residual is computed in the same pass.
"""

from typing import Any

import triton
import triton.language as tl
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait

LEAST_REGISTERS, MOST_REGISTERS = 16, 96  # of a thread, for sums; it has 255 in all
TILES = (  # outputs, inputs, warps: the long ones for one row, the short ones for more
    (2, 2048, 4), (4, 2048, 4), (4, 2048, 8), (4, 256, 4), (4, 512, 8), (8, 256, 8),
)  # fmt: skip
CONFIGS = [triton.Config({"BLOCK_N": outputs, "BLOCK_K": inputs}, num_warps=warps) for outputs, inputs, warps in TILES]
QUANTISED_CONFIGS = [
    triton.Config({"BLOCK_N": outputs}, num_warps=warps) for outputs, warps in ((4, 4), (8, 4), (32, 4), (32, 8))
]


@triton.jit
def few_rows_linear(
    x, norm_weight, matrix, scales, bias, added, experts, out, eps, lines, outputs, rows_share,
    INPUTS: tl.constexpr, ROWS: tl.constexpr, BITS: tl.constexpr, GROUP: tl.constexpr, IS_GATED: tl.constexpr,
    IS_EARLY: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    """A few outputs of all rows. Products are summed per element of a tile, and across the tile once, at the end.

    The norm needs no pass of its own: the sum of squares grows beside the products, and its factor is applied last. A
    gated program computes the same outputs of both halves of the matrix.
    """
    output = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    is_output = output < outputs
    IS_DENSE: tl.constexpr = experts is None and BITS != 4
    if IS_EARLY and not IS_DENSE:
        gdc_wait()
    if experts is not None:
        line = tl.program_id(1) + tl.arange(0, ROWS)
        source = line // rows_share
        expert = tl.load(experts + tl.program_id(1)).to(tl.int64)
    else:
        line = tl.arange(0, ROWS)
        source = line
        expert = tl.zeros([], tl.int64)
    is_line = line < lines
    first = expert * outputs * (2 if IS_GATED else 1) + output
    second = first + outputs
    STEP: tl.constexpr = BLOCK_K // 2 if BITS == 4 else BLOCK_K
    total = _zeros(ROWS, BLOCK_N, STEP)
    other = _zeros(ROWS, BLOCK_N, STEP)
    squares = tl.zeros([ROWS, STEP], tl.float32)
    if BITS == 4:
        for begin in range(0, INPUTS, BLOCK_K):
            packed = begin // 2 + tl.arange(0, STEP)
            even, even_squares = _inputs(x, norm_weight, source, is_line, 2 * packed, INPUTS)
            odd, odd_squares = _inputs(x, norm_weight, source, is_line, 2 * packed + 1, INPUTS)
            squares += even_squares + odd_squares
            low, high = _packed_tile(matrix, scales, first, is_output, packed, begin, INPUTS, GROUP)
            total += _products(low, even, ROWS) + _products(high, odd, ROWS)
            if IS_GATED:
                low, high = _packed_tile(matrix, scales, second, is_output, packed, begin, INPUTS, GROUP)
                other += _products(low, even, ROWS) + _products(high, odd, ROWS)
    else:
        # The first tile does not depend on the kernel before: it is on its way while that one ends.
        stored = _stored(matrix, first, is_output, tl.arange(0, STEP), INPUTS)
        if IS_GATED:
            stored_up = _stored(matrix, second, is_output, tl.arange(0, STEP), INPUTS)
        if IS_EARLY and IS_DENSE:
            gdc_wait()
        for begin in range(0, INPUTS, BLOCK_K):
            column = begin + tl.arange(0, STEP)
            tile = _scaled(stored, scales, first, is_output, begin, INPUTS, BITS, GROUP)
            stored = _stored(matrix, first, is_output, column + BLOCK_K, INPUTS)
            if IS_GATED:
                up_tile = _scaled(stored_up, scales, second, is_output, begin, INPUTS, BITS, GROUP)
                stored_up = _stored(matrix, second, is_output, column + BLOCK_K, INPUTS)
            value, value_squares = _inputs(x, norm_weight, source, is_line, column, INPUTS)
            squares += value_squares
            total += _products(tile, value, ROWS)
            if IS_GATED:
                other += _products(up_tile, value, ROWS)
    if IS_EARLY:
        gdc_launch_dependents()  # not before: until here every load is this kernel's own
    found = _sums(total, ROWS)
    if norm_weight is not None:
        factor = tl.rsqrt(tl.sum(squares, 1) / INPUTS + eps)
        found = found * factor[:, None]
    if IS_GATED:
        up = _sums(other, ROWS)
        if norm_weight is not None:
            up = up * factor[:, None]
        found = found * tl.sigmoid(found) * up
    if bias is not None:
        found += tl.load(bias + output, mask=is_output, other=0.0).to(tl.float32)[None, :]
    place = line[:, None].to(tl.int64) * outputs + output[None, :]
    inside = is_line[:, None] & is_output[None, :]
    if added is not None:
        found += tl.load(added + place, mask=inside, other=0.0).to(tl.float32)
    tl.store(out + place, found.to(out.dtype.element_ty), mask=inside)


@triton.jit
def _zeros(ROWS: tl.constexpr, BLOCK_N: tl.constexpr, STEP: tl.constexpr):
    """Sums of products. One row needs no axis of its own: with it, each tile would move through shared memory."""
    if ROWS == 1:
        return tl.zeros([BLOCK_N, STEP], tl.float32)
    else:
        return tl.zeros([ROWS, BLOCK_N, STEP], tl.float32)


@triton.jit
def _products(tile, value, ROWS: tl.constexpr):
    if ROWS == 1:
        return tile * value
    else:
        return tile[None, :, :] * value[:, None, :]


@triton.jit
def _sums(total, ROWS: tl.constexpr):
    if ROWS == 1:
        return tl.sum(total, 1)[None, :]
    else:
        return tl.sum(total, 2)


@triton.jit
def _inputs(x, norm_weight, source, is_line, column, INPUTS: tl.constexpr):
    """Inputs with the weight of the norm, and the squares that the norm needs."""
    is_column = column < INPUTS
    at = source[:, None] * INPUTS + column[None, :]
    value = tl.load(x + at, mask=is_line[:, None] & is_column[None, :], other=0.0).to(tl.float32)
    squares = value * value
    if norm_weight is not None:
        value = value * tl.load(norm_weight + column, mask=is_column, other=0.0).to(tl.float32)[None, :]
    return value, squares


@triton.jit
def _stored(matrix, output, is_output, column, INPUTS: tl.constexpr):
    """A tile as it is stored; none of it behind the last input."""
    inside = is_output[:, None] & (column < INPUTS)[None, :]
    at = output.to(tl.int64)[:, None] * INPUTS + column[None, :]
    return tl.load(matrix + at, mask=inside, other=0.0, eviction_policy="evict_first")


@triton.jit
def _scaled(stored, scales, output, is_output, begin, INPUTS: tl.constexpr, BITS: tl.constexpr, GROUP: tl.constexpr):
    tile = stored.to(tl.float32)
    if BITS == 8:
        scale = tl.load(scales + output.to(tl.int64) * (INPUTS // GROUP) + begin // GROUP, mask=is_output, other=0.0)
        tile = tile * scale.to(tl.float32)[:, None]
    return tile


@triton.jit
def _packed_tile(matrix, scales, output, is_output, packed, begin, INPUTS: tl.constexpr, GROUP: tl.constexpr):
    at = output.to(tl.int64)[:, None] * (INPUTS // 2) + packed[None, :]
    both = tl.load(matrix + at, mask=is_output[:, None], other=0, eviction_policy="evict_first").to(tl.int32)
    scale = tl.load(scales + output.to(tl.int64) * (INPUTS // GROUP) + begin // GROUP, mask=is_output, other=0.0)
    scale = scale.to(tl.float32)[:, None]
    return ((both & 15) - 8).to(tl.float32) * scale, ((both >> 4) - 8).to(tl.float32) * scale


def _fitting(configs: list[Any], arguments: dict[str, Any], **flags: Any) -> list[Any]:
    """Tiles whose sums fill a good part of the registers and fit into them; one stays in any case."""
    named = arguments | flags

    def registers(config: Any) -> int:
        inputs = config.kwargs.get("BLOCK_K") or named["BLOCK_K"]
        elements = named["ROWS"] * config.kwargs["BLOCK_N"] * inputs * (2 if named["IS_GATED"] else 1)
        return int(elements) // (32 * config.num_warps)

    fitting = [config for config in configs if LEAST_REGISTERS <= registers(config) <= MOST_REGISTERS]
    return fitting or [min(configs, key=registers)]


KEYS = ["INPUTS", "outputs", "ROWS", "BITS", "GROUP", "IS_GATED"]
PRUNED = {"early_config_prune": _fitting}


def _short_bench(call: Any, quantiles: Any) -> Any:
    """Milliseconds. Every shape of every process is tried: a fifth of Triton's time is enough to tell tiles apart."""
    return triton.testing.do_bench(call, warmup=5, rep=20, quantiles=quantiles)


tuned_linear, tuned_quantised = (
    triton.autotune(configs, KEYS, prune_configs_by=PRUNED, do_bench=_short_bench)(few_rows_linear)
    for configs in (CONFIGS, QUANTISED_CONFIGS)
)
