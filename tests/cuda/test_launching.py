"""What reaches the driver: the bytes of each argument, the configuration, the stream; and what is refused before it."""

import struct
import threading

import pytest
import torch
from cuda.bindings.driver import CUresult

from perfproof import cuda

SCALE = """
    __global__ void scale(const float* x, float* out, float factor, int count, long long first, bool flag) {
        out[first] = flag ? x[first] * factor : count;
    }
    template <typename T> __global__ void fill(T* out, T value) { out[threadIdx.x] = value; }
    extern "C" __global__ void hidden(float* out, float value, int count) { out[count] = value; }
"""
SIZES = (8, 8, 4, 4, 8, 1)


@pytest.fixture
def kernels(write):
    return cuda.source(write(SCALE))


def refused(function, *arguments, **launch) -> str:
    with pytest.raises(cuda.CudaError) as caught:
        function(*arguments, **{"grid": 1, "block": 1, **launch})
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_arguments_are_packed_by_the_types_of_the_kernels_signature(kernels, device):
    recorder, x, out = device(*SIZES), torch.ones(4), torch.empty(4)
    kernels.scale(x, out, 2, 7, -(2**40), True, grid=(3, 2), block=128)
    (launch,) = recorder.launches
    assert recorder.function_name.startswith("_Z5scale")
    pointers = [struct.unpack("<Q", each)[0] for each in launch.arguments[:2]]
    assert pointers == [x.data_ptr(), out.data_ptr()]
    assert launch.arguments[2:] == [
        struct.pack("<f", 2.0),  # a whole number for a float is that number, not its bits
        struct.pack("<i", 7),
        struct.pack("<q", -(2**40)),
        b"\1",
    ]
    assert (launch.grid, launch.block, launch.shared, launch.stream) == ((3, 2, 1), (128, 1, 1), 0, 99)


def test_a_second_launch_has_its_own_arguments_and_configuration(kernels, device):
    recorder, x, out = device(*SIZES), torch.ones(4), torch.empty(4)
    for count, grid in ((1, 5), (2, 6), (3, 5)):
        kernels.scale(x, out, 1.5, count, 0, False, grid=grid, block=32)
    assert [struct.unpack("<i", launch.arguments[3])[0] for launch in recorder.launches] == [1, 2, 3]
    assert [launch.grid[0] for launch in recorder.launches] == [5, 6, 5]


def test_the_stream_is_the_current_one_at_each_launch(kernels, device, monkeypatch):
    recorder, x = device(*SIZES), torch.ones(4)
    for stream in (0, 1234, 0):
        monkeypatch.setattr(torch._C, "_cuda_getCurrentRawStream", lambda device, stream=stream: stream, raising=False)
        cuda.source(kernels._build.path).scale(x, x, 1, 1, 0, True, grid=1, block=1)
    assert [launch.stream for launch in recorder.launches] == [0, 1234, 0]


def test_an_instance_of_a_template_has_the_types_it_was_made_with(kernels, device):
    recorder, out = device(8, 8), torch.empty(4, dtype=torch.float64)
    kernels["fill<double>"](out, 3, grid=1, block=4)
    assert recorder.launches[0].arguments[1] == struct.pack("<d", 3.0)


@pytest.mark.parametrize(
    ("place", "wrong", "message"),
    [
        (0, torch.ones(4, dtype=torch.bfloat16), "argument 1 (float const*) is a tensor of torch.bfloat16; the kernel"),
        (0, 12345, "argument 1 (float const*) is a int: give a tensor, or None"),
        (2, torch.ones(()), "argument 3 (float) is a Tensor: give a Python number"),
        (2, "2", "argument 3 (float) is a str: give a Python number"),
        (2, 1e300, "argument 3 (float) is 1e+300, which does not fit"),
        (3, 2.5, "argument 4 (int) is 2.5, which does not fit"),
        (3, 2**31, "argument 4 (int) is 2147483648, which does not fit"),
        (3, cuda.int64(1), "argument 4 (int) is a Number of format 'q': give a Python number"),
    ],
)
def test_an_argument_that_does_not_fit_is_named_with_its_type(kernels, device, place, wrong, message):
    recorder = device(*SIZES)
    arguments = [torch.ones(4), torch.ones(4), 2.0, 7, 0, True]
    arguments[place] = wrong
    assert f"kernels.cu: scale: {message}" in refused(kernels.scale, *arguments)
    assert recorder.launches == []


