"""What is worth a warning, and what makes measuring impossible."""

import pytest

from perfproof.core.errors import UnfitError, UsageError
from perfproof.core.explanations import CODES
from perfproof.core.units import GiB
from perfproof.core.warnings import warn
from perfproof.machine import preflight as module
from perfproof.machine.preflight import parse_allowed, preflight, refuse_claim
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
MEMORY = {"total_bytes": 64 * GiB, "available_bytes": 50 * GiB, "cgroup_limit_bytes": None}
MOMENT = {"swapped_pages": 0, "throttled": 0, "memory_pressure": 0.0, "on_battery": False}


def codes(gpu=None, gpus=(), shared=False, memory=None, moment=None, **cpu):
    seen = {
        "device": "cuda:0" if gpus else "cpu",
        "cpu": QUIET | cpu,
        "memory": MEMORY | (memory or {}),
        "moment": MOMENT | (moment or {}),
        "gpu": gpu,
        "gpus": list(gpus),
    }
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
        ({"memory": {"available_bytes": 6 * GiB}}, "W131"),
        ({"memory": {"total_bytes": 4 * GiB, "available_bytes": GiB - 1}}, "W131"),
        ({"moment": {"swapped_pages": 12}}, "W132"),
        ({"moment": {"memory_pressure": 0.05}}, "W132"),
        ({"moment": {"on_battery": True}}, "W133"),
        ({"moment": {"throttled": 1}}, "W134"),
    ],
)
def test_each_disturbance_has_its_warning(changed, code):
    assert codes(**changed) == [code]


def test_the_load_of_a_run_that_has_just_ended_is_no_warning():
    assert codes(load_average=[12.0, 5.0, 1.0], busy_share=0.02) == []


def test_what_is_unknown_is_no_warning():
    assert codes(load_average=None, busy_share=None, governor="unknown: x", virtual_machine="unknown: x") == []
    assert codes(moment=dict.fromkeys(MOMENT)) == []


def test_in_a_small_container_a_tenth_of_its_own_limit_is_enough():
    assert codes(memory={"cgroup_limit_bytes": 8 * GiB}) == []
    assert codes(memory={"cgroup_limit_bytes": 8 * GiB, "available_bytes": GiB // 2}) == ["W131"]


def test_memory_that_the_kernel_does_not_tell_is_not_judged():
    assert codes(memory={"total_bytes": None, "available_bytes": None}) == []


def gpu(processes=(), reasons=("idle",), busy=0):
    return {
        "compute_processes": processes,
        "event_reasons": reasons if isinstance(reasons, str) else list(reasons),
        "utilisation_percent": busy,
    }


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


def test_work_of_others_is_seen_although_a_container_hides_their_processes():
    assert codes(gpu=0, gpus=[gpu(processes=[], busy=60)]) == ["W122"]
    assert codes(gpu=0, gpus=[gpu(processes=[], busy="unknown: Not Supported")]) == []


def test_every_warning_of_the_preflight_can_be_allowed_by_a_word():
    from pathlib import Path

    raised = {code for code in CODES if f'warn("{code}"' in Path(module.__file__).read_text()}
    assert raised == set(module.REASONS.values())


@pytest.mark.parametrize(
    ("words", "allowed"),
    [([], ()), (["load"], ("W107",)), (["w108", "W107"], ("W107", "W108")), (["LOAD", "load"], ("W107",))],
)
def test_a_reason_is_allowed_by_its_word_or_its_code(words, allowed):
    assert parse_allowed(words) == allowed


def test_all_is_every_reason():
    assert set(parse_allowed(["all"])) == set(module.REASONS.values())


@pytest.mark.parametrize("word", ["W101", "W999", "lode", ""])
def test_what_is_no_reason_is_refused_with_the_words(word):
    with pytest.raises(UsageError, match="load, virtual, governor"):
        parse_allowed([word])


def test_a_claim_is_refused_with_everything_in_its_way_and_how_to_allow_it():
    found = [warn("W107", "load average 3.00 on 2 CPUs"), warn("W108", "this is a virtual machine")]
    with pytest.raises(UnfitError) as refused:
        refuse_claim(found, ())
    for text in ("W107 load average 3.00", "W108 this is a virtual machine", "--allow load --allow virtual"):
        assert text in str(refused.value)
    with pytest.raises(UnfitError) as refused:
        refuse_claim(found, ("W107",))
    assert "W107" not in str(refused.value) and "--allow virtual" in str(refused.value)


def test_a_claim_passes_where_nothing_is_wrong_or_all_of_it_is_allowed():
    refuse_claim([], ())
    refuse_claim([warn("W107", "x")], ("W107", "W125"))
