"""What is worth a warning, and what makes measuring impossible."""

import pytest

from perfproof.core.errors import UnfitError
from perfproof.machine.preflight import preflight
from perfproof.machine.snapshot import snapshot

QUIET = {
    "cores_allowed": 8,
    "cores_logical": 16,
    "load_average": [0.1, 0.1, 0.1],
    "busy_share": 0.01,
    "quota_cpus": None,
    "governor": "performance",
    "virtual_machine": False,
}


def codes(gpu=None, gpus=(), shared=False, **cpu):
    seen = {"device": "cuda:0" if gpus else "cpu", "cpu": QUIET | cpu, "gpu": gpu, "gpus": list(gpus)}
    return [warning.code for warning in preflight(seen, shared)]


def test_a_quiet_machine_has_no_warnings():
    assert codes() == []


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"load_average": [12.0, 5.0, 1.0], "busy_share": 0.8}, "W107"),
        ({"cores_allowed": 1}, "W125"),
        ({"quota_cpus": 1.5}, "W124"),
        ({"governor": "powersave"}, "W117"),
        ({"virtual_machine": "KVM"}, "W108"),
        ({"virtual_machine": True}, "W108"),
    ],
)
def test_each_disturbance_has_its_warning(changed, code):
    assert codes(**changed) == [code]


def test_the_load_of_a_run_that_has_just_ended_is_no_warning():
    assert codes(load_average=[12.0, 5.0, 1.0], busy_share=0.02) == []


def test_what_is_unknown_is_no_warning():
    assert codes(load_average=None, busy_share=None, governor="unknown: x", virtual_machine="unknown: x") == []


def gpu(processes=(), reasons=("idle",)):
    return {"compute_processes": processes, "event_reasons": reasons if isinstance(reasons, str) else list(reasons)}


def test_others_on_the_gpu_make_it_unfit_unless_that_is_accepted():
    busy = gpu(processes=[{"pid": 4711, "memory_bytes": 1}])
    with pytest.raises(UnfitError, match=r"pid 4711.*--device.*--shared"):
        codes(gpu=0, gpus=[busy])
    assert codes(gpu=0, gpus=[busy], shared=True) == ["W122"]


def test_others_on_another_gpu_do_not_matter():
    busy = gpu(processes=[{"pid": 4711, "memory_bytes": 1}])
    assert codes(gpu=1, gpus=[busy, gpu()]) == []
    assert codes(gpu=None, gpus=[busy]) == []


def test_a_hot_gpu_is_a_warning_and_a_power_cap_is_not():
    assert codes(gpu=0, gpus=[gpu(reasons=["hardware thermal slowdown"])]) == ["W123"]
    assert codes(gpu=0, gpus=[gpu(reasons=["software power cap"])]) == []


def test_a_driver_that_does_not_tell_is_no_warning():
    assert codes(gpu=0, gpus=[gpu(processes="unknown: no permission", reasons="unknown: x")]) == []


def test_the_snapshot_of_this_machine_passes_through():
    assert isinstance(preflight(snapshot("cpu")), list)
