"""A snapshot is complete, stable, and holds nothing private."""

import getpass
import json
import platform

import pytest

from perfproof.machine import kernel_files
from perfproof.machine.snapshot import fingerprint, kind, read_memory, snapshot


def test_a_snapshot_can_be_stored_and_names_the_machine():
    seen = snapshot("cpu")
    assert json.loads(json.dumps(seen, allow_nan=False)) == seen
    assert seen["kind"].endswith("c") and len(seen["fingerprint"]) == 16
    assert seen["cpu"]["cores_physical"] >= 1 and seen["memory"]["total_bytes"] > 0


def test_it_holds_no_host_name_and_no_user_name(monkeypatch):
    monkeypatch.setattr(platform, "node", lambda: "build-host-17")
    text = json.dumps(snapshot("cpu"))
    assert "build-host-17" not in text and "hostname" not in text
    assert f'"{getpass.getuser()}"' not in text


def test_the_fingerprint_changes_with_what_decides_performance_and_with_nothing_else():
    seen = snapshot("cpu")
    again = json.loads(json.dumps(seen))
    again["cpu"]["load_average"], again["memory"]["available_bytes"] = [9.0, 9.0, 9.0], 1
    assert fingerprint(again) == fingerprint(seen)
    again["software"]["torch"] = "9.9"
    assert fingerprint(again) != fingerprint(seen)


def test_a_gpu_gives_the_machine_its_name(driver):
    driver({"name": "NVIDIA H200"}, {"name": "NVIDIA GeForce RTX 4090"})
    assert snapshot("cuda:0")["kind"] == "nvidia-h200"
    assert snapshot("cuda:1")["kind"] == "nvidia-geforce-rtx-4090"
    assert snapshot("cpu")["gpu"] is None


@pytest.mark.parametrize(
    ("model", "cores", "slug"),
    [
        ("Intel(R) Xeon(R) Processor", 2, "xeon-2c"),
        ("AMD EPYC 9654 96-Core Processor", 96, "epyc-9654-96c"),
        ("12th Gen Intel(R) Core(TM) i7-12700K", 12, "core-i7-12700k-12c"),
        ("Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz", 22, "xeon-platinum-8481c-22c"),
    ],
)
def test_a_cpu_has_a_short_name(model, cores, slug):
    assert kind({"gpu": None, "cpu": {"model": model, "cores_physical": cores}}) == slug


def test_a_cpu_without_a_name_is_called_unknown_and_not_by_the_words_of_the_reason(monkeypatch):
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    seen = {"gpu": None, "cpu": {"model": "unknown: /proc/cpuinfo names no model", "cores_physical": 4}}
    assert kind(seen) == "unknown-riscv64-cpu-4c"


@pytest.mark.parametrize("said", [None, "", "MemTotal: much\x00", "MemTotal:  24 kB\n"])
def test_a_memory_file_that_is_missing_or_damaged_is_no_error(said, monkeypatch):
    monkeypatch.setattr(kernel_files, "read_text", lambda path: said if path == "/proc/meminfo" else None)
    seen = read_memory()
    assert seen["total_bytes"] == (24 * 1024 if said and "24 kB" in said else None)
    assert seen["available_bytes"] is None
