"""Programs on a simulated GPU whose numbers are drawn: sizes, counts, kernel names, start-up, and what the fault costs.

A function per fault; `draw(seed)` gives a program and the rules of which one must come first, an empty set if it is
healthy. A fault takes 30 to 75 % of a step, so that it is the cause whatever else was drawn.
"""

import random
from dataclasses import dataclass

from tests.diagnose.plain.simulated_gpu import MATH, SECOND

PRODUCTS = (
    "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64",
    "nvjet_tst_128x256_64x4_2x1_v_bz_coopA_TNT",
    "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_128x128_32x4_tn_align8>",
    "ampere_bf16_s16816gemm_bf16_128x256_ldg8_f2f_stages_64x3_tn",
)
OTHERS = ("vectorized_layer_norm_kernel", "triton_poi_fused_add_gelu_0", "vectorized_elementwise_kernel<4, silu>")
SUMS = ("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", "ncclKernel_AllReduce_RING_LL_Sum_float")


@dataclass
class Drawn:
    """What one program has: the model of a step, and the share of the step that a fault takes."""

    random: random.Random

    def __post_init__(self):
        self.turns = self.random.randint(8, 40)
        self.layers = self.random.randint(3, 24)
        self.product = self.random.choice(PRODUCTS)
        self.us = self.random.uniform(60, 900)
        self.fault = self.random.uniform(0.3, 0.75)

    @property
    def model_us(self):
        return self.layers * (self.us + 12)

    @property
    def fault_us(self):
        """So long that it is `fault` of the step."""
        return self.model_us * self.fault / (1 - self.fault)

    def start(self, gpu):
        gpu.start(self.random.uniform(5e4, 2e6), self.random.uniform(5e3, 3e5))

    def model(self, gpu, stream=MATH):
        other = self.random.choice(OTHERS)
        for _ in range(self.layers):
            gpu.kernel(self.us, self.product, stream, op="aten::addmm")
            gpu.kernel(12, other, stream, op="aten::native_layer_norm")


def sync_per_item(gpu, drawn):
    """Scores are read one by one between short kernels."""
    drawn.start(gpu)
    for _ in range(drawn.turns):
        gpu.kernel(drawn.us, drawn.product, op="aten::mm")
        for _ in range(drawn.random.randint(60, 64)):
            gpu.kernel(4, "index_elementwise_kernel<128, 4>", op="aten::select")
            gpu.item()


def pageable(gpu, drawn):
    drawn.start(gpu)
    pieces = drawn.random.randint(1, 5)
    for _ in range(drawn.turns):
        for _ in range(pieces):
            gpu.copy(int(max(2_000_000, drawn.fault_us * 6_000 / pieces)), drawn.where)
        drawn.model(gpu)


def empty_cache(gpu, drawn):
    drawn.start(gpu)
    blocks = drawn.random.randint(2, 12)
    for _ in range(drawn.turns):
        for _ in range(blocks):
            gpu.malloc(max(80, drawn.fault_us / 2 / blocks))
        drawn.model(gpu)
        for _ in range(blocks):
            gpu.release(max(80, drawn.fault_us / 2 / blocks))


def scores(gpu, drawn):
    """Attention by hand: a product, a division, a softmax, a product; the scores go through memory each time."""
    drawn.start(gpu)
    heads, length, width = drawn.random.choice((8, 16, 32)), drawn.random.choice((2048, 4096, 8192)), 64
    square, us = [heads, length, length], heads * length * length * 2 * 2 / 3e6
    left, right = [heads, length, width], [heads, width, length]
    bf16 = "c10::BFloat16"
    for _ in range(drawn.turns):
        for _ in range(drawn.random.randint(2, 3)):
            gpu.kernel(us, drawn.product, op="aten::bmm", **shaped(bf16, left, right))
            gpu.kernel(us, "vectorized_elementwise_kernel<4, div>", op="aten::div", **shaped(bf16, square))
            gpu.kernel(us, "cunn_SoftMaxForward<8, c10::BFloat16>", op="aten::_softmax", **shaped(bf16, square))
            gpu.kernel(us, drawn.product, op="aten::bmm", **shaped(bf16, square, left))
            gpu.kernel(us / 2, drawn.product, op="aten::addmm")
    gpu.synchronise()


def shaped(dtype, *dims):
    return {"Input Dims": [*dims], "Input type": [dtype] * len(dims)}


