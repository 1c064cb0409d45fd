"""Every parser of a text we do not write: real text gives the real value, damaged text "unknown" or the real value.

A recording is cut, characters are replaced, lines are doubled. What must not happen is an exception, or a number that
stands nowhere in the damaged text.
"""

import re
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfproof.core.child import Answer
from perfproof.core.doctor import Finding
from perfproof.machine import (
    cgroup,
    counter_permission,
    cuda_attributes,
    cutlass,
    disks,
    isa,
    kernel_files,
    layout,
    libraries,
    memory,
    network,
    numa,
    privileges,
    tool_version,
    torch_said,
)
from perfproof.machine.probes import compute_sanitizer, nsight_compute, nsight_systems, perf
from tests.machine import replay

MEMINFO = (
    "MemTotal:       24682740 kB\nMemAvailable:   24198120 kB\nHugePages_Total:       7\nHugepagesize:       2048 kB"
)
NODE = "Node 0 MemTotal:       14771080 kB\nNode 0 MemFree:         9497592 kB\n"
MOUNTS = "22 27 0:21 / /proc rw - proc proc rw\n27 1 254:0 / / rw,noatime shared:1 - ext4 /dev/vda rw,discard"
VERSION_H = "#pragma once\n#define CUTLASS_MAJOR 4\n#define CUTLASS_MINOR 2\n#define CUTLASS_PATCH 1\n"
DEVICES = '{"devices": [{"pci": "0000:18:00.0", "multiprocessors": 132, "l2_bytes": 62914560}]}'


@cache
def damaged(text):
    """The text cut, with characters replaced, or twice, as another version or a full disk would leave it."""
    places = st.integers(0, max(0, len(text) - 1))
    strange = st.sampled_from(["", "0", "9", "²", "٣", "−", ",", ".", ":", "\n", "ä", "\x00", " ", "x", "-", "["])
    cut = places.map(lambda at: text[:at])
    replaced = st.lists(st.tuples(places, strange), min_size=1, max_size=4).map(lambda changes: _replace(text, changes))
    return st.one_of(cut, replaced, st.just(text + "\n" + text), st.text(max_size=80))


def _replace(text, changes):
    for at, new in changes:
        text = text[:at] + new + text[at + 1 :]
    return text


def is_unknown(value):
    return isinstance(value, str) and value.startswith("unknown: ")


@pytest.mark.parametrize(
    ("parse", "text", "value"),
    [
        (lambda text: memory.parse_bytes(text, "MemTotal"), MEMINFO, 24682740 * 1024),
        (lambda text: memory.parse_count(text, "HugePages_Total"), MEMINFO, 7),
        (memory.parse_chosen, "always [madvise] never", "madvise"),
        (lambda text: numa.parse_node_memory(text, "MemFree"), NODE, 9497592 * 1024),
        (lambda text: numa.parse_distances(text, [0, 2]), "10 21", {0: 10, 2: 21}),
        (lambda text: disks.parse_mount(text, "254:0", "/x"), MOUNTS, ("ext4", ["discard", "noatime"])),
        (lambda text: disks.parse_mount(text, "0:99", "/proc/x"), MOUNTS, ("proc", [])),
        (network.parse_speed, "100000", 100000),
        (network.parse_state, "4: ACTIVE", "active"),
        (network.parse_rate, "400 Gb/sec (4X NDR)", 400.0),
        (network.parse_rate, "2.5 Gb/sec (1X SDR)", 2.5),
        (counter_permission.parse, "RmLogonRC: 1\nRmProfilingAdminOnly: 1\n", True),
        (cutlass.parse_version, VERSION_H, "4.2.1"),
        (tool_version.parse, "perf version 6.1.187", "6.1.187"),
        (tool_version.parse, "py-spy 0.4.1", "0.4.1"),
        (libraries.parse_package, "nvidia_nccl.cu13", "nccl"),
        (libraries.parse_package, "nvidia-cuda-nvrtc", "cuda-nvrtc"),
        (libraries.parse_package, "nvidia-ml-py", None),
        (lambda name: libraries.parse_file(name, "libnccl.so"), "libnccl.so.2.21.5", "2.21.5"),
        (lambda name: libraries.parse_file(name, "libcudnn.so"), "libcudnn_ops.so.9", None),
        (lambda text: privileges.parse(text, "CAP_SYS_ADMIN"), "CapEff:\t0000000000200000", True),
        (lambda text: privileges.parse(text, "CAP_SYS_PTRACE"), "CapEff:\t0000000000200000", False),
        (lambda text: cuda_attributes.parse(text)[0]["0000:18:00.0"]["multiprocessors"], DEVICES, 132),
    ],
)
def test_real_text_gives_the_real_value(parse, text, value):
    assert parse(text) == value


