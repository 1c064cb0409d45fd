"""Whole machines, recorded or written after documentation: what is read, and that nothing private is."""

import json
import subprocess

import jsonschema
import pytest

from perfproof.core.hardware import Hardware
from perfproof.core.schema import schema_text
from perfproof.core.units import GiB, KiB, MiB
from perfproof.machine import asking, cuda_attributes, gpus
from perfproof.machine.hardware import read_hardware
from tests.machine import replay

H200_ATTRIBUTES = {"multiprocessors": 132, "l2_bytes": 60 * MiB, "memory_bus_bits": 6144, "registers_per_sm": 65536}


@pytest.fixture
def no_driver(monkeypatch):
    monkeypatch.setattr(
        gpus, "read_gpus", lambda: gpus.Gpus(why_none="no NVIDIA driver (NVML Shared Library Not Found)")
    )


@pytest.fixture
def cuda_says(monkeypatch):
    """What the CUDA driver's child process prints."""

    def install(**said):
        answer = asking.Answer(0, json.dumps(said))
        monkeypatch.setattr(cuda_attributes, "ask_child", lambda name: answer)

    return install


def test_the_recorded_virtual_machine(recorded_machine, no_driver):
    recorded_machine("vm_2_cores.txt", cpus=[0, 1])
    found = read_hardware()
    assert (found.cpu.vendor, found.cpu.cores_physical, found.cpu.vector_bits) == ("Intel", 2, 512)
    assert {"AVX-512-BF16", "AMX-BF16", "AMX-TILE"} <= set(found.cpu.isa)
    assert found.cpu.caches_bytes == {"L1d": 48 * KiB, "L1i": 32 * KiB, "L2": 2 * MiB, "L3": 300 * MiB}
    assert found.memory.total_bytes == 24682740 * KiB
    assert (found.memory.huge_pages, found.memory.transparent_huge_pages) == (0, "madvise")
    (node,) = found.topology.nodes
    assert (node.cpus, node.distances, node.memory_bytes) == ("0-1", {0: 10}, 15688584 * KiB)
    assert found.topology.caches == {"L3": ["0-1"]}
    assert [(disk.name, disk.size_bytes, disk.scheduler) for disk in found.disks] == [("vda", 256 * GiB, "mq-deadline")]
    assert found.disks[0].rotational == "unknown: a virtual disk (virtio) does not show what is behind it"
    (nic,) = found.nics
    assert (nic.name, nic.driver, nic.mtu, nic.numa_node) == ("eth0", "virtio_net", 1400, 0)
    assert str(nic.speed_mbit).startswith("unknown: ")
    assert (found.gpus, found.topology.matrix) == ([], [])
    assert "no NVIDIA driver" in found.why_no_gpu


def test_an_arm_machine_with_the_gpus_memory_as_a_node(recorded_machine, no_driver):
    recorded_machine("grace_hopper.txt", cpus=range(72))
    found = read_hardware()
    assert (found.cpu.vendor, found.cpu.model, found.cpu.vector_bits) == ("Arm", "Neoverse V2", 128)
    assert {"SVE", "SVE2", "SVE-BF16", "I8MM"} <= set(found.cpu.isa)
    cpus, memory_alone = found.topology.nodes
    assert (cpus.cpus, memory_alone.cpus, cpus.distances) == ("0-71", "", {0: 10, 1: 80})


def test_an_h200(recorded_driver, machine, cuda_says):
    machine.allow(0)
    recorded_driver("nvml_h200.json")
    cuda_says(devices=[{"pci": "0000:00:06.0", **H200_ATTRIBUTES, "shared_memory_per_sm_bytes": 228 * KiB}])
    (gpu,) = read_hardware().gpus
    assert (gpu.name, gpu.architecture, gpu.capability) == ("NVIDIA H200", "Hopper", "9.0")
    assert (gpu.multiprocessors, gpu.l2_bytes, gpu.power_watts, gpu.power_limit_watts) == (132, 60 * MiB, 124.249, 700)
    assert (gpu.pcie_generation, gpu.pcie_width, gpu.pcie_width_max) == (5, 16, 16)
    assert (gpu.nvlink.links, gpu.nvlink.active, gpu.mig, gpu.compute_processes) == (0, 0, False, 0)
    assert gpu.event_reasons == []


