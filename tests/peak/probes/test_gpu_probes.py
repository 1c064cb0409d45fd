"""The probes of a GPU: their arithmetic anywhere, their values where there is one."""

import importlib
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch

from perfproof.core.ceilings import Ceiling
from perfproof.core.units import GiB, MiB
from perfproof.peak.found import NotMeasured
from perfproof.peak.probe_files import probes

triton = pytest.importorskip("triton")

from perfproof.peak.probes import device_gemm, device_memory, host_copy, l2, peer_copy, shared  # noqa: E402

GPU_PROBES = [probe.name for probe in probes("cuda:0")]


@pytest.mark.parametrize("name", GPU_PROBES)
def test_a_probe_can_be_imported_without_a_gpu(name):
    assert callable(importlib.import_module(f"perfproof.peak.probes.{name}").probe)


def test_a_copy_counts_its_bytes_twice_a_read_and_a_write_once():
    assert device_memory.PASSES == {"copy": 2, "read": 1, "write": 1}
    assert "twice" in device_memory.COUNTED["copy"]


def test_a_buffer_takes_at_most_a_quarter_of_the_free_memory(tiny):
    assert device_memory.buffer_bytes(tiny, 100 * GiB) == 2 * GiB
    assert device_memory.buffer_bytes(tiny, 4 * GiB) == GiB


def test_the_l2_working_set_is_a_quarter_of_it_in_whole_blocks():
    assert l2.working_set(50 * MiB) == 800 * 16 * 1024  # 12.5 MiB
    assert l2.working_set(50 * MiB + 4 * 5000) == 800 * 16 * 1024
    with pytest.raises(NotMeasured, match="too small"):
        l2.working_set(MiB // 2)


def test_bytes_read_from_l2_and_shared_memory():
    assert l2.bytes_read(programs=1056, rounds=10) == 1056 * 10 * 4096 * 4
    assert shared.bytes_read(528) == 528 * 512 * 2000 * 16 * 16


def test_the_quickest_way_is_taken_and_one_that_fails_is_kept_as_a_reason(monkeypatch):
    def samples(call, repeats):
        return [call()] * repeats

    def broken():
        raise RuntimeError("no such kernel")

    monkeypatch.setattr(device_memory, "device_samples", samples)
    best, seen = device_memory.best_of({"slow": lambda: 2.0, "fast": lambda: 1.0, "broken": broken})
    assert best == "fast" and seen == {"slow": 2.0, "fast": 1.0, "broken": "failed: RuntimeError: no such kernel"}
    with pytest.raises(NotMeasured, match="every way failed"):
        device_memory.best_of({"broken": broken})


def test_a_product_of_side_n_has_2_n_cubed_operations():
    assert device_gemm.operations(8192) == 1_099_511_627_776


def test_sizes_of_products_fit_the_memory(tiny):
    full = replace(tiny, quick=False)
    assert device_gemm.sides("bf16", full, 100 * GiB) == [4096, 8192, 16384]
    assert device_gemm.sides("bf16", full, 4 * GiB) == [4096, 8192]
    assert device_gemm.sides("bf16", tiny, 100 * GiB) == [8192]
    assert device_gemm.sides("fp64", tiny, 100 * GiB) == [4096]
    assert device_gemm.sides("bf16", tiny, GiB // 4) == []


def test_a_quick_look_has_a_burst_of_every_type_before_anything_that_lasts():
    quick, full = device_gemm.order(True), device_gemm.order(False)
    assert [ways for _, ways in quick] == [["burst"]] * 7 + [["sustained"]] * 7
    assert [dtype for dtype, _ in quick[:2]] == ["bf16", "fp16"]
    assert sorted((dtype, way) for dtype, ways in full for way in ways) == sorted(
        (dtype, way) for dtype, (way,) in quick
    )


def test_the_clock_explains_a_product(monkeypatch):
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 0)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda _: SimpleNamespace(multi_processor_count=132))
    assert device_gemm.explained(132 * 4000 * 1.5e9, {"sm_mhz": 1500.0}) == {"operations_per_sm_and_cycle": 4000.0}
    assert device_gemm.explained(1e12, {"clocks": "unknown: no driver"}) == {}


def test_host_buffers_are_bounded_by_memory(tiny):
    assert host_copy.buffer_bytes(replace(tiny, memory_bytes=64 * GiB)) == 256 * MiB
    assert host_copy.buffer_bytes(tiny) == MiB


def test_a_copy_between_gpus_needs_two(tiny, monkeypatch):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    with pytest.raises(NotMeasured, match="needs two GPUs, torch can use 1"):
        list(peer_copy.probe(replace(tiny, device="cuda:0")))


@pytest.mark.parametrize("architecture", ["sm_80", "sm_90", "sm_100"])
def test_the_shared_memory_kernel_compiles(architecture):
    pytest.importorskip("cuda.core")
    assert shared.compile_kernel(architecture).code[:4] == b"\x7fELF"


@pytest.mark.parametrize("capability", [80, 90, 100])
def test_the_kernels_load_and_store_16_bytes_at_a_time(capability):
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    kernels = {
        device_memory.copy: ({"source": "*fp32", "target": "*fp32", "count": "i32"}, 8192, "ld.global.v4"),
        device_memory.store: ({"target": "*fp32", "count": "i32"}, 8192, "st.global.v4"),
        device_memory.partial_sums: ({"source": "*fp32", "sums": "*fp32", "count": "i32"}, 8192, "ld.global.v4"),
        l2.read_again: ({"data": "*fp32", "sums": "*fp32", "blocks": "i32", "rounds": "i32"}, 4096, "ld.global.cg.v4"),
    }
    for kernel, (signature, block, wanted) in kernels.items():
        aligned = {(number,): [["tt.divisibility", 16]] for number in range(len(signature))}
        source = ASTSource(kernel, {**signature, "BLOCK": "constexpr"}, {"BLOCK": block}, aligned)
        built = triton.compile(source, target=GPUTarget("cuda", capability, 32), options={"num_warps": 8})
        assert wanted in built.asm["ptx"]


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
@pytest.mark.parametrize("name", GPU_PROBES)
def test_a_probe_gives_positive_values_on_a_gpu(name, tiny):
    plan = replace(tiny, device="cuda:0", memory_bytes=GiB, sustained_seconds=0.2)
    try:
        found = list(importlib.import_module(f"perfproof.peak.probes.{name}").probe(plan))
    except NotMeasured as error:
        pytest.skip(str(error))
    assert any(isinstance(one, Ceiling) and one.value > 0 and one.counted for one in found)