def test_a_tensor_elsewhere_is_refused(kernels, device, monkeypatch):
    device(*SIZES)
    monkeypatch.setattr(torch._C, "_cuda_getDevice", lambda: 0, raising=False)
    message = refused(kernels.scale, torch.ones(4), None, 1, 1, 0, False)
    assert message == (
        "kernels.cu: scale: argument 1 (float const*) is on cpu; the launch is on cuda:0: move one of them"
    )


def test_a_number_of_arguments_that_is_wrong_is_refused_with_the_types(kernels, device):
    device(*SIZES)
    message = refused(kernels.scale, torch.ones(1))
    assert message == (
        "kernels.cu: scale: 1 arguments for 6 parameters (float const*, float*, float, int, long long, bool)"
    )


def test_none_is_a_null_pointer(kernels, device):
    recorder = device(*SIZES)
    kernels.scale(None, torch.ones(1), 1, 1, 0, False, grid=1, block=1)
    assert recorder.launches[0].arguments[0] == bytes(8)


def test_of_an_extern_c_kernel_a_number_has_to_say_its_type(kernels, device):
    recorder, out = device(8, 4, 4), torch.empty(4)
    message = refused(kernels.hidden, out, 2.0, 1)
    assert 'argument 2 (4 bytes) is the number 2.0, and its type is hidden by extern "C"' in message
    assert "4 bytes" in refused(kernels.hidden, out, cuda.float64(2.0), cuda.int32(1))
    kernels.hidden(out, cuda.float32(2.0), cuda.int32(3), grid=1, block=1)
    assert recorder.launches[0].arguments[1:] == [struct.pack("<f", 2.0), struct.pack("<i", 3)]


def test_unsigned_pointers_take_raw_bits_and_unknown_types_any_tensor(write, device):
    source = write(
        "struct Pair { int a, b; };\n"
        "__global__ void bits(unsigned short* x, float4* y, void* z, const Pair pair) { x[0] = pair.a; }\n"
    )
    recorder = device(8, 8, 8, 8)
    half, any_kind = torch.ones(2, dtype=torch.bfloat16), torch.ones(2, dtype=torch.int16)
    bits = cuda.source(source).bits
    bits(half, any_kind, any_kind, struct.pack("<ii", 1, 2), grid=1, block=1)
    assert recorder.launches[0].arguments[3] == struct.pack("<ii", 1, 2)
    assert "reads torch." in refused(bits, torch.ones(2), any_kind, any_kind, bytes(8))
    assert "is 4 bytes: give 8 bytes" in refused(bits, half, any_kind, any_kind, bytes(4))


@pytest.mark.parametrize(
    ("launch", "message"),
    [
        (dict(grid=0), "grid=0 is empty; every extent is at least 1"),
        (dict(grid=(1, 2, 3, 4)), "grid=(1, 2, 3, 4); write a whole number or a tuple of up to three"),
        (dict(grid=1.5), "grid=1.5; write a whole number"),
        (dict(grid=[1]), "grid=[1]; write a whole number or a tuple"),
        (dict(grid=(1, 70_000)), "grid=(1, 70000, 1) is larger than (2147483647, 65535, 65535)"),
        (dict(block=(64, 32)), "block=(64, 32, 1) is 2048 threads; it can have 1024 ("),
        (dict(shared=300_000), "asks for 300,000 bytes of shared memory a block; cuda:-1 has 232,448: use less"),
        (dict(shared=-1), "shared=-1; write the bytes"),
        (dict(grid=3, cluster=2), "grid=(3, 1, 1) is no multiple of cluster=(2, 1, 1)"),
    ],
)
def test_a_launch_that_the_device_cannot_have_says_what_was_asked_and_what_there_is(kernels, device, launch, message):
    recorder = device(*SIZES)
    assert message in refused(kernels.scale, None, None, 1, 1, 0, False, **launch)
    assert recorder.launches == []


def test_shared_memory_above_48_kib_is_asked_for(kernels, device):
    recorder = device(*SIZES)
    for shared in (1024, 48 * 1024):
        kernels.scale(None, None, 1, 1, 0, False, grid=1, block=1, shared=shared)
    assert recorder.attributes == {}
    kernels.scale(None, None, 1, 1, 0, False, grid=1, block=1, shared=64 * 1024)
    assert recorder.attributes == {"CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES": 232_448}
    assert [launch.shared for launch in recorder.launches] == [1024, 48 * 1024, 64 * 1024]


