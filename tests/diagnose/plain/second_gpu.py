"""Programs on a simulated GPU, none with marked steps.

The second half: written when the rules were done, to judge them.
"""

from tests.diagnose.plain.simulated_gpu import SECOND

BF16, CONV = "nvjet_hsh_128x256_64x4_2x1_v_bz_coopA_NNT", "sm90_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc"
BN, RELU = "cudnn::bn_fw_tr_1C11_kernel_NHWC", "vectorized_elementwise_kernel<4, at::native::launch_clamp_scalar>"


def convolutions(gpu, count=6, us=400.0):
    for _ in range(count):
        gpu.kernel(us, CONV, op="aten::cudnn_convolution")
        gpu.kernel(40, BN, op="aten::cudnn_batch_norm")
        gpu.kernel(25, RELU, op="aten::relu_")


def images_with_validation(gpu):
    """Batches come ahead from pinned memory; every eight steps a validation of two batches."""
    gpu.start()
    for number in range(32):
        gpu.copy(19_000_000, memory="Pinned", stream=SECOND)
        convolutions(gpu)
        gpu.kernel(500, "multi_tensor_apply_kernel<SGD>", op="aten::_foreach_add_")
        if number % 8 == 7:
            convolutions(gpu, count=12)
            gpu.kernel(15, "argmax_kernel", op="aten::argmax")
            gpu.item()


def gradients_reduced_beside_backward(gpu):
    gpu.start(context_us=350_000)
    for _ in range(16):
        convolutions(gpu, count=10, us=500)
        for _ in range(3):
            gpu.kernel(900, "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", stream=SECOND)
        convolutions(gpu, count=10, us=500)
    gpu.synchronise()


def lengths_differ(gpu):
    """Every batch has another length, so that the library picks other kernels; the GPU is busy."""
    gpu.start()
    for number in range(24):
        gpu.kernel(30, "indexSelectLargeIndex", op="aten::embedding")
        for _ in range(6):
            gpu.kernel(300 + 40 * (number % 5), f"nvjet_hsh_{64 * (1 + number % 7)}x128_64x5_v_NTN", op="aten::addmm")
            gpu.kernel(60, "vectorized_layer_norm_kernel", op="aten::native_layer_norm")
        gpu.kernel(80, "nll_loss_forward_reduce", op="aten::nll_loss_forward")
    gpu.synchronise()


def reads_its_loss_each_step(gpu):
    """One .item() per long step is what most programs have."""
    gpu.start()
    for _ in range(18):
        convolutions(gpu, count=20, us=600)
        gpu.item()
        gpu.host(80)


def two_steps_only(gpu):
    gpu.start()
    for _ in range(2):
        gpu.host(3_000)
        convolutions(gpu, count=3)
        gpu.item()


def augmented_in_numpy(gpu):
    """Host work of 12 ms, two pinned copies that nobody waits for, a step of 4 ms."""
    gpu.start()
    for _ in range(22):
        gpu.host(12_000)
        gpu.copy(6_000_000, memory="Pinned")
        gpu.copy(2_048, memory="Pinned")
        convolutions(gpu, count=8)


def metrics_logged_each_step(gpu):
    gpu.start()
    for _ in range(25):
        convolutions(gpu, count=4)
        gpu.item()
        gpu.host(2_500)


def experts_by_nonzero(gpu):
    gpu.start()
    for _ in range(10):
        gpu.kernel(60, BF16, op="aten::addmm")
        for _ in range(32):
            with gpu.within("aten::nonzero"):
                gpu.kernel(5, "DeviceSelectSweepKernel")
                gpu.copy(8, "DtoH", blocking=False)
                gpu.synchronise()
            gpu.host(25)
            gpu.kernel(12, "index_elementwise_kernel", op="aten::index")
            gpu.kernel(30, BF16, op="aten::mm")


def sizes_that_never_fit(gpu):
    """Each step frees what is cached and asks the driver for other sizes."""
    gpu.start()
    for number in range(20):
        for layer in range(4):
            if (number + layer) % 2:
                gpu.release(500)
            gpu.malloc(700)
            gpu.kernel(350, BF16, op="aten::mm")
            gpu.kernel(90, RELU, op="aten::relu")
        gpu.kernel(120, "reduce_kernel<512>", op="aten::sum")


def masked_attention_by_hand(gpu):
    gpu.start()
    for _ in range(10):
        gpu.kernel(20, "indexSelectLargeIndex", op="aten::embedding")
        for _ in range(8):
            gpu.kernel(90, BF16, op="aten::addmm")
            gpu.kernel(110, BF16, op="aten::bmm")
            gpu.kernel(90, "vectorized_elementwise_kernel<4, DivFunctor>", op="aten::div")
            gpu.kernel(95, "elementwise_kernel<128, 2, masked_fill_kernel>", op="aten::masked_fill")
            gpu.kernel(140, "void (anonymous namespace)::cunn_SoftMaxForward<4, float, float>", op="aten::_softmax")
            gpu.kernel(100, "fused_dropout_kernel_vec", op="aten::native_dropout")
            gpu.kernel(110, BF16, op="aten::bmm")
            gpu.kernel(180, BF16, op="aten::addmm")
    gpu.synchronise()


def optimizer_in_a_loop(gpu):
    """Every parameter is updated by three tiny kernels of its own; the model itself is small."""
    gpu.start()
    for _ in range(8):
        for _ in range(6):
            gpu.kernel(8, BF16, op="aten::addmm")
        for _ in range(120):
            for name in ("mul_", "add_", "addcdiv_"):
                gpu.kernel(2.5, f"vectorized_elementwise_kernel<4, {name}>", op=f"aten::{name}")
                gpu.host(5)


def compiled_again_and_again(gpu):
    gpu.start()
    for number in range(20):
        if number % 2:
            gpu.host(30_000, "_compile.compile_inner (dynamo_timed)", "user_annotation")
        convolutions(gpu, count=10)
        gpu.synchronise()


def tensor_parallel_decoding(gpu):
    gpu.start()
    for _ in range(20):
        for _ in range(16):
            gpu.kernel(40, BF16, op="aten::mm")
            gpu.kernel(35, "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>")
            gpu.kernel(45, BF16, op="aten::mm")
            gpu.kernel(35, "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>")
        gpu.kernel(60, "argmax_kernel", op="aten::argmax")
    gpu.synchronise()


def results_copied_back(gpu):
    gpu.start()
    for _ in range(16):
        convolutions(gpu, count=4)
        gpu.copy(70_000_000, "DtoH")


def products_in_float32(gpu):
    gpu.start()
    for _ in range(14):
        for _ in range(4):
            gpu.kernel(1_800, "ampere_sgemm_128x64_tn", op="aten::addmm")
            gpu.kernel(60, RELU, op="aten::relu")
    gpu.synchronise()


CAUSES = {
    images_with_validation: set(),
    gradients_reduced_beside_backward: set(),
    lengths_differ: set(),
    reads_its_loss_each_step: set(),
    two_steps_only: set(),
    augmented_in_numpy: {"input_bound"},
    metrics_logged_each_step: {"host_work"},
    experts_by_nonzero: {"host_sync"},
    sizes_that_never_fit: {"allocator_churn"},
    masked_attention_by_hand: {"unfused_attention"},
    optimizer_in_a_loop: {"launch_bound", "small_kernels"},
    compiled_again_and_again: {"recompiles"},
    tensor_parallel_decoding: {"comm_exposed"},
    results_copied_back: {"pageable_copies"},
    products_in_float32: {"wrong_precision"},
}
