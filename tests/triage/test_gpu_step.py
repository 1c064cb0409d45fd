"""The step `gpu` and the judgement on it, with drivers that are played back: healthy, sliced, sick, refusing, lost."""

import json
import sys

import pytest

from perfproof.machine.hardware import read_hardware
from perfproof.triage import session
from perfproof.triage.evidence import Absent, Evidence
from perfproof.triage.gpu_health import health
from perfproof.triage.health import judge_health
from perfproof.triage.session import TriageOptions
from perfproof.triage.steps import gpu
from tests.machine import replay

CONSTANTS = {
    "NVML_MEMORY_ERROR_TYPE_CORRECTED": 0,
    "NVML_MEMORY_ERROR_TYPE_UNCORRECTED": 1,
    "NVML_VOLATILE_ECC": 0,
    "NVML_PAGE_RETIREMENT_CAUSE_DOUBLE_BIT_ECC_ERROR": 1,
}
COUNTED = {
    "nvmlDeviceGetTotalEccErrors:0:0": 2,
    "nvmlDeviceGetTotalEccErrors:1:0": 0,
    "nvmlDeviceGetRemappedRows": [1, 0, 0, 0],
    "nvmlDeviceGetPcieReplayCounter": 0,
}


@pytest.fixture
def driver(monkeypatch, tmp_path):
    """Play a driver back, with answers changed; no tool of its maker is on the PATH."""

    def install(name="nvml_h200.json", **changed):
        nvml = replay.Nvml(name)
        for constant, value in CONSTANTS.items():
            setattr(nvml, constant, value)
        nvml.nvmlDeviceGetHandleByIndex(0).answers.update({**COUNTED, **changed})
        monkeypatch.setitem(sys.modules, "pynvml", nvml)
        monkeypatch.setenv("PATH", str(tmp_path))
        return nvml

    return install


@pytest.fixture
def judged(tmp_path):
    """Take the step, write the machine down, judge: gpu.json, and (severity, name) of each check that failed."""

    def judge():
        made = session.begin(TriageOptions(output_root=tmp_path / "out"), lambda line: None)
        gpu.collect(Evidence("gpu", made.folder))
        made.write("parsed/hardware.json", read_hardware().model_dump_json())
        judge_health(made)
        checks = json.loads((made.folder / "parsed/health.json").read_text())["checks"]
        document = json.loads((made.folder / "parsed/gpu.json").read_text())
        return document, checks

    return judge


def failed(checks):
    return {(one["severity"], one["name"]) for one in checks if one["result"] == "fail" and one["part"] == "GPU 0"}


def test_a_healthy_card_has_no_symptom_and_every_count_is_written_down(driver, judged):
    driver()
    document, checks = judged()
    (card,) = document["gpus"]
    assert (document["driver"], card["name"], card["pcie_width"]) == ("580.159.04", "NVIDIA H200", 16)
    assert card["health"]["ecc_uncorrected"] == 0
    assert card["health"]["remapped_rows"] == {"correctable": 1, "uncorrectable": 0, "pending": 0, "failed": 0}
    assert card["health"]["retired_pages"].startswith("unknown: ")
    assert failed(checks) == set()
    assert "not-run" in {one["result"] for one in checks if one["name"] == "retired memory pages"}


@pytest.mark.parametrize(
    ("changed", "symptom"),
    [
        ({"nvmlDeviceGetCurrPcieLinkWidth": 8}, ("sick", "PCIe width")),
        ({"nvmlDeviceGetCurrentClocksEventReasons": 0x40 | 0x4}, ("sick", "clock event reasons")),
        ({"nvmlDeviceGetCurrentClocksEventReasons": 0x80}, ("sick", "clock event reasons")),
        ({"nvmlDeviceGetTotalEccErrors:1:0": 3}, ("sick", "uncorrected memory errors")),
        ({"nvmlDeviceGetRemappedRows": [0, 1, 1, 0]}, ("sick", "row remapping pending")),
        ({"nvmlDeviceGetRemappedRows": [0, 9, 0, 1]}, ("sick", "failed row remapping")),
        ({"nvmlDeviceGetPcieReplayCounter": 12}, ("watch", "PCIe replays")),
        ({"nvmlDeviceGetMaxClockInfo:1": 1200}, ("sick", "highest SM clock (MHz)")),
    ],
)
def test_a_sick_card_is_called_sick(driver, judged, changed, symptom):
    driver(**changed)
    _, checks = judged()
    assert symptom in failed(checks)


def test_a_card_that_is_held_by_its_power_limit_is_not_sick(driver, judged):
    driver(nvmlDeviceGetCurrentClocksEventReasons=0x4)
    _, checks = judged()
    assert failed(checks) == set()


def test_the_slices_of_a_card_are_listed(driver, judged):
    driver("nvml_mig.json")
    document, checks = judged()
    assert [part["name"].split()[-1] for part in document["gpus"][0]["slices"]] == ["3g.40gb", "1g.10gb"]
    assert failed(checks) == set()


def test_links_that_resend_are_counted(driver, judged):
    answers = {"nvmlDeviceGetNvLinkState": [1, 0], "nvmlDeviceGetNvLinkErrorCounter:0:0": 4}
    driver(**answers, **{f"nvmlDeviceGetNvLinkErrorCounter:0:{kind}": 0 for kind in (1, 2, 3)})
    document, checks = judged()
    assert document["gpus"][0]["health"]["nvlink_errors"] == {"link 0 replay": 4}
    assert ("watch", "NVLink errors") in failed(checks)


def test_a_driver_that_refuses_gives_unknown_and_never_zero(driver, judged):
    nvml = driver("nvml_denied.json")
    for key in COUNTED:
        del nvml.nvmlDeviceGetHandleByIndex(0).answers[key]
    document, checks = judged()
    assert document["gpus"][0]["health"]["ecc_uncorrected"] == "unknown: Insufficient Permissions"
    assert failed(checks) == set()


def test_a_card_that_is_lost_costs_its_counts_and_is_not_called_absent(driver, tmp_path):
    nvml = driver()

    def lost(number):
        raise nvml.NVMLError("GPU is lost")

    nvml.nvmlDeviceGetHandleByIndex = lost
    assert health() == ["unknown: GPU is lost"]
    with pytest.raises(RuntimeError, match="does not answer"):
        gpu.collect(Evidence("gpu", tmp_path / "bundle"))


def test_without_a_driver_the_step_is_absent(driver, tmp_path):
    nvml = driver()

    def none():
        raise nvml.NVMLError("NVML Shared Library Not Found")

    nvml.nvmlInit = none
    with pytest.raises(Absent, match="no NVIDIA driver"):
        gpu.collect(Evidence("gpu", tmp_path / "bundle"))
    assert health() == []
