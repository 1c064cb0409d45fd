"""Descriptors: shapes in torch's order become the driver's, and what the hardware cannot do is said in words."""

import pytest
import torch

from perfproof import cuda


@pytest.fixture
def on_gpu(monkeypatch):
    monkeypatch.setattr(torch.Tensor, "is_cuda", True)


def refused(tensor, **options) -> str:
    with pytest.raises(cuda.CudaError) as caught:
        cuda.tensor_map(tensor, **options)
    return str(caught.value)


def test_a_descriptor_has_the_fastest_dimension_first(device, on_gpu):
    recorder, x = device(128), torch.zeros(100, 64, dtype=torch.bfloat16)
    made = cuda.tensor_map(x, box=(16, 32), swizzle="64B", promotion="128B")
    kind, rank, address, shape, strides, box, steps, _, swizzle, promotion, fill = recorder.encoded[0]
    assert (rank, address) == (2, x.data_ptr())
    assert [[int(each) for each in values] for values in (shape, strides, box, steps)] == [
        [64, 100],
        [128],  # bytes; the fastest has none
        [32, 16],
        [1, 1],
    ]
    names = [each.name for each in (kind, swizzle, promotion, fill)]
    assert [name.removeprefix("CU_TENSOR_MAP_") for name in names] == [
        "DATA_TYPE_BFLOAT16",
        "SWIZZLE_64B",
        "L2_PROMOTION_L2_128B",
        "FLOAT_OOB_FILL_NONE",
    ]
    assert len(made.encoded) == 128 and made.tensor is x


def test_a_descriptor_is_passed_to_a_kernel_by_value(write, device, on_gpu):
    source = """
        struct alignas(64) CUtensorMap_st { unsigned long long opaque[16]; };
        __global__ void tile(const __grid_constant__ CUtensorMap_st map, float* out) { out[0] = map.opaque[3]; }
    """
    recorder, x = device(128, 8), torch.zeros(16, 16)
    made = cuda.TensorMap(bytes(range(128)), x)
    cuda.source(write(source)).tile(made, x, grid=1, block=1)
    assert recorder.launches[0].arguments[0] == bytes(range(128))


@pytest.mark.parametrize(
    ("shape", "options", "message"),
    [
        ((16, 16), dict(box=(16,)), "need 2 numbers, one for each dimension"),
        ((16, 16), dict(box=(16, 512)), "every extent is 1 to 256"),
        ((16, 6), dict(box=(4, 4)), "the others multiples of 16 bytes"),
        ((16, 16), dict(box=(4, 3)), "a row of the box is 12 bytes; it has to be a multiple of 16"),
        ((16, 64), dict(box=(4, 64), swizzle="128B"), "is 256 bytes; with swizzle='128B' it is at most 128"),
        ((16, 16), dict(box=(4, 4), swizzle="7B"), "swizzle='7B'; choose one of none, 32B, 64B, 128B"),
        ((4,) * 6, dict(box=(4,) * 6), "the tensor has 6 dimensions"),
    ],
)
def test_what_the_hardware_cannot_do_is_said_in_words(device, on_gpu, shape, options, message):
    device(128)
    assert message in refused(torch.zeros(shape), **options)


def test_a_tensor_on_the_cpu_is_refused():
    assert refused(torch.zeros(16, 16), box=(4, 4)) == "tensor_map: the tensor is on cpu; move it to the GPU"


def test_an_address_that_is_not_aligned_is_refused(device, on_gpu):
    device(128)
    assert "no multiple of 16" in refused(torch.zeros(100)[1:65], box=(16,))
