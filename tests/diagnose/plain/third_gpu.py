"""Programs on a simulated GPU, none with marked steps.

The third set: written from docs/diagnose.md alone, without a look at the rules.
"""

from tests.diagnose.plain.simulated_gpu import SECOND

GEMM = "sm90_xmma_gemm_bf16bf16_bf16f32_f32_nt_n_tilesize256x128x64_warpgroupsize2x1x1"
ALLREDUCE = "ncclDevKernel_AllReduce_Sum_f32_TREE_LL(ncclDevKernelArgsStorage<4096ul>)"


def graph_network_in_python(gpu):
    """Message passing: Python builds short kernels for every edge type, and now and then looks something up."""
    gpu.start()
    for _ in range(9):
        for kind in range(70):
            gpu.host(9)
            gpu.kernel(3, "index_elementwise_kernel<gather>", op="aten::index_select")
            gpu.kernel(4, GEMM, op="aten::mm")
            gpu.kernel(2, "scatter_add_kernel", op="aten::index_add_")
            if kind % 10 == 0:
                gpu.host(40)
        gpu.kernel(20, "reduce_kernel<512>", op="aten::mean")
    gpu.synchronise()


def frames_from_ordinary_memory(gpu):
    """Video: each clip is ready in plain host memory, and goes over in four pieces before the model."""
    gpu.start()
    for _ in range(15):
        for _ in range(4):
            gpu.copy(24_000_000)
        for _ in range(5):
            gpu.kernel(450, "sm90_xmma_fprop_implicit_gemm_bf16bf16", op="aten::cudnn_convolution")
            gpu.kernel(60, "vectorized_elementwise_kernel<4, silu>", op="aten::silu")
    gpu.synchronise()


def beam_search_reads_every_candidate(gpu):
    """Each candidate's score is compared in Python before the next one is computed."""
    gpu.start()
    for _ in range(12):
        gpu.kernel(200, GEMM, op="aten::addmm")
        for _ in range(24):
            gpu.kernel(9, "reduce_kernel<512>", op="aten::sum")
            gpu.item()
            gpu.host(8)
            gpu.kernel(6, "vectorized_elementwise_kernel<4, add>", op="aten::add")


def gradients_reduced_after_backward(gpu):
    """All buckets are reduced when the whole backward pass is over, and the optimizer waits for them."""
    gpu.start()
    for _ in range(14):
        for _ in range(12):
            gpu.kernel(260, GEMM, op="aten::addmm")
        for _ in range(4):
            gpu.free[SECOND] = max(gpu.free.get(SECOND, 0.0), gpu.free[7])
            gpu.kernel(1_100, ALLREDUCE, stream=SECOND, op="c10d::allreduce_")
        gpu.free[7] = gpu.free[SECOND]
        gpu.kernel(300, "multi_tensor_apply_kernel<Adam>", op="aten::_fused_adam_")
    gpu.synchronise()


def crops_of_every_size(gpu):
    """Each image has its own size; the cache is full, so every layer returns a block and asks for another."""
    gpu.start()
    for number in range(18):
        for layer in range(5):
            gpu.malloc(450 + 60 * ((number + layer) % 4))
            gpu.kernel(180 + 20 * (number % 3), "sm90_xmma_fprop_implicit_gemm", op="aten::cudnn_convolution")
            gpu.release(350)
        gpu.kernel(30, "argmax_kernel", op="aten::argmax")


def prefill_of_long_prompts(gpu):
    """Healthy: large products and fused attention, the host far ahead, prompts copied from pinned memory."""
    gpu.start()
    for _ in range(12):
        gpu.copy(65_536, memory="Pinned", stream=SECOND)
        for _ in range(10):
            gpu.kernel(700, GEMM, op="aten::mm")
            gpu.kernel(350, "pytorch_flash::flash_fwd_kernel", op="aten::_scaled_dot_product_flash_attention")
            gpu.kernel(900, GEMM, op="aten::mm")
            gpu.kernel(45, "vectorized_layer_norm_kernel", op="aten::native_layer_norm")
    gpu.synchronise()


CAUSES = {
    graph_network_in_python: {"launch_bound"},
    frames_from_ordinary_memory: {"pageable_copies"},
    beam_search_reads_every_candidate: {"host_sync"},
    gradients_reduced_after_backward: {"comm_exposed"},
    crops_of_every_size: {"allocator_churn"},
    prefill_of_long_prompts: set(),
}
