from dataclasses import replace

import pytest

from perfproof.core.units import MiB
from perfproof.peak.probe_files import FOLDER, read_probe
from perfproof.peak.probes import allreduce
from perfproof.peak.processes import run_probe


@pytest.mark.parametrize("ranks, share", [(2, 1.0), (4, 1.5), (8, 1.75)])
def test_bus_bytes_are_what_each_rank_has_to_send(ranks, share):
    assert allreduce.bus_bytes(1000, ranks) == 1000 * share


def test_the_slowest_rank_is_the_time_of_a_repeat():
    assert allreduce.slowest([[1.0, 4.0], [2.0, 3.0]]) == [2.0, 4.0]


def test_two_cpu_ranks_are_measured_and_labelled_as_gloo(tiny):
    outcome = run_probe(read_probe(FOLDER / "allreduce.py"), replace(tiny, memory_bytes=8 * MiB))
    (found,) = outcome.ceilings
    assert found.value > 0 and found.context["backend"] == "gloo" and found.context["ranks"] == 2
    assert "gloo" in found.counted


def test_one_gpu_is_not_enough(tiny, monkeypatch):
    monkeypatch.setattr(allreduce.torch.cuda, "device_count", lambda: 1)
    with pytest.raises(allreduce.NotMeasured, match="needs two GPUs"):
        list(allreduce.probe(replace(tiny, device="cuda:0")))