@pytest.mark.parametrize(
    ("name", "version"),
    [("nvcc_version.txt", "13.0.88"), ("ncu_version.txt", "2025.3.1.0"), ("nsys_version.txt", "2025.3.2.474")],
)
def test_versions_are_found_in_what_tools_print(name, version):
    assert tool_version.parse(replay.recorded(name)) == version


@pytest.mark.parametrize(
    "unknown",
    [
        memory.parse_bytes(None, "MemTotal"),
        memory.parse_bytes("MemTotal: viel", "MemTotal"),
        memory.parse_bytes("MemTotal:   24682740 MB", "MemTotal"),
        memory.parse_chosen("always madvise never"),
        numa.parse_distances("10", [0, 1]),
        numa.parse_distances(None, [0]),
        network.parse_speed("-1"),
        network.parse_speed("100 Gbit"),
        network.parse_state("AKTIV"),
        network.parse_rate("400 Gbit/s"),
        counter_permission.parse("RmProfilingAdminOnly: maybe"),
        counter_permission.parse(None),
        cutlass.parse_version("#define CUTLASS_MAJOR 4"),
        tool_version.parse("Programmversion: neu"),
        disks.parse_mount("27 1 254:0 / / rw", "254:0", "/x")[0],
        disks.parse_mount(None, "254:0", "/x")[0],
    ],
)
def test_text_in_another_form_is_unknown_with_a_reason(unknown):
    assert is_unknown(unknown) and len(unknown) > len("unknown: ")


NUMBERS = {  # parser -> the text it is fed; the result must be unknown or a number that the text holds
    "meminfo": (lambda text: memory.parse_bytes(text, "MemTotal"), MEMINFO, 1024),
    "huge pages": (lambda text: memory.parse_count(text, "HugePages_Total"), MEMINFO, 1),
    "node memory": (lambda text: numa.parse_node_memory(text, "MemTotal"), NODE, 1024),
    "link speed": (network.parse_speed, "100000", 1),
    "port rate": (network.parse_rate, "400 Gb/sec (4X NDR)", 1),
}


@pytest.mark.parametrize("name", NUMBERS)
@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_damaged_text_gives_unknown_or_a_number_that_stands_in_it(name, data):
    parse, text, unit = NUMBERS[name]
    changed = data.draw(damaged(text))
    value = parse(changed)
    if not is_unknown(value):
        assert value >= 0 and f"{value / unit:g}" in {
            f"{float(one):g}" for one in re.findall(r"[0-9]+(?:\.[0-9]+)?", changed)
        }


@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_no_damaged_text_ends_in_an_exception(data):
    for parse, text in (
        (isa.parse_features, "flags : avx2 amx_tile"),
        (isa.parse_vendor, "vendor_id : GenuineIntel"),
        (lambda text: numa.parse_distances(text, [0, 1]), "10 21"),
        (lambda text: disks.parse_mount(text, "254:0", "/x"), MOUNTS),
        (network.parse_state, "4: ACTIVE"),
        (network.without_address, "enx0c42a1b2c3d4"),
        (counter_permission.parse, replay.recorded("nvidia_params_denied.txt")),
        (cutlass.parse_version, VERSION_H),
        (tool_version.parse, replay.recorded("nsys_version.txt")),
        (cuda_attributes.parse, DEVICES),
        (lambda text: privileges.parse(text, "CAP_SYSLOG"), "CapEff:\t000001fffeffffff"),
        (kernel_files.parse_cpu_list, "0-3,8"),
        (layout.parse_size, "2048K"),
        (lambda text: torch_said.parse(Answer(0, text), "gloo"), '{"gloo": {"ok": true}}'),
    ):
        parse(data.draw(damaged(text)))


@pytest.mark.parametrize(
    ("judge", "recording"),
    [
        (nsight_compute.judge, "ncu_works.txt"),
        (nsight_compute.judge, "ncu_denied.txt"),
        (nsight_systems.judge, "nsys_status_works.txt"),
        (compute_sanitizer.judge, "compute_sanitizer_works.txt"),
        (lambda answer: perf.judge(answer, 2), "perf_stat_metal.txt"),
    ],
)
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_a_damaged_answer_of_a_tool_is_still_a_finding(judge, recording, data):
    text = data.draw(damaged(replay.recorded(recording)))
    assert isinstance(judge(Answer(0, text, text)), Finding)


def test_a_counter_that_is_not_supported_is_absent_and_not_zero():
    counted = perf.parse(replay.recorded("perf_stat_vm.txt"))
    assert counted == {"task-clock": counted["task-clock"], "cycles": "absent", "instructions": "absent"}
    assert counted["task-clock"] > 0


def test_the_files_of_control_groups_may_hold_anything(machine):
    machine("/proc/self/cgroup", "0::/job")
    machine("/sys/fs/cgroup/job/cpu.max", "² 100000")
    machine("/sys/fs/cgroup/job/memory.max", "²")
    assert (cgroup.cpu_quota(), cgroup.memory_limit()) == (None, None)
