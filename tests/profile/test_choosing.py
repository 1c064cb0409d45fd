"""`auto` takes the best that works here, and says for what another stands in."""

import importlib

import pytest

from perfproof.core.doctor import Finding
from perfproof.core.errors import UsageError
from perfproof.profile import choosing
from perfproof.profile.choosing import Choice, adapter, adapter_names, choose
from perfproof.profile.plans import Work
from perfproof.profile.presets import PRESETS, RECORDED, check_preset


@pytest.fixture
def states(monkeypatch):
    """states(nsys="works", torch="absent"): what each adapter says of itself."""

    def say(**given):
        for name, state in given.items():
            module = importlib.import_module(f"perfproof.profile.adapters.{name}")
            found = Finding(name=name, state=state, why=f"{name} is {state}")
            monkeypatch.setattr(module, "works", lambda work, found=found: found)

    return say


def work(tmp_path, *command, preset="minimal", **fields):
    return Work(command or ("python", "a.py"), tmp_path, preset, **{"on_gpu": True, **fields})


def test_every_adapter_has_the_four_parts():
    expected = {"nsys", "ncu", "torch", "proton", "memory", "perf", "gil", "compile", "trace-ranks", "telemetry"}
    expected |= {"syscalls"}
    assert set(adapter_names()) == expected
    for name in adapter_names():
        assert name == adapter(name).NAME
        assert all(callable(getattr(adapter(name), part)) for part in ("works", "plan", "gather"))


def test_what_is_asked_for_is_taken(tmp_path):
    assert choose("memory", work(tmp_path)) == Choice("memory")
    with pytest.raises(UsageError, match="--tool 'nvprof' is unknown: choose auto, compile"):
        choose("nvprof", work(tmp_path))


def test_a_timeline_is_of_nsys_and_a_roofline_of_ncu(states, tmp_path):
    states(nsys="limited", ncu="works")
    assert choose("auto", work(tmp_path)) == Choice("nsys")
    assert choose("auto", work(tmp_path, preset="roofline")) == Choice("ncu")
    assert choose("auto", work(tmp_path, preset="none")) == Choice("telemetry")


@pytest.mark.parametrize("state", ["absent", "denied", "unknown"])
def test_torch_stands_in_and_it_is_said(states, tmp_path, state):
    states(ncu=state, torch="works")
    assert choose("auto", work(tmp_path, preset="roofline")) == Choice("torch", f"ncu, {state}: ncu is {state}")


def test_without_a_gpu_nothing_of_nvidia_is_asked(states, tmp_path, monkeypatch):
    states(torch="limited")
    found = choose("auto", work(tmp_path, on_gpu=False))
    assert found == Choice("torch", "nsys: there is no GPU to profile")


def test_what_torch_cannot_enter_is_sampled(states, tmp_path):
    states(nsys="absent", torch="absent")
    assert choose("auto", work(tmp_path, "./app")).tool == "perf"
    assert choose("auto", work(tmp_path, "python", "a.py")).tool == "perf"
    assert choose("auto", work(tmp_path, "torchrun", "a.py")).tool == "trace-ranks"


def test_a_pair_is_entered_whatever_its_command_is(states, tmp_path):
    states(nsys="absent", torch="works")
    assert choose("auto", work(tmp_path, "child", marked=True)).tool == "torch"
    assert choosing.AUTO == "auto"


def test_presets_are_named_by_cost():
    assert list(RECORDED) == list(PRESETS)
    recorded = [sum(vars(RECORDED[name]).values()) for name in PRESETS]
    assert recorded == sorted(recorded)
    with pytest.raises(UsageError, match="choose none, minimal, roofline, deep"):
        check_preset("full")
