"""The first line of a run: which perfproof, which machine, which torch, how busy."""

import pytest

from perfproof.report.heading import heading, machine_name, processor_name
from tests.report.sample_runs import run, target

CPU = {"model": "Intel(R) Xeon(R) Platinum 8488C CPU @ 2.40GHz", "cores_allowed": 2, "load_average": [0.31, 0.2, 0.1]}
MACHINE = {"kind": "xeon-2c", "cpu": CPU, "software": {"torch": "2.13.0+cpu"}}


def test_it_names_perfproof_the_processor_its_cores_torch_the_load_and_the_effort():
    line = heading(run(target(), machine=MACHINE))
    assert (
        line == "perfproof 0.1.0 · Intel Xeon Platinum 8488C, 2 cores · torch 2.13.0+cpu · load 0.3 · standard effort"
    )


def test_whole_programs_are_shown_without_perfproof_s_own_torch():
    programs = target().model_copy(update={"program": {"a": {"command": ["true"]}}})
    assert "torch" not in heading(run(programs, machine=MACHINE))
    assert "torch" in heading(run(programs, target(), machine=MACHINE))


def test_a_busy_machine_is_called_busy_only_if_it_was_found_busy():
    busy = MACHINE | {"warnings": [{"code": "W107", "text": "x"}]}
    assert "machine busy (load 0.3)" in heading(run(target(), machine=busy))
    assert "busy" not in heading(run(target(), machine=MACHINE))


def test_a_gpu_is_named_where_it_was_measured():
    gpus = [{"name": "NVIDIA A100"}, {"name": "NVIDIA H200"}]
    assert machine_name({"cpu": CPU, "gpus": gpus, "gpu": 1}).startswith("NVIDIA H200")
    assert "NVIDIA" not in machine_name({"cpu": CPU, "gpus": gpus, "gpu": None})


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("Arm implementer 0x41 part 0xd0c", "Neoverse N1"),
        ("Arm implementer 0x41 part 0xfff", "Arm core 0xfff"),
        ("AWS Graviton3 (Neoverse V1)", "AWS Graviton3 (Neoverse V1)"),
        ("AMD EPYC 9654 96-Core Processor", "AMD EPYC 9654"),
        ("Intel(R) Xeon(R) Processor @ 2.50GHz", "Intel Xeon"),
        ("unknown: /proc/cpuinfo names no model", ""),
    ],
)
def test_a_processor_has_its_market_name(model, name):
    assert processor_name(model) == name


def test_a_document_that_says_little_has_its_kind():
    assert machine_name({"kind": "xeon-2c"}) == "xeon-2c" and machine_name({}) == "unknown machine"
    assert heading(run(target(), machine={})).startswith("perfproof 0.1.0 · unknown machine")


def test_smoke_sizes_are_said():
    assert "quick effort, smoke sizes" in heading(run(target(), options={"effort": "quick", "fast": True}))


def test_a_seed_that_was_given_is_named():
    assert heading(run(target(), options={"seed": "0123456789abcdef"})).endswith(" · given seed 01234567…")
    assert "seed" not in heading(run(target()))