def test_static_shared_memory_counts_towards_the_limit(write, device):
    body = "__shared__ int a[1000]; a[x[0]] = 1; __syncthreads(); x[1] = a[x[2]];"
    source = write(f"__global__ void held(int* x) {{ {body} }}")
    device(8)
    message = refused(cuda.source(source).held, None, shared=230_000)
    assert "asks for 234,000 bytes of shared memory a block (4000 static, 230000 dynamic)" in message


def test_clusters_cooperation_and_dependent_launches_are_attributes(kernels, device):
    recorder = device(*SIZES)
    arguments = (None, None, 1, 1, 0, False)
    kernels.scale(*arguments, grid=8, block=32, cluster=(4,), cooperative=True, pdl=True)
    kernels.scale(*arguments, grid=8, block=32)
    assert recorder.launches[0].attributes == [
        "CU_LAUNCH_ATTRIBUTE_COOPERATIVE",
        "CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION",
        "CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION",
    ]
    assert recorder.launches[1].attributes == []
    kernels.scale(*arguments, grid=16, block=32, cluster=16)
    assert recorder.attributes == {"CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED": 1}


def test_a_failed_launch_says_what_the_driver_said_and_what_was_asked(kernels, device):
    device(*SIZES, status=CUresult.CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)
    message = refused(kernels.scale, None, None, 1, 1, 0, False, grid=7, block=64)
    assert message == (
        "kernels.cu: scale could not be launched: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES (the driver's words) "
        "with grid=(7, 1, 1) block=(64, 1, 1) shared=0"
    )


def test_a_cooperative_launch_that_is_too_large_says_how_many_blocks_fit(kernels, device):
    device(*SIZES, status=CUresult.CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE)
    message = refused(kernels.scale, None, None, 1, 1, 0, False, grid=9999, block=64, cooperative=True)
    assert message.endswith("cooperative; a cooperative launch has room for 264 blocks of that size here")
    assert kernels.scale.resident_blocks(block=64) == 264


def test_an_architecture_that_is_not_here_is_refused(write, device):
    device(*SIZES)
    kernels = cuda.source(write(SCALE), arch="100a")
    message = refused(kernels.scale, None, None, 1, 1, 0, False)
    assert message == "kernels.cu needs sm_100a; cuda:-1 is sm_90"


def test_a_thread_without_a_context_takes_torchs(kernels, device):
    recorder = device(*SIZES)
    kernels.scale(None, None, 1, 1, 0, False, grid=1, block=1)
    recorder.contexts = 0
    kernels.scale(None, None, 1, 1, 0, False, grid=1, block=1)
    assert (len(recorder.launches), recorder.contexts) == (2, 5)


def test_threads_do_not_mix_their_arguments(kernels, device):
    recorder, out = device(*SIZES), torch.empty(1)

    def launch(count):
        for _ in range(50):
            kernels.scale(out, out, float(count), count, count, True, grid=1, block=1)

    threads = [threading.Thread(target=launch, args=(count,)) for count in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(recorder.launches) == 200
    for one in recorder.launches:
        count = struct.unpack("<i", one.arguments[3])[0]
        assert one.arguments[2] == struct.pack("<f", count) and one.arguments[4] == struct.pack("<q", count)


def test_on_a_device_the_resources_know_the_threads_of_a_block(kernels, device):
    device(*SIZES, threads=640)
    assert kernels.scale.resources.max_threads == 640


def test_without_a_gpu_a_launch_says_so(kernels, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert refused(kernels.scale) == "kernels.cu: scale needs a GPU to run, and torch sees none here"


def test_what_was_launched_is_known_with_its_resources_and_occupancy(kernels, device):
    device(*SIZES)
    x = torch.ones(4)
    assert kernels.kernel_launches() == []
    for block in (128, 256, 128):
        kernels.scale(x, x, 1.0, 1, 0, False, grid=3, block=block, shared=512)
    small, large = kernels.kernel_launches()
    assert (small.kernel, small.block, small.dynamic_shared) == ("scale", (128, 1, 1), 512)
    assert small.resources.registers > 0 and small.resources.binary == "sm_90a"
    assert (small.blocks_per_sm, small.occupancy, large.occupancy) == (2, 2 * 128 / 2048, 2 * 256 / 2048)
