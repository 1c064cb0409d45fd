"""Every probe of a CPU runs for real at tiny sizes and says how it counted."""

import importlib
import math
import time
from dataclasses import replace

import pytest

from perfproof.core.ceilings import Ceiling
from perfproof.core.units import KiB, MiB
from perfproof.peak import native
from perfproof.peak.found import NotMeasured
from perfproof.peak.plan import may_match
from perfproof.peak.probes import cpu_cache, cpu_gemm, cpu_latency, cpu_memory, disk, loopback

EXPECTED = {
    "cpu_memory": {
        "memory/copy": "bytes/s",
        "memory/triad": "bytes/s",
        "memory/read": "bytes/s",
        "memory/write": "bytes/s",
        "memory/copy/threads-1": "bytes/s",
        "memory/triad/threads-1": "bytes/s",
    },
    "cpu_cache": {"cache/32KiB": "bytes/s", "cache/512KiB": "bytes/s", "cache/1MiB": "bytes/s"},
    "cpu_latency": {"latency/16KiB": "s", "latency/512KiB": "s"},
    "cpu_gemm": {f"gemm/{dtype}/{way}": "flop/s" for dtype in ("fp64", "fp32") for way in ("burst", "sustained")},
    "disk": {"disk/buffered": "bytes/s"},
    "loopback": {"loopback/throughput": "bytes/s", "loopback/round-trip": "s"},
}


@pytest.mark.parametrize("name", EXPECTED)
def test_a_probe_gives_finite_values_and_says_how_it_counted(name, tiny):
    probe = importlib.import_module(f"perfproof.peak.probes.{name}")
    found = {one.name: one for one in probe.probe(tiny)}
    ceilings = {name: one for name, one in found.items() if isinstance(one, Ceiling)}
    for one in ceilings.values():
        assert math.isfinite(one.value) and 0 < one.low <= one.value <= one.high
        assert one.repeats >= 1 and one.counted
    assert EXPECTED[name].items() <= {one.name: one.unit for one in ceilings.values()}.items()
    assert all(any(may_match(declared, (one,)) for declared in probe.measures) for one in found)


@pytest.mark.parametrize("name, only", [("cpu_memory", "memory/read"), ("cpu_gemm", "gemm/fp32/burst")])
def test_only_what_is_asked_for_is_measured(name, only, tiny):
    probe = importlib.import_module(f"perfproof.peak.probes.{name}")
    assert [one.name for one in probe.probe(replace(tiny, only=(only,)))] == [only]


def test_bytes_of_a_triad_are_three_arrays_and_of_a_copy_two(tiny):
    found = {one.name: one for one in cpu_memory.probe(tiny)}
    assert found["memory/triad"].sizes["working_set_bytes"] == 3 * found["memory/triad"].sizes["array_bytes"]
    assert found["memory/copy"].sizes["working_set_bytes"] == 2 * found["memory/copy"].sizes["array_bytes"]


def test_arrays_are_larger_than_the_last_cache_where_memory_allows(tiny):
    assert cpu_memory.array_bytes(replace(tiny, memory_bytes=2**34, cache_bytes=300 * MiB)) == 450 * MiB


def test_a_working_set_that_fits_the_cache_is_a_finding(tiny):
    small = replace(tiny, cache_bytes=64 * MiB, only=("memory/copy",))
    assert all("fit into the last cache" in one.finding for one in cpu_memory.probe(small))


def test_the_caches_are_measured_up_to_beyond_the_last_one(tiny):
    plan = replace(tiny, quick=False, memory_bytes=2**34, cache_bytes=32 * MiB)
    assert cpu_cache.working_sets(plan)[-1] == 64 * MiB
    assert cpu_latency.working_sets(plan)[-1] == 64 * MiB


@pytest.mark.parametrize("size, text", [(32 * KiB, "32KiB"), (MiB, "1MiB"), (1024 * MiB, "1024MiB")])
def test_a_working_set_is_named_by_its_binary_size(size, text):
    assert cpu_cache.label(size) == text


def test_values_are_random_and_aligned():
    data = cpu_cache.aligned_noise(64 * KiB)
    assert data.ctypes.data % 64 == 0 and data.nbytes == 64 * KiB
    assert abs(float(data.mean())) < 0.1 and 0.9 < float(data.std()) < 1.1


def test_a_chain_visits_every_line_once_and_returns():
    chain, seen, at = cpu_latency.one_cycle(100), set(), 0
    for _ in range(100):
        at = int(chain[at])
        seen.add(at)
    assert at == 0 and seen == {8 * line for line in range(100)}


def test_the_compiled_loops_read_every_byte_and_follow_the_chain():
    import numpy as np

    loops = native.load()
    data = cpu_cache.aligned_noise(4 * KiB)
    words = data.view(np.uint64)
    assert loops.read_all(data.ctypes.data, data.nbytes, 3) == int(words.sum(dtype=np.uint64)) * 3 % 2**64
    chain = cpu_latency.one_cycle(64)
    assert loops.chase(chain.ctypes.data, 0, 64) == 0 != loops.chase(chain.ctypes.data, 0, 63)


def test_without_a_compiler_the_reason_is_said(monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CC", raising=False)
    with pytest.raises(NotMeasured, match="no C compiler"):
        native.load()


def test_a_compiler_that_fails_is_a_reason_too(monkeypatch, tmp_path):
    broken = tmp_path / "cc"
    broken.write_text("#!/bin/sh\necho 'cannot compile' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("CC", str(broken))
    with pytest.raises(NotMeasured, match="cc failed: cannot compile"):
        native.load()


def test_a_product_of_side_n_has_2_n_cubed_operations():
    assert cpu_gemm.operations(1024) == 2_147_483_648


def test_a_type_without_a_fast_path_is_not_measured(monkeypatch, tiny):
    monkeypatch.setattr(cpu_gemm, "core_rate", lambda dtype, threads: 1e8)
    (found,) = cpu_gemm.probe(replace(tiny, only=("gemm/int8/burst",)))
    assert "no fast path for int8" in found.why


def test_a_queue_for_the_cpu_is_no_missing_fast_path(monkeypatch, tiny):
    product = cpu_gemm.product

    def queued(*arguments):
        call = product(*arguments)
        return lambda: (time.sleep(0.05), call())

    monkeypatch.setattr(cpu_gemm, "product", queued)
    assert isinstance(next(cpu_gemm.probe(replace(tiny, only=("gemm/fp32/burst",)))), Ceiling)


def test_dropped_pages_are_gone_and_read_pages_are_back(tmp_path):
    path = tmp_path / "file"
    disk.write_random(path, 2 * disk.BLOCK)
    disk.drop_from_cache(path)
    dropped = disk.cached_share(path)
    disk.read_once(path, 0)
    assert disk.cached_share(path) == 1.0
    assert dropped < 1.0 or disk.file_system(path) in ("tmpfs", "overlay")


def test_too_little_space_is_said(tiny):
    with pytest.raises(NotMeasured, match="too little free space"):
        list(disk.probe(replace(tiny, file_bytes=1000)))


def test_nothing_is_left_on_the_disk(tiny, tmp_path):
    list(disk.probe(tiny))
    assert list(tmp_path.iterdir()) == []


def test_what_goes_over_the_loopback_comes_back():
    with loopback.connected(loopback._echo) as line:
        line.send(b"x")
        assert line.recv(1) == b"x"
