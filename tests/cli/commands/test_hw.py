"""`perfproof hw`: the page, everything, the topology, and the documents behind them."""

import json
import subprocess
import sys

import jsonschema
import pytest

from perfproof.cli.width import text_width
from perfproof.core.child import Answer
from perfproof.core.hardware import Hardware
from perfproof.core.schema import schema_text
from perfproof.machine import cuda_attributes, gpus, hardware, kernel_files, layout, software
from tests.machine import replay


@pytest.fixture
def server(tmp_path, monkeypatch):
    """Eight GPUs behind switches, two sockets, InfiniBand."""
    replay.unpack("server_8_gpus.txt", tmp_path / "root")
    monkeypatch.setattr(kernel_files, "ROOT", tmp_path / "root")
    monkeypatch.setattr(layout, "allowed_cpus", lambda: set(range(112)))
    monkeypatch.setitem(sys.modules, "pynvml", replay.Nvml("nvml_8_gpus_nvswitch.json"))
    monkeypatch.setattr(software, "torch_build", lambda: {"cuda": "13.0", "hip": None})
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    devices = [
        {"pci": gpu.details["pci"], "multiprocessors": 132, "l2_bytes": 52428800} for gpu in gpus.read_gpus().found
    ]
    answer = Answer(0, json.dumps({"devices": devices}))
    monkeypatch.setattr(cuda_attributes, "ask_child", lambda name: answer)


def test_the_page_of_this_machine_names_its_parts(perfproof):
    shown = perfproof("hw")
    assert (shown.code, shown.err) == (0, "")
    for label in ("machine ", "CPU ", "memory ", "limits ", "NUMA ", "GPU", "this folder ", "software ", "CUTLASS "):
        assert any(line.startswith(label) for line in shown.out.splitlines()), label
    assert max(map(len, shown.out.splitlines())) <= text_width()


@pytest.mark.parametrize("arguments", [["hw", "--json"], ["hw", "dump", "--json"]])
def test_json_is_the_published_document(perfproof, arguments):
    document = json.loads(perfproof(*arguments).out)
    jsonschema.validate(document, json.loads(schema_text("hardware")))
    assert Hardware.model_validate(document).cpu.cores_physical >= 1


def test_a_server_with_eight_gpus_on_one_page(perfproof, server):
    out = perfproof("hw").out
    for text in (
        "NVIDIA H100 80GB HBM3, Hopper, compute capability 9.0",
        "132 SMs, 79.6 GiB memory, L2 50.0 MiB",
        "SM 345 of 1980 MHz, memory 3201 of 3201 MHz",
        "PCIe 5 x16 now, 5 x16 at most; NVLink 18 of 18 active, version 4.0",
        "lacks cluster launch control, tcgen05 and Tensor Memory",
        "mlx5_0 port 1: active, 400 Gb/sec (4X NDR), InfiniBand",
        "enx…: up, 100000 Mbit/s, MTU 9000, mlx5_core",
        "nvme0n1: SAMSUNG MZQL23T8HCLS-00A07",
    ):
        assert text in " ".join(out.split()), text


def test_the_topology_shows_nodes_distances_and_the_matrix(perfproof, server):
    out = perfproof("hw", "topology").out
    assert "┌ node 0: 1008 GiB, 954 GiB free\n│   CPUs 0-55" in out
    assert "GPU 0, GPU 1, GPU 2, GPU 3, enx…, mlx5_0" in out
    assert "node 0    10      21" in out
    row = next(line for line in out.splitlines() if line.startswith("GPU 2 "))
    assert row.split() == ["GPU", "2", "NV18", "NV18", "X", *["NV18"] * 5]


def test_the_topology_as_json_is_that_part_of_the_document(perfproof, server):
    document = json.loads(perfproof("hw", "topology", "--json").out)
    assert document["gpus"] == {str(number): number // 4 for number in range(8)}
    assert document["matrix"][0][:2] == ["X", "NV18"]


def test_dump_shows_every_field(perfproof, server):
    out = perfproof("hw", "dump").out
    for field in Hardware.model_fields:
        assert f"\n{field}:" in f"\n{out}", field
    assert "uuid_sha256" in out and "GPU-0000000" not in out


def test_what_is_strange_is_a_warning_on_the_page(perfproof, monkeypatch, server):
    monkeypatch.setattr(hardware.memory, "parse_chosen", lambda text: kernel_files.strange("the list of choices"))
    assert "warning     disks.scheduler: the list of choices is in a form that is not known" in perfproof("hw").out


def test_no_driver_is_said_and_is_no_error(perfproof, monkeypatch):
    monkeypatch.setitem(sys.modules, "pynvml", None)
    for arguments in (["hw"], ["hw", "topology"], ["hw", "dump"]):
        shown = perfproof(*arguments)
        assert shown.code == 0 and "nvidia-ml-py is not installed" in shown.out


def test_looking_at_the_machine_loads_neither_torch_nor_numpy():
    code = (
        "import sys; from perfproof.cli.app import main; main(['hw']);"
        "sys.exit(any(name in sys.modules for name in ('torch', 'triton', 'numpy', 'scipy')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, capture_output=True).returncode == 0


def test_bind_prints_the_line_that_starts_a_program_beside_each_gpu(perfproof, server):
    shown = perfproof("hw", "bind", "--", "python", "my train.py", "--fast")
    assert shown.code == 0
    assert "CUDA_VISIBLE_DEVICES=0 numactl --cpunodebind=0 --membind=0 python 'my train.py' --fast" in shown.out
    assert "CUDA_VISIBLE_DEVICES=7 numactl --cpunodebind=1 --membind=1" in shown.out
    lines = json.loads(perfproof("hw", "bind", "--json").out)
    assert [line["node"] for line in lines] == [0, 0, 0, 0, 1, 1, 1, 1]
    assert all(line["taskset"].startswith(f"CUDA_VISIBLE_DEVICES={line['gpu']} taskset --cpu-list ") for line in lines)


def test_bind_without_a_gpu_has_a_line_for_each_node(perfproof):
    shown = perfproof("hw", "bind")
    assert shown.code == 0 and "GPU none" in shown.out and "taskset --cpu-list " in shown.out