def test_eight_gpus_behind_switches_on_two_sockets(recorded_machine, recorded_driver, cuda_says):
    recorded_machine("server_8_gpus.txt", cpus=range(112))
    recorded_driver("nvml_8_gpus_nvswitch.json")
    cuda_says(why="cuInit says 999")
    found = read_hardware()
    assert [len(row) for row in found.topology.matrix] == [8] * 8
    assert all(
        path == ("X" if i == j else "NV18") for i, row in enumerate(found.topology.matrix) for j, path in enumerate(row)
    )
    assert list(found.topology.gpus.values()) == [0, 0, 0, 0, 1, 1, 1, 1]
    assert found.gpus[0].nvlink.version == "4.0" and found.gpus[0].nvlink.peers == ["switch"]
    assert found.gpus[0].multiprocessors == "unknown: cuInit says 999"
    assert [(port.device, port.rate_gbit, port.state, port.numa_node) for port in found.infiniband] == [
        ("mlx5_0", 400, "active", 0),
        ("mlx5_1", 400, "active", 1),
    ]
    assert found.topology.nics == {"enx…": 0, "mlx5_0": 0, "mlx5_1": 1}
    assert [node.distances for node in found.topology.nodes] == [{0: 10, 1: 21}, {0: 21, 1: 10}]


def test_neither_address_nor_serial_number_nor_uuid_is_in_the_document(recorded_machine, recorded_driver, cuda_says):
    recorded_machine("server_8_gpus.txt", cpus=range(112))
    recorded_driver("nvml_8_gpus_nvswitch.json")
    cuda_says(devices=[])
    text = read_hardware().model_dump_json()
    for secret in (
        "0c42a1b2c3d4",
        "0c:42:a1",
        "S64HNS0T712345",
        "5c25:7303",
        "GPU-0000000",
        subprocess.getoutput("hostname -f"),
    ):
        assert not secret or len(secret) < 4 or secret not in text


def test_the_slices_of_a_gpu_in_mig_mode(recorded_driver, machine, cuda_says):
    machine.allow(0)
    recorded_driver("nvml_mig.json")
    cuda_says(devices=[{"pci": "0000:18:00.0", "multiprocessors": 60}])
    (gpu,) = read_hardware().gpus
    assert gpu.mig is True
    assert [(part.multiprocessors, part.memory_bytes) for part in gpu.slices] == [(60, 40448 * MiB), (16, 9856 * MiB)]
    assert gpu.utilisation_percent == "unknown: Not Supported"


def test_a_driver_that_refuses_leaves_unknowns_and_no_zero(recorded_driver, machine, cuda_says):
    machine.allow(0)
    recorded_driver("nvml_denied.json")
    cuda_says(devices=[])
    (gpu,) = read_hardware().gpus
    fields = gpu.model_dump(exclude={"index", "name", "uuid_sha256", "architecture", "capability", "slices", "nvlink"})
    refused = {name for name, value in fields.items() if value == "unknown: Insufficient Permissions"}
    assert {"power_watts", "clock_sm_mhz", "memory_bytes", "pci", "compute_processes", "event_reasons"} <= refused
    assert gpu.nvlink.active == "unknown: Insufficient Permissions"
    assert not any(value == 0 and not isinstance(value, bool) for name, value in fields.items() if name != "numa_node")


def test_this_machine_can_be_read_and_obeys_the_schema():
    found = read_hardware()
    document = json.loads(found.model_dump_json())
    jsonschema.validate(document, json.loads(schema_text("hardware")))
    assert Hardware.model_validate(document) == found
    assert found.cpu.cores_physical >= 1 and found.folder.free_bytes > 0


def test_what_makes_no_sense_is_unknown_and_a_warning(recorded_machine, no_driver):
    machine = recorded_machine("vm_2_cores.txt", cpus=[0, 1])
    machine("/proc/meminfo", "MemTotal:       24.682.740 kB\nSwapTotal:             0 kB")
    machine("/sys/devices/system/node/node0/distance", "zehn")
    found = read_hardware()
    assert found.memory.total_bytes == "unknown: MemTotal of /proc/meminfo is in a form that is not known"
    assert found.memory.available_bytes == "unknown: /proc/meminfo has no MemAvailable"
    assert found.memory.swap_bytes == 0
    assert found.warnings == [
        "memory.total_bytes: MemTotal of /proc/meminfo is in a form that is not known",
        "topology.nodes.distances: the table of distances is in a form that is not known",
    ]


@pytest.mark.parametrize("path", sorted(replay.FOLDER.iterdir()), ids=lambda path: path.name)
def test_every_recording_says_where_it_comes_from(path):
    said = json.loads(path.read_text())["source"] if path.suffix == ".json" else path.read_text().removeprefix("# ")
    assert said.startswith(("recorded: ", "written after documentation: "))
