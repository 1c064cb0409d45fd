"""Programs on a simulated GPU, none with marked steps: what holds each back is known.

The first half: rules may be tuned on it.

A function per program; `CAUSES` has the rules of which one must come first, an empty set for a healthy program.
"""

from tests.diagnose.plain.simulated_gpu import SECOND

GEMM, NORM = "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64", "vectorized_layer_norm_kernel"
ADAM, SOFTMAX = "multi_tensor_apply_kernel<Adam>", "softmax_warp_forward<float, float, float, 11, false, false>"


def layers(gpu, count=8, us=120.0):
    for _ in range(count):
        gpu.kernel(15, NORM, op="aten::native_layer_norm")
        gpu.kernel(us, GEMM, op="aten::addmm")
        gpu.kernel(us, GEMM, op="aten::addmm")


def large_products(gpu):
    gpu.start()
    for _ in range(40):
        gpu.kernel(2_000, GEMM, op="aten::mm")
    gpu.synchronise(call="cudaDeviceSynchronize")


def training_that_runs_ahead(gpu):
    gpu.start()
    for number in range(20):
        gpu.copy(2_000_000, memory="Pinned")
        layers(gpu)
        gpu.kernel(60, "nll_loss_forward_reduce_cuda_kernel_2d", op="aten::nll_loss_forward")
        layers(gpu, us=240)
        gpu.kernel(300, ADAM, op="Optimizer")
        if number == 0:
            gpu.host(90_000, "cudnn autotuning")
    gpu.synchronise()


def compiled_once(gpu):
    gpu.start()
    gpu.host(4_000_000, "_compile.compile_inner (dynamo_timed)", "user_annotation")
    for _ in range(30):
        with gpu.within("Torch-Compiled Region: 0/0"):
            for _ in range(4):
                gpu.kernel(700, GEMM)
                gpu.kernel(100, "triton_poi_fused_add_gelu_0")
    gpu.synchronise()


def hidden_copies(gpu):
    gpu.start()
    for _ in range(25):
        gpu.copy(40_000_000, memory="Pinned", stream=SECOND)
        layers(gpu, count=10, us=150)
    gpu.synchronise()


def python_makes_batches(gpu):
    """A list comprehension decodes rows, the batch goes to the GPU, the step is short."""
    gpu.start()
    for _ in range(20):
        gpu.host(9_000)
        gpu.copy(1_500_000)
        layers(gpu, us=200)
        gpu.item()


def item_in_a_loop(gpu):
    gpu.start()
    for _ in range(10):
        layers(gpu, count=2)
        for _ in range(120):
            gpu.kernel(4, "reduce_kernel<512, 1>", op="aten::sum")
            gpu.item()
            gpu.host(18)


def empty_cache_each_step(gpu):
    gpu.start()
    for _ in range(15):
        for _ in range(6):
            gpu.malloc(350)
            gpu.kernel(180, GEMM, op="aten::mm")
        for _ in range(6):
            gpu.release(280)


def scores_in_memory(gpu):
    gpu.start()
    for _ in range(12):
        for _ in range(6):
            gpu.kernel(150, GEMM, op="aten::addmm")
            gpu.kernel(160, GEMM, op="aten::bmm")
            gpu.kernel(190, "vectorized_elementwise_kernel<4, MulFunctor>", op="aten::mul")
            gpu.kernel(240, SOFTMAX, op="aten::_softmax")
            gpu.kernel(160, GEMM, op="aten::bmm")
            gpu.kernel(150, GEMM, op="aten::addmm")
    gpu.synchronise()


def answers_written_after_each_step(gpu):
    """A server: the result comes back, Python writes JSON and reads the next request, which is small."""
    gpu.start()
    for _ in range(30):
        layers(gpu, count=6, us=60)
        gpu.kernel(20, "argmax_kernel", op="aten::argmax")
        gpu.item()
        gpu.host(3_500)


def many_launches(gpu):
    gpu.start()
    for _ in range(8):
        for _ in range(300):
            with gpu.within("aten::add"):
                gpu.host(9)
                gpu.kernel(3, "vectorized_elementwise_kernel<4, AddFunctor>")


def pageable_batches(gpu):
    gpu.start()
    for _ in range(15):
        gpu.copy(60_000_000)
        layers(gpu, us=150)


def expert_exchange(gpu):
    gpu.start()
    for _ in range(15):
        for _ in range(4):
            gpu.kernel(150, GEMM, op="aten::addmm")
            gpu.kernel(200, "void deep_ep::intranode::dispatch<8, 768, 8192>")
            gpu.kernel(250, GEMM)
            gpu.kernel(180, "void deep_ep::intranode::combine<__nv_bfloat16, 8, 768, 4096>")
    gpu.synchronise()


def nothing_repeats(gpu):
    """A script that does each thing once: nothing may be said with confidence."""
    gpu.start()
    for number in range(12):
        gpu.kernel(400 + 300 * number, f"once_{chr(97 + number)}", op=f"own::op_{chr(97 + number)}")
        gpu.synchronise()
        gpu.host(1_500 + 200 * number)


CAUSES = {
    large_products: set(),
    training_that_runs_ahead: set(),
    compiled_once: set(),
    hidden_copies: set(),
    nothing_repeats: set(),
    python_makes_batches: {"input_bound"},
    item_in_a_loop: {"host_sync"},
    empty_cache_each_step: {"allocator_churn"},
    scores_in_memory: {"unfused_attention"},
    answers_written_after_each_step: {"host_work"},
    many_launches: {"launch_bound"},
    pageable_batches: {"pageable_copies"},
    expert_exchange: {"comm_exposed"},
}
