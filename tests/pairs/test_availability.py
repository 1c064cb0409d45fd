import pytest

from perfproof.core.facts import Facts
from perfproof.pairs.availability import availability
from perfproof.pairs.pair import Availability


def on_cpu(*missing, numa=1, why="no NVIDIA driver"):
    return Facts("cpu", None, 0, numa, lambda name: name not in missing, why)


def on_gpu(capability=9.0, gpus=1, numa=1, missing=()):
    return Facts("cuda:0", capability, gpus, numa, lambda name: name not in missing)


@pytest.fixture
def pair(accepted, valid):
    """The valid pair with lines added, and without the declarations that are named."""

    def make(more="", without=()):
        kept = [line for line in valid.splitlines() if not line.startswith(tuple(f"{name} =" for name in without))]
        return accepted("\n".join(kept) + f"\n{more}\n")

    return make


def test_a_pair_is_timed_on_a_gpu(pair):
    assert availability(pair(without=["workload_cpu", "smoke"]), on_gpu()) == Availability(True, True)


def test_a_pair_with_sizes_for_a_cpu_is_timed_there(pair):
    assert availability(pair(), on_cpu()) == Availability(True, True)


def test_without_sizes_for_a_cpu_it_is_only_verified(pair):
    here = availability(pair(without=["workload_cpu"]), on_cpu())
    assert here == Availability(False, True, "timing needs a GPU; no NVIDIA driver")


def test_without_any_small_sizes_it_does_not_run(pair):
    here = availability(pair(without=["workload_cpu", "smoke"]), on_cpu())
    assert (here.timed, here.verified) == (False, False)
    assert here.reason == "timing needs a GPU; no NVIDIA driver (and it has no smoke sizes to verify)"


@pytest.mark.parametrize(
    ("needs", "reason"),
    [
        ("dict(cuda=9.0)", "needs a GPU of capability 9.0 or newer; no NVIDIA driver"),
        ('dict(sm="90a")', "needs a GPU of sm_90a; no NVIDIA driver"),
        ("dict(gpus=2)", "needs 2 GPUs; no NVIDIA driver"),
        ("dict(gpus=1)", "needs a GPU; no NVIDIA driver"),
    ],
)
def test_what_needs_a_gpu_does_not_run_on_a_cpu(pair, needs, reason):
    assert availability(pair(f"needs = {needs}"), on_cpu()) == Availability(False, False, reason)


@pytest.mark.parametrize(
    ("needs", "capability", "runs"),
    [
        ("dict(cuda=9.0)", 9.0, True),
        ("dict(cuda=9.0)", 10.0, True),
        ("dict(cuda=9.0)", 8.9, False),
        ('dict(sm="90a")', 9.0, True),
        ('dict(sm="90a")', 10.0, False),
        ('dict(sm="100a")', 10.0, True),
        ('dict(sm="100a")', 10.3, False),
        ('dict(sm="103a")', 10.3, True),
        ('dict(sm="120f")', 12.0, True),
        ('dict(sm="90")', 8.0, False),
    ],
)
def test_a_minimum_and_an_exact_architecture(pair, needs, capability, runs):
    here = availability(pair(f"needs = {needs}"), on_gpu(capability))
    assert (here.timed, here.verified) == (runs, runs)
    assert bool(here.reason) != runs
    assert runs or str(capability) in here.reason


def test_a_number_of_gpus(pair):
    assert availability(pair("needs = dict(gpus=2)"), on_gpu(gpus=2)).timed
    assert availability(pair("needs = dict(gpus=2)"), on_gpu(gpus=1)).reason == "needs 2 GPUs; torch can use 1"


def test_a_number_of_numa_nodes(pair):
    assert availability(pair("needs = dict(numa=2)"), on_cpu(numa=2)).timed
    here = availability(pair("needs = dict(numa=2)"), on_cpu(numa=1))
    assert here == Availability(False, False, "needs 2 NUMA nodes; this machine has 1")


def test_a_missing_package_that_is_needed_or_imported(pair):
    assert (
        availability(pair('needs = dict(packages=["kvikio"])'), on_gpu(missing=["kvikio"])).reason
        == "needs kvikio: not installed"
    )
    here = availability(pair("import pyarrow"), on_cpu("pyarrow"))
    assert here == Availability(False, False, "needs pyarrow: not installed")


def test_a_missing_triton_says_how_to_get_it(pair):
    assert (
        availability(pair("import triton"), on_cpu("triton")).reason == "needs triton: pip install 'perfproof[triton]'"
    )


def test_the_standard_library_and_perfproof_are_never_missing(pair):
    assert availability(pair("import os, mmap\nimport perfproof.engine"), on_cpu("os", "mmap", "perfproof")).timed


def test_a_pair_with_cuda_kernels_does_not_run_on_a_cpu_whatever_its_sizes(pair, tmp_path):
    (tmp_path / "pair.cu").write_text("__global__ void add() {}\n")
    with_kernels = pair("from perfproof import cuda")
    here = availability(with_kernels, on_cpu())
    assert here == Availability(False, False, "needs a GPU; no NVIDIA driver")
    assert availability(with_kernels, on_gpu()).timed


def test_a_pair_with_cuda_kernels_needs_the_compiler(pair, tmp_path):
    (tmp_path / "pair.cu").write_text("__global__ void add() {}\n")
    here = availability(pair("from perfproof import cuda"), on_gpu(missing=["cuda.bindings"]))
    assert here == Availability(False, False, "needs cuda.bindings: pip install 'perfproof[cuda]'")


def test_a_triton_pair_is_verified_through_the_interpreter_and_never_timed_on_a_cpu(pair):
    here = availability(pair("import triton"), on_cpu())
    assert (here.timed, here.verified) == (False, True)
    assert here.reason == "verified through Triton's interpreter; timing needs a GPU; no NVIDIA driver"


def test_the_kernel_clock_needs_a_gpu(pair):
    here = availability(pair('clock = "kernel"'), on_cpu())
    assert (here.timed, here.verified) == (False, True)
    assert availability(pair('clock = "kernel"'), on_gpu()).timed


def test_ranks_are_timed_on_a_cpu_and_where_each_has_a_gpu(pair):
    assert availability(pair("ranks = 2"), on_cpu()).timed
    assert availability(pair("ranks = 2"), on_gpu(gpus=2)).timed


def test_fewer_gpus_than_ranks_are_too_few(pair):
    reason = "needs 2 GPUs for its 2 ranks; there is 1"
    assert availability(pair("ranks = 2"), on_gpu(gpus=1)) == Availability(False, False, reason)
    assert availability(pair("ranks = 4"), on_gpu(gpus=2)).reason == "needs 4 GPUs for its 4 ranks; there are 2"


def test_a_machine_that_gives_no_reason_still_has_one(pair):
    assert availability(pair("needs = dict(gpus=1)"), on_cpu(why="")).reason == "needs a GPU; there is no GPU here"
