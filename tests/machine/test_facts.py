"""Which device a run gets, and the reason when it cannot have the one it asks for."""

import pytest

from perfproof.core.errors import UnfitError, UsageError
from perfproof.machine import software
from perfproof.machine.facts import read_facts


def test_the_first_gpu_is_taken_where_torch_can_use_one(driver):
    driver({"capability": (9, 0)}, {"capability": (8, 6)})
    facts = read_facts(None)
    assert (facts.device, facts.cuda, facts.gpus) == ("cuda:0", 9.0, 2)


def test_a_gpu_can_be_chosen(driver):
    driver({"capability": (9, 0)}, {"capability": (8, 6)})
    assert read_facts("cuda:1").cuda == 8.6
    assert read_facts("cuda").device == "cuda:0"


def test_the_cpu_can_be_chosen_although_there_is_a_gpu(driver):
    driver({})
    facts = read_facts("cpu")
    assert (facts.device, facts.cuda) == ("cpu", None)
    assert "--device cpu" in facts.why_no_gpu


def test_numbers_follow_the_visible_devices(driver, monkeypatch):
    driver({"capability": (9, 0)}, {"capability": (8, 6)})
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1")
    assert read_facts(None).cuda == 8.6
    with pytest.raises(UnfitError, match="torch can use 1"):
        read_facts("cuda:1")


def test_hidden_gpus_are_said_to_be_hidden(driver, monkeypatch):
    driver({})
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert read_facts(None).device == "cpu"
    assert read_facts(None).why_no_gpu == "CUDA_VISIBLE_DEVICES hides every GPU"


@pytest.mark.parametrize(
    ("build", "why"),
    [
        ({"cuda": None, "hip": None}, "torch is a CPU build"),
        ({"cuda": None, "hip": "6.4"}, "torch is a ROCm build"),
        ({}, "torch is not installed"),
    ],
)
def test_a_gpu_that_torch_cannot_use_is_refused_with_the_reason(driver, monkeypatch, build, why):
    driver({})
    monkeypatch.setattr(software, "torch_build", lambda: build)
    assert read_facts(None).why_no_gpu == why
    with pytest.raises(UnfitError, match=f"{why}; run with --device cpu"):
        read_facts("cuda:0")


@pytest.mark.parametrize("name", ["gpu", "cuda:", "cuda:x", "cuda:-1", "CPU", ""])
def test_a_name_that_is_no_device_is_a_usage_error(name):
    with pytest.raises(UsageError, match="write cpu, cuda, or cuda:0"):
        read_facts(name)
