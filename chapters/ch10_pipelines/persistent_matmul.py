"""Start one program per processor and let it go through many tiles, so that the next tile's loads hide the stores.

With one program per tile, a processor loads, multiplies, stores, and only then starts the next program: its tensor
cores idle while a tile begins and ends. A persistent program fetches the first slices of its next tile while it
stores. Both kernels load through tensor descriptors (the copy engine), with the same tiles, stages and warps.
Predicts: the products of a tile plus its beginning and end over the products alone, about 1.15x at a depth of 2,048.
No gain where: the depth is large, or tiles do not divide well among processors. `optimized_torch` is cuBLAS.
"""

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

ROWS, COLS, DEPTH = 128, 256, 64  # of a tile, and of a slice
MULTIPLY, EDGES = 0.66e-6, 3e-6  # seconds, estimated: a slice of 4.2 MFLOP at 6.3 TFLOP/s; first load and last store

workload = dict(rows=8_192, cols=8_192, depth=2_048, dtype="bfloat16")  # 275 GFLOP
smoke = dict(
    rows=301, cols=531, depth=203, dtype="float16"
)  # ragged on purpose: more tiles than programs, all edges cut
tolerance = dict(
    bfloat16=dict(rtol=8e-3, atol=8e-3),  # sums near 1 in float32, rounded once to bfloat16 at 2**-9 (0.2 %)
    float16=dict(rtol=2e-3, atol=2e-3),  # the same, rounded once at 2**-11 (0.05 %)
)
tier = "idiomatic"
menu = ("both", "compute-bound")
counters = ("TC", "STALL")


def inputs(rows, cols, depth, dtype):
    kind = getattr(torch, dtype)
    a, b = torch.randn(rows, depth, dtype=kind), torch.randn(cols, depth, dtype=kind)
    return a, b / depth**0.5  # keeps the products near 1


def reference(a, b):
    return a.double() @ b.double().T


@triton.jit
def place_of(rank, rows, cols, ROWS: tl.constexpr, COLS: tl.constexpr):
    """Where the tile of a rank begins: ranks go down a band of eight tiles, so that the L2 keeps what they share."""
    high, wide = tl.cdiv(rows, ROWS), tl.cdiv(cols, COLS)
    first = rank // (8 * wide) * 8
    height = tl.minimum(high - first, 8)
    within = rank % (8 * wide)
    return (first + within % height) * ROWS, within // height * COLS


@triton.jit
def multiply_tile(a, b, out, rank, rows, cols, depth, ROWS: tl.constexpr, COLS: tl.constexpr, DEPTH: tl.constexpr):
    top, left = place_of(rank, rows, cols, ROWS, COLS)
    total = tl.zeros((ROWS, COLS), tl.float32)
    for slice in range(0, tl.cdiv(depth, DEPTH)):
        total = tl.dot(a.load([top, slice * DEPTH]), b.load([left, slice * DEPTH]).T, total)
    out.store([top, left], total.to(out.dtype))


@triton.jit
def one_tile(a, b, out, rows, cols, depth, ROWS: tl.constexpr, COLS: tl.constexpr, DEPTH: tl.constexpr):
    multiply_tile(a, b, out, tl.program_id(0), rows, cols, depth, ROWS, COLS, DEPTH)


@triton.jit
def many_tiles(a, b, out, rows, cols, depth, ROWS: tl.constexpr, COLS: tl.constexpr, DEPTH: tl.constexpr):
    tiles = tl.cdiv(rows, ROWS) * tl.cdiv(cols, COLS)
    for rank in tl.range(tl.program_id(0), tiles, tl.num_programs(0), flatten=True):  # both loops become one pipeline
        multiply_tile(a, b, out, rank, rows, cols, depth, ROWS, COLS, DEPTH)


def padded(x):
    """Rows one after the other, each a multiple of 16 bytes, the first at a multiple of 16 bytes."""
    if x.shape[1] % 8:
        return torch.nn.functional.pad(x, (0, -x.shape[1] % 8))
    x = x.contiguous()
    return x if x.data_ptr() % 16 == 0 else x.clone()


def multiplied(kernel, programs, a, b):
    a, b = padded(a), padded(b)
    (rows, depth), cols = a.shape, b.shape[0]
    out = torch.empty(rows, -(-cols // 8) * 8, dtype=a.dtype, device=a.device)
    boxes = ((a, [ROWS, DEPTH]), (b, [COLS, DEPTH]), (out, [ROWS, COLS]))
    descriptors = (TensorDescriptor.from_tensor(x, box) for x, box in boxes)
    grid = (min(programs, triton.cdiv(rows, ROWS) * triton.cdiv(cols, COLS)),)
    kernel[grid](*descriptors, rows, cols, depth, ROWS=ROWS, COLS=COLS, DEPTH=DEPTH, num_warps=8, num_stages=3)
    return out[:, :cols].contiguous()  # itself if its rows are whole


def baseline(a, b):
    return multiplied(one_tile, 2**31 - 1, a, b)


def prepare_optimized(a, b):
    if not a.is_cuda:
        return 2  # Triton's interpreter: few enough for a second tile per program
    return torch.cuda.get_device_properties(a.device).multi_processor_count


def optimized(programs, a, b):
    return multiplied(many_tiles, programs, a, b)


def optimized_torch(a, b):
    return a @ b.T


def cost(rows, cols, depth, dtype):
    size = getattr(torch, dtype).itemsize
    return dict(
        flops=2 * rows * cols * depth,
        bytes=size * (rows * depth + cols * depth + rows * cols),
        launches=1,
        predicted_optimized=1 + EDGES / (MULTIPLY * -(-depth // DEPTH)),
    )
