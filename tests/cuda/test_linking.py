"""Kernels that launch kernels: linked with the device runtime, or one line that says what is missing."""

import pytest

from perfproof import cuda
from perfproof.cuda import linking

SOURCE = """
    __global__ void child(float* x) { x[threadIdx.x] = 1.0f; }
    __global__ void parent(float* x) { child<<<1, 32, 0, cudaStreamFireAndForget>>>(x); }
"""
with_toolkit = pytest.mark.skipif(
    not (linking.find_linker() and linking.find_library()), reason="linking needs the CUDA toolkit"
)


def built(path) -> bytes:
    return cuda.source(path, options=("-rdc=true",)).parent.compiled_for("sm_90a")[0]


def compiled_alone(write) -> bytes:
    plain = write("__global__ void alone(float* x) { x[threadIdx.x] = 1.0f; }", "alone.cu")
    return cuda.source(plain).alone.compiled_for("sm_90a")[0]


@with_toolkit
def test_a_kernel_that_launches_kernels_is_linked(write):
    cubin = built(write(SOURCE))
    assert cubin[:4] == b"\x7fELF"
    assert len(cubin) > 10 * len(compiled_alone(write))  # the runtime is in it


@with_toolkit
def test_a_symbol_that_is_nowhere_is_an_error_of_one_line(write):
    missing = 'extern "C" __device__ void nowhere();\n__global__ void parent(float* x) { nowhere(); }\n'
    with pytest.raises(cuda.CudaError, match="linked") as caught:
        built(write(missing))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("missing", "name"), [("find_linker", "nvlink"), ("find_library", "libcudadevrt")])
def test_without_the_toolkit_it_says_what_to_install(write, monkeypatch, tmp_path, missing, name):
    for finder in ("find_linker", "find_library"):
        monkeypatch.setattr(linking, finder, lambda found=finder != missing: tmp_path if found else None)
    with pytest.raises(cuda.CudaError, match=f"{name}.*CUDA_HOME"):
        built(write(SOURCE))


def test_a_source_without_the_option_needs_no_linker(write, monkeypatch):
    monkeypatch.setattr(linking, "find_linker", lambda: None)
    assert compiled_alone(write)[:4] == b"\x7fELF"
