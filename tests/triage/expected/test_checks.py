"""A sick node is called sick; a healthy one, and what could not be read, is not."""

import tomllib

import pytest

from perfproof.core.ceilings import Ceiling, Ceilings
from perfproof.core.hardware import Gpu, Hardware, NvLink
from perfproof.machine import datasheet
from perfproof.machine.hardware import read_hardware
from perfproof.triage.expected import examine, sick
from perfproof.triage.expected.checks import FOLDER, kind_of

FILES = sorted(FOLDER.glob("*.toml"))


def gpu(index=0, name="NVIDIA H200", active=18, **changed):
    values = dict.fromkeys(Gpu.model_fields, "unknown: not asked")
    values |= dict(index=index, name=name, capability="9.0", slices=[], event_reasons=[], pcie_width=16, ecc=True)
    values |= dict(pcie_generation=5, pcie_generation_max=5, clock_sm_max_mhz=1980, power_limit_watts=700.0)
    links = NvLink(links=18, active=active, version="4.0", peers=["switch"])
    return Gpu(**{**values, "nvlink": links, **changed})


@pytest.fixture(scope="module")
def this_machine():
    return read_hardware()


@pytest.fixture
def machine(this_machine):
    """A machine with these GPUs and a host in order."""

    def build(*gpus, governor="performance", swap=(0, 0), available=50):
        memory = this_machine.memory.model_copy(
            update=dict(total_bytes=100, available_bytes=available, swap_bytes=swap[0], swap_free_bytes=swap[1])
        )
        cpu = this_machine.cpu.model_copy(update={"governor": governor})
        return Hardware.model_validate(
            this_machine.model_copy(update=dict(gpus=list(gpus), cpu=cpu, memory=memory)).model_dump()
        )

    return build


def ceilings(**values):
    made = [
        Ceiling(
            name=name.replace("__", "/").replace("_", "-"),
            value=value,
            unit="bytes/s",
            low=value,
            high=value,
            repeats=3,
        )
        for name, value in values.items()
    ]
    return Ceilings(perfproof_version="1", fingerprint="f", kind="h200", device="cuda:0", measured="now", ceilings=made)


def test_a_healthy_machine_has_no_symptoms(machine):
    measured = ceilings(memory__copy=4.26e12, host_to_device__pinned=55.4e9)
    hardware = machine(gpu(0), gpu(1))
    assert sick(hardware, measured) == []
    results = [one.result for one in examine(hardware, measured)]
    assert results.count("pass") >= 10 and results.count("not-run") == 1  # device-to-host was not measured


@pytest.mark.parametrize(
    ("changed", "name"),
    [
        (dict(pcie_width=8), "PCIe width"),
        (dict(pcie_generation_max=4), "PCIe generation at most"),
        (dict(active=17), "active NVLinks"),
        (dict(clock_sm_max_mhz=1200), "highest SM clock (MHz)"),
        (dict(event_reasons=["idle", "hardware thermal slowdown"]), "clock event reasons"),
        (dict(event_reasons=["hardware power brake"]), "clock event reasons"),
    ],
)
def test_a_sick_gpu_is_called_sick(machine, changed, name):
    found = sick(machine(gpu(0), gpu(1, **changed)))
    assert [(one.part, one.name, one.severity) for one in found] == [("GPU 1", name, "sick")]


@pytest.mark.parametrize("changed", [dict(power_limit_watts=350.0), dict(ecc=False)])
def test_what_somebody_may_have_set_is_to_be_watched(machine, changed):
    assert [one.severity for one in sick(machine(gpu(**changed)))] == ["watch"]


def test_a_copy_below_its_floor_is_sick_and_says_both_figures(machine):
    (found,) = sick(machine(gpu()), ceilings(memory__copy=2.0e12))
    assert found.severity == "sick" and "2,000.0 GB/s" in str(found) and "3,600.0 GB/s" in str(found)


def test_what_could_not_be_read_is_not_run_and_no_symptom(machine):
    unread = gpu(pcie_width="unknown: Not Supported", ecc="unknown: no permission", event_reasons="unknown: x")
    checks = examine(machine(unread))
    assert sick(machine(unread)) == []
    assert [one.symptom.name for one in checks if one.result == "not-run"] == [
        "clock event reasons",
        "PCIe width",
        "ECC (1 is on)",
    ]


def test_a_gpu_alone_needs_no_links(machine):
    assert sick(machine(gpu(active=0))) == []


def test_an_unknown_card_is_judged_by_its_clock_events_only(machine):
    strange = gpu(name="NVIDIA Z9000", pcie_width=1, event_reasons=["software thermal slowdown"])
    assert [one.name for one in sick(machine(strange))] == ["clock event reasons"]


@pytest.mark.parametrize("changed", [dict(governor="powersave"), dict(swap=(100, 50)), dict(available=1)])
def test_a_host_that_is_not_fit_is_to_be_watched(machine, changed):
    assert [one.part for one in sick(machine(**changed))] == ["host"]


def test_a_machine_without_a_gpu_is_judged_by_its_host(machine):
    assert sick(machine(governor="unknown: not shown")) == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_file_says_where_its_values_come_from(path):
    text = path.read_text()
    assert "# Sources: " in text and tomllib.loads(text)["name"]


@pytest.mark.parametrize(
    ("driver_name", "kind"),
    [
        ("NVIDIA H100 80GB HBM3", "H100 SXM"),
        ("NVIDIA H200", "H200 SXM"),
        ("NVIDIA A100-SXM4-80GB", "A100 SXM 80 GB"),
        ("NVIDIA B200", "B200"),
        ("NVIDIA L4", "L4"),
        ("NVIDIA L40S", "L40S"),
        ("NVIDIA GeForce RTX 4090", "RTX 4090"),
    ],
)
def test_cards_are_known_by_the_drivers_name_and_floors_lie_below_the_sheet(driver_name, kind):
    found = kind_of(driver_name)
    assert found["name"] == kind
    assert 0.5 < found["floors"]["memory/copy"] / datasheet.find(driver_name).memory_bytes_s < 0.9


@pytest.mark.parametrize(
    "driver_name", ["NVIDIA GB200", "NVIDIA H200 NVL", "NVIDIA H100 80GB HBM3 MIG 1g.10gb", "Quadro"]
)
def test_other_cards_are_not_taken_for_them(driver_name):
    assert kind_of(driver_name) is None