def launches(gpu, drawn):
    drawn.start(gpu)
    short = drawn.random.uniform(1.5, 5)
    for _ in range(drawn.turns):
        for number in range(drawn.random.choice((120, 121))):
            gpu.kernel(short, f"vectorized_elementwise_kernel<4, {['add', 'mul', 'div'][number % 3]}>", op="aten::mul")
            gpu.host(drawn.random.uniform(3, 9))


def optimizer_loop(gpu, drawn):
    """Large products fill the queue; then every small parameter has operators of its own."""
    drawn.start(gpu)
    for _ in range(drawn.turns):
        for _ in range(24):
            gpu.kernel(100, drawn.product, op="aten::addmm")
        for _ in range(drawn.random.choice((150, 152))):
            for name in ("mul_", "addcmul_", "sqrt", "addcdiv_"):
                gpu.kernel(2, f"vectorized_elementwise_kernel<4, {name}>", op=f"aten::{name}")
                gpu.host(4)


def python_input(gpu, drawn):
    """Python makes the batch, then it goes over from pinned memory, then the model runs."""
    drawn.start(gpu)
    for _ in range(drawn.turns):
        gpu.host(drawn.fault_us + drawn.model_us)  # the host does nothing else while the model runs
        gpu.copy(drawn.random.randint(1, 40) * 100_000, memory="Pinned")
        drawn.model(gpu)


def reduced_after(gpu, drawn):
    drawn.start(gpu)
    name, buckets = drawn.random.choice(SUMS), drawn.random.randint(1, 6)
    for _ in range(drawn.turns):
        drawn.model(gpu)
        for _ in range(buckets):
            gpu.free[SECOND] = max(gpu.free.get(SECOND, 0.0), gpu.free[MATH])
            gpu.kernel(drawn.fault_us / buckets, name, stream=SECOND, op="c10d::allreduce_")
        gpu.free[MATH] = gpu.free[SECOND]
    gpu.synchronise()


def healthy_products(gpu, drawn):
    drawn.start(gpu)
    for _ in range(drawn.turns):
        drawn.model(gpu)
        if drawn.random.random() < 0.3:
            gpu.item()
    gpu.synchronise()


def healthy_streams(gpu, drawn):
    """Two halves of the model on two streams, inputs on a third."""
    drawn.start(gpu)
    for _ in range(drawn.turns):
        gpu.copy(3_000_000, memory="Pinned", stream=21)
        drawn.model(gpu)
        drawn.model(gpu, SECOND)
    gpu.synchronise()
    gpu.synchronise(SECOND)


def healthy_graphs(gpu, drawn):
    """One call launches all kernels of a step."""
    drawn.start(gpu)
    names = [drawn.product, drawn.random.choice(OTHERS)]
    for _ in range(drawn.turns):
        gpu.copy(500_000, memory="Pinned")
        gpu.graph([(name, us) for _ in range(drawn.layers) for name, us in zip(names, (drawn.us, 8), strict=True)])
    gpu.synchronise()


def healthy_hidden_sums(gpu, drawn):
    """Gradients are reduced on a second stream while the backward pass goes on."""
    drawn.start(gpu)
    name = drawn.random.choice(SUMS)
    for _ in range(drawn.turns):
        drawn.model(gpu)
        gpu.free[SECOND] = max(gpu.free.get(SECOND, 0.0), gpu.free[MATH])
        gpu.kernel(0.6 * drawn.model_us, name, stream=SECOND, op="c10d::allreduce_")
        drawn.model(gpu)
    gpu.synchronise()


FAULTS = {
    sync_per_item: {"host_sync"},
    pageable: {"pageable_copies"},
    empty_cache: {"allocator_churn"},
    scores: {"unfused_attention"},
    launches: {"launch_bound", "small_kernels"},
    optimizer_loop: {"launch_bound", "small_kernels"},
    python_input: {"input_bound"},
    reduced_after: {"comm_exposed"},
}
HEALTHY = (healthy_products, healthy_streams, healthy_graphs, healthy_hidden_sums)


def draw(seed):
    """A name, a program and the rules that name its cause; every twelve seeds have each fault and each healthy kind."""
    drawn = Drawn(random.Random(seed))
    drawn.where = drawn.random.choice(("HtoD", "HtoD", "DtoH"))
    kinds = [*FAULTS, *HEALTHY]
    kind = kinds[seed % len(kinds)]

    def program(gpu):
        kind(gpu, drawn)

    program.__name__ = f"{kind.__name__}_{seed}"
    return program, FAULTS.get(kind, set())
