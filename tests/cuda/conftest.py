"""Sources to compile in a cache of their own, and a driver that records launches where there is no GPU."""

import textwrap
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from perfproof.machine.software import has_package

collect_ignore_glob = [] if has_package("cuda.bindings") else ["test_*.py"]  # pip install 'perfproof[cuda]'
HERE = -1  # what torch calls the device of a CPU tensor: tensors of these tests are on the device that launches


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PERFPROOF_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "cubin"


@pytest.fixture
def write(tmp_path) -> Callable[..., Path]:
    """Write a source and give its path."""

    def save(text: str, name: str = "kernels.cu") -> Path:
        path = tmp_path / name
        path.write_text(textwrap.dedent(text))
        return path

    return save


@pytest.fixture
def device(monkeypatch) -> Callable[..., Any]:
    """Pretend that this machine has an H200; what a launch would hand to the driver is recorded."""
    from perfproof.cuda import bindings, configuration, launching, tensor_maps

    from .recording import RecordingDriver, laid_out

    def pretend(*sizes: int, capability: tuple[int, int] = (9, 0), **more: Any) -> Any:
        recorder = RecordingDriver(laid_out(sizes), **more)
        for module in (configuration, launching, tensor_maps, bindings):
            monkeypatch.setattr(module, "driver", lambda: recorder)
        monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
        monkeypatch.setattr(torch.cuda, "init", lambda: None)
        monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: capability)
        properties = SimpleNamespace(multi_processor_count=132, max_threads_per_multi_processor=2048)
        monkeypatch.setattr(torch.cuda, "get_device_properties", lambda device: properties)
        monkeypatch.setattr(torch._C, "_cuda_getDevice", lambda: HERE, raising=False)
        monkeypatch.setattr(torch._C, "_cuda_getCurrentRawStream", lambda device: 99, raising=False)
        return recorder

    return pretend
