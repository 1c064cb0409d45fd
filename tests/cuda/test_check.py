"""Every source is compiled for the GPUs that its pair admits: those of tests, and every .cu of the catalogue."""

from pathlib import Path

import pytest

from perfproof.cuda import compiling
from perfproof.cuda.check import Compiled, Problem, check, in_words
from perfproof.cuda.resources import Resources
from perfproof.pairs.catalogue import catalogue, catalogue_root
from perfproof.pairs.pair import Pair
from tests.chapters.loaded_pair import LoadedPair

PAIR = """
from perfproof import cuda
TILE = 4 * 16
kernels = cuda.source(__file__, defines={"TILE": TILE}, options=("--use_fast_math",))
def optimized(x):
    kernels["fill<float, 3>"](x)
    kernels.copy(x)
"""
SOURCE = """
template <typename T, int N> __global__ void fill(T* x) { x[N] = TILE; }
__global__ void copy(float* x) { __shared__ float a[TILE]; a[threadIdx.x] = x[0]; __syncthreads(); x[1] = a[1]; }
"""
WITH_KERNELS = [pair for pair in catalogue() if isinstance(pair, Pair) and pair.kernel_files]
SPILLING = {"ch08:register_spills": {"full_occupancy"}}  # kernels whose lesson is that they spill
SOURCES = sorted(path for name in ("chapters", "labs") for path in (catalogue_root() / name).rglob("*.cu"))


def test_a_source_is_compiled_as_its_pair_asks(write):
    write(PAIR, "pair.py")
    hopper, blackwell = check(write(SOURCE, "pair.cu"), {"cuda": 9.0})
    assert isinstance(hopper, Compiled) and isinstance(blackwell, Compiled)
    assert (hopper.architecture, blackwell.architecture) == ("sm_90a", "sm_100a")
    assert set(hopper.kernels) == {"fill<float, 3>(float*)", "copy(float*)"}
    assert hopper.kernels["copy(float*)"].static_shared == 256
    assert in_words([hopper, blackwell]) == "its source compiles for sm_90a and sm_100a"


def test_an_exact_architecture_is_compiled_alone(write):
    found = check(write("__global__ void copy(float* x) { x[0] = 1; }\n"), {"sm": "100a"})
    assert [each.architecture for each in found] == ["sm_100a"]
    write("from perfproof import cuda\nkernels = cuda.source(__file__, arch='90a')\n", "kernels.py")
    assert [each.architecture for each in check(write("__global__ void f() {}\n"), {})] == ["sm_90a"]


def test_an_instruction_that_only_one_of_them_has_is_a_problem_on_the_other(write):
    source = '__global__ void f() { asm volatile("wgmma.fence.sync.aligned;"); }\n'
    hopper, blackwell = check(write(source), {"cuda": 9.0})
    assert isinstance(hopper, Compiled) and isinstance(blackwell, Problem)
    assert "wgmma" in blackwell.reason and "\n" not in blackwell.reason
    assert in_words([hopper, blackwell]).startswith("its source does not compile: ")


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("__global__ void f(float* x) { x[0] = y; }", 'identifier "y" is undefined'),
        ("__device__ int f() { return 1; }", "has no kernel that is compiled"),
    ],
)
def test_a_broken_source_is_a_problem_with_its_reason(write, source, reason):
    for problem in check(write(source), {}):
        assert isinstance(problem, Problem) and reason in problem.reason


def test_an_option_that_cannot_be_read_is_a_problem_and_not_left_out(write):
    write("import os\nfrom perfproof import cuda\nkernels = cuda.source(__file__, arch=os.name)\n", "kernels.py")
    (problem,) = check(write("__global__ void f() {}\n"), {})
    assert isinstance(problem, Problem) and "kernels.py:3: an option of cuda.source" in problem.reason


def test_every_cu_of_the_catalogue_belongs_to_a_pair_that_uses_it():
    used = {file for pair in WITH_KERNELS for file in pair.kernel_files}
    assert SOURCES and set(SOURCES) <= used


@pytest.mark.parametrize("pair", WITH_KERNELS, ids=lambda pair: pair.name)
def test_the_kernels_of_a_pair_compile_for_every_gpu_it_admits(pair, monkeypatch):
    """The assembler puts wgmma in series if it finds the sums written between two of them; only its log says so."""
    own = Path(pair.path).with_suffix(".cu")
    if own not in pair.kernel_files:
        pytest.skip("borrowed: compiled with the pair that it belongs to")
    logs, usual = [], compiling._log
    monkeypatch.setattr(compiling, "_log", lambda *given: logs.append(usual(*given)) or logs[-1])
    results = check(own, pair.needs)
    exact = pair.needs.get("sm")
    assert [result.architecture for result in results] == ([f"sm_{exact}"] if exact else ["sm_90a", "sm_100a"])
    for result in results:
        assert isinstance(result, Compiled), result.reason
        spilled = {name.partition("(")[0] for name, taken in result.kernels.items() if spills(taken)}
        assert spilled == SPILLING.get(pair.name, set()), result.architecture
        assert len(result.kernels) >= (2 if pair.chapter == "ch10" else 1)
        most = max(taken.static_shared for taken in result.kernels.values())
        assert most + shared_at_launch(own) <= 227 * 1024
    assert all("registers" in log and "serialized" not in log for log in logs) and len(logs) == len(results)


def spills(taken: Resources) -> bool:
    return bool(taken.spill_stores or taken.spill_loads)


def shared_at_launch(source: Path) -> int:
    """Bytes that a step of a lab asks for beside those of its source."""
    pair = source.with_suffix(".py")
    return LoadedPair(str(pair.with_suffix(""))).module.SHARED if "SHARED =" in pair.read_text() else 0
