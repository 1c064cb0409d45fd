"""Real compilations without a GPU: what is in the binary, and each way in which a source is refused, in one line."""

import pytest

from perfproof import cuda
from perfproof.cuda import headers
from perfproof.cuda.compiling import Build, compile_build, plain_defines
from perfproof.cuda.errors import CompileError

PLAIN = """
    __global__ void copy(const float* x, float* out, int count) { out[threadIdx.x] = x[threadIdx.x] + count; }
"""


def resources(path, name="copy", **options):
    return cuda.source(path, **options)[name].resources


def refused(function, *arguments, **options) -> str:
    with pytest.raises(cuda.CudaError) as caught:
        function(*arguments, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_nothing_is_compiled_before_a_kernel_is_used(write):
    kernels = cuda.source(write("this is not CUDA"))
    assert kernels.copy.name == "copy"
    refused(lambda: kernels.copy.resources)


def test_the_source_is_the_cu_beside_the_pair(write):
    path = write(PLAIN)
    assert resources(path.with_suffix(".py")).binary == "sm_90a"


def test_the_resources_are_known_without_a_gpu(write):
    source = """
        __global__ void copy(const float* x, float* out, int count) {
            __shared__ float tile[100];
            tile[threadIdx.x] = x[threadIdx.x];
            __syncthreads();
            out[threadIdx.x] = tile[99 - threadIdx.x];
        }
        __global__ void __launch_bounds__(1024, 2) spills(float* x, int step) {
            float held[64];
            for (int i = 0; i < 64; i++) held[i] = x[i * step];
            __syncthreads();
            for (int i = 0; i < 64; i++) x[i * step + 1] = held[i] * held[63 - i];
        }
    """
    path = write(source)
    plain, spilling = resources(path), resources(path, "spills")
    assert plain.static_shared == 400 and plain.local == 0 and plain.registers > 0
    assert spilling.local > 0 and spilling.spill_stores > 0 and spilling.spill_loads > 0 and spilling.registers <= 32
    assert plain.max_threads is None


def test_an_architecture_can_be_asked_for(write):
    assert resources(write(PLAIN), arch="100a").binary == "sm_100a"
    assert resources(write(PLAIN), arch="sm_80").binary == "sm_80"
    assert "no architecture 'hopper'; write one like '90a'" in refused(resources, write(PLAIN), arch="hopper")


def test_defines_and_options_reach_the_compiler(write):
    source = """
        #ifndef TILE
        #error TILE is not defined
        #endif
        __global__ void copy(float* x) {
            __shared__ float held[TILE];
            held[threadIdx.x] = x[0];
            __syncthreads();
            x[1] = held[0];
        }
    """
    path = write(source)
    assert "TILE is not defined" in refused(resources, path)
    assert resources(path, defines={"TILE": 64}).static_shared == 256
    assert resources(path, options=("-DTILE=32", "--use_fast_math")).static_shared == 128


def test_defines_are_plain():
    defines = plain_defines({"B": True, "A": 64, "EMPTY": None, "KIND": "float"})
    assert defines == (("A", "64"), ("B", "1"), ("EMPTY", ""), ("KIND", "float"))
    assert "'TILE SIZE' is no name for a macro" in refused(plain_defines, {"TILE SIZE": 1})


def test_a_standard_of_ones_own_replaces_the_default(tmp_path):
    arguments = Build(tmp_path / "a.cu", "sm_90a", options=("--std=c++20",)).arguments
    assert [each for each in arguments if "std" in each] == ["--std=c++20"]


def test_a_compile_error_is_the_first_one_with_its_line_and_the_number_of_others(write):
    path = write("__global__ void copy(float* x) {\n  x[0] = one;\n  x[1] = two;\n  x[2] = three;\n}\n")
    message = refused(resources, path)
    assert message == f'{path}:2: identifier "one" is undefined (and 2 more errors)'


def test_the_whole_log_is_kept_for_who_wants_it(write):
    with pytest.raises(CompileError) as caught:
        compile_build(Build(write("__global__ void f(float* x) { x[0] = one; x[1] = two; }"), "sm_90a"))
    assert '"one"' in caught.value.log and '"two"' in caught.value.log


def test_an_error_in_an_included_file_names_that_file(write):
    write("__device__ int broken() { return nothing; }\n", "part.cuh")
    path = write('#include "part.cuh"\n__global__ void copy(int* x) { x[0] = broken(); }\n')
    assert refused(resources, path) == f'{path.with_name("part.cuh")}:1: identifier "nothing" is undefined'


def test_a_missing_header_comes_with_what_to_do(write):
    own = refused(resources, write('#include "tile.cuh"\n'))
    assert ":1: there is no tile.cuh; put it beside the source" in own
    assert "no C++ standard library: use <cuda/std/vector>" in refused(resources, write("#include <vector>\n"))


def test_a_missing_cuda_header_says_which_packages_bring_it(write, monkeypatch):
    monkeypatch.setattr(headers, "_roots", lambda: iter(()))
    message = refused(resources, write("#include <cuda_fp16.h>\n"))
    assert "there is no cuda_fp16.h; install the CUDA toolkit and set CUDA_HOME, or pip install" in message


def test_an_error_of_the_assembler_is_one_line_too(write):
    path = write('__global__ void copy(int* x) { asm volatile("no.such.instruction;"); }')
    assert refused(resources, path).startswith(f"{path}: ptxas: ")


def test_too_much_static_shared_memory_is_one_line(write):
    body = "__shared__ int a[100000]; a[x[0]] = 1; __syncthreads(); x[1] = a[x[2]];"
    path = write(f"__global__ void copy(int* x) {{ {body} }}")
    assert "too much shared data" in refused(resources, path)


def test_an_unknown_option_is_named(write):
    assert "--no-such-option" in refused(resources, write(PLAIN), options=("--no-such-option",))
    assert "options is one string; write a tuple" in refused(cuda.source, write(PLAIN), options="--use_fast_math")
    assert "write arch='90a' instead" in refused(cuda.source, write(PLAIN), options=("-arch=sm_90",))


def test_a_kernel_that_is_not_there_is_answered_with_those_that_are(write):
    source = """
        // __global__ void in_a_comment(int* x)
        template <typename T> __global__ void fill(T* x) { x[0] = 1; }
        __global__ void __launch_bounds__(128) copy(int* x) { x[0] = 1; }
    """
    path = write(source)
    assert refused(lambda: resources(path, "cpoy")) == "kernels.cu has no kernel 'cpoy'; it has: fill, copy"
    assert refused(lambda: resources(path, "fill")) == "kernels.cu: fill is a template; write kernels['fill<...>']"
    assert "'fill<nothing>'" in refused(lambda: resources(path, "fill<nothing>"))


def test_two_kernels_of_one_name_are_not_guessed_between(write):
    path = write("__global__ void copy(int* x) { x[0] = 1; }\n__global__ void copy(float* x) { x[0] = 1; }\n")
    message = refused(resources, path)
    assert "has 2 kernels called copy: copy(" in message and message.endswith("; rename one")


def test_a_kernel_in_a_namespace_is_found_with_or_without_it(write):
    path = write("namespace tiles { __global__ void copy(int* x) { x[0] = 1; } }")
    assert resources(path) == resources(path, "tiles::copy")


def test_a_source_that_is_not_there(tmp_path):
    message = refused(resources, tmp_path / "gone.py")
    assert "gone.cu cannot be read: No such file or directory" in message


@pytest.mark.skipif(len(headers.include_folders()) < 2, reason="CUDA's headers are not here")
def test_cudas_headers_can_be_included_together(write):
    source = """
        #include <cstdint>
        #include <cooperative_groups.h>
        #include <cuda.h>
        #include <cuda/barrier>
        #include <cuda/std/cstdint>
        #include <cuda_bf16.h>
        #include <cuda_fp16.h>
        #include <mma.h>
        __global__ void copy(const __grid_constant__ CUtensorMap map, std::uint64_t* out) {
            out[0] = reinterpret_cast<uint64_t>(&map);
        }
    """
    assert resources(write(source)).registers > 0


def test_python_and_notebooks_may_ask_for_private_names(write):
    kernels = cuda.source(write("not CUDA"))
    assert not hasattr(kernels, "_repr_html_")
    assert repr(kernels) == "<kernels of kernels.cu>"
