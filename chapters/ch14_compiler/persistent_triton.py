"""Start as many programs as the GPU holds at once and let each go through many rows, instead of one program per row.

Norms of queries and keys work on rows of one head: 128 values, 256 bytes. With one program per row the GPU starts
millions of programs, and each waits alone for its few bytes and for the weight. A persistent program loads the weight
once and goes through tiles of rows, with the next tile in flight. Bytes are equal. `optimized_rows` has the tiles
without the loop: it shows which of the two gains. `optimized_torch` is the library's kernel.
Predicts: bandwidth over what 32 programs per processor keep in flight, about 2x.
No gain where: rows are long.
"""

import torch
import triton
import triton.language as tl

EPS = 1e-6
TILE = 4_096  # values of a tile of rows: 128 threads with 32 each
PER_PROCESSOR = 8  # programs of four warps
RESIDENT, PROGRAM_SECONDS, PROCESSORS, BANDWIDTH = 32, 1e-6, 132, 4e12  # one warp each; a load and a store in turn

workload = dict(rows=1_048_576, cols=128, dtype="bfloat16")  # 256 MiB: larger than any L2
smoke = dict(rows=77, cols=100, dtype="float32")  # ragged on purpose, in both directions
constant = ("weight",)
tolerance = dict(
    bfloat16=dict(rtol=1e-2, atol=1e-3),  # one rounding of the result at 2**-9, one of a product in the library's form
    float32=dict(rtol=1e-5, atol=1e-6),  # a mean of squares and two products, a few times 2**-24
)
tier = "idiomatic"
menu = ("both", "memory-bound")
counters = ("BYTES", "BASE")


def inputs(rows, cols, dtype):
    kind = getattr(torch, dtype)
    return torch.randn(rows, cols, dtype=kind), torch.randn(cols, dtype=kind)


def reference(x, weight):
    wide = x.double()
    return wide / torch.sqrt(wide.square().mean(-1, keepdim=True) + EPS) * weight.double()


@triton.jit
def norm_row(x_ptr, weight_ptr, out_ptr, cols, eps, COLS: tl.constexpr):
    start = tl.program_id(0).to(tl.int64) * cols
    column = tl.arange(0, COLS)
    inside = column < cols
    x = tl.load(x_ptr + start + column, mask=inside, other=0.0).to(tl.float32)
    weight = tl.load(weight_ptr + column, mask=inside, other=0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(x * x) / cols + eps)
    tl.store(out_ptr + start + column, (x * scale * weight).to(out_ptr.dtype.element_ty), mask=inside)


@triton.jit
def norm_tile(x_ptr, out_ptr, weight, tile, rows, cols, eps, ROWS: tl.constexpr, COLS: tl.constexpr):
    row = (tile * ROWS + tl.arange(0, ROWS)).to(tl.int64)
    column = tl.arange(0, COLS)
    place = row[:, None] * cols + column[None, :]
    inside = (row[:, None] < rows) & (column[None, :] < cols)
    x = tl.load(x_ptr + place, mask=inside, other=0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(x * x, axis=1) / cols + eps)
    tl.store(out_ptr + place, (x * scale[:, None] * weight[None, :]).to(out_ptr.dtype.element_ty), mask=inside)


@triton.jit
def norm_tiles(x_ptr, weight_ptr, out_ptr, rows, cols, eps, tiles, step, ROWS: tl.constexpr, COLS: tl.constexpr):
    """Tiles `first`, `first + step`, ... of this program."""
    column = tl.arange(0, COLS)
    weight = tl.load(weight_ptr + column, mask=column < cols, other=0.0).to(tl.float32)
    for tile in tl.range(tl.program_id(0), tiles, step, num_stages=3):
        norm_tile(x_ptr, out_ptr, weight, tile, rows, cols, eps, ROWS, COLS)


def baseline(x, weight):
    x = x.contiguous()  # the kernel goes through rows that lie one after the other
    out = torch.empty_like(x)
    rows, cols = x.shape
    norm_row[(rows,)](x, weight, out, cols, EPS, COLS=triton.next_power_of_2(cols), num_warps=1)
    return out


def in_tiles(x, weight, programs):
    """All rows in tiles; at most so many programs share them."""
    x = x.contiguous()
    out = torch.empty_like(x)
    rows, cols = x.shape
    width = triton.next_power_of_2(cols)
    height = max(1, TILE // width)
    tiles = triton.cdiv(rows, height)
    count = min(tiles, programs)
    norm_tiles[(count,)](x, weight, out, rows, cols, EPS, tiles, count, ROWS=height, COLS=width, num_warps=4)
    return out


def prepare_optimized(x, weight):
    if not x.is_cuda:
        return 2  # Triton's interpreter: few enough for a second tile per program
    return PER_PROCESSOR * torch.cuda.get_device_properties(x.device).multi_processor_count


def optimized(programs, x, weight):
    return in_tiles(x, weight, programs)


def optimized_rows(x, weight):
    return in_tiles(x, weight, programs=x.shape[0])


def optimized_torch(x, weight):
    return torch.nn.functional.rms_norm(x, weight.shape, weight, EPS)


def cost(rows, cols, dtype):
    moved = 2 * getattr(torch, dtype).itemsize * cols  # bytes of a row
    in_flight = PROCESSORS * RESIDENT * moved / PROGRAM_SECONDS
    gain = max(1.0, BANDWIDTH / in_flight)
    return dict(
        flops=4 * rows * cols,
        bytes=moved * rows,
        predicted_optimized=gain,
        predicted_optimized_rows=gain,
        predicted_optimized_torch=gain,
    )
