"""/proc as a two-CPU virtual machine showed it (recorded), and as it must not be trusted."""

import os

import pytest

from perfproof.machine.telemetry import host

STAT = b"""cpu  1199760 8 166998 1024972 1930 0 3032 9627 0 0
cpu0 443412 0 53650 697871 1367 0 2403 5965 0 0
cpu1 756348 8 113347 327101 563 0 629 3662 0 0
intr 6402990 0 0 0 1 10 0
ctxt 6567256
btime 1794714951
processes 65233
"""
MEMINFO = b"""MemTotal:       24682740 kB
MemFree:        19384320 kB
MemAvailable:   24187420 kB
Buffers:          343532 kB
SwapCached:            0 kB
SwapTotal:       2097148 kB
SwapFree:        2096124 kB
"""
DISKS = b"""   7       0 loop0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
 254       0 vda 82664 26844 5656450 14805 186885 191583 16323656 90669 0 33488 121880 196963 29 6331936 16048 17612 357
 254       1 vda1 82000 26844 5656000 14805 186885 191583 16323656 90669 0 33488 121880 196963 29 6331936 16048 0 0
 253       0 zram0 9 0 9 0 9 0 9 0 0 0 0 0 0 0 0 0 0
"""
NETWORK = b"""Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:    6386      58    0    0    0     0          0         0     6386      58    0    0    0     0       0          0
  eth0: 1009834221   25774    0    0    0     0          0         0  1534134   18613    0    0    0     0       0          0
"""  # noqa: E501
SECONDS_A_TICK = 1 / os.sysconf("SC_CLK_TCK")


def test_cpu_time_in_use_leaves_out_idle_and_waiting_for_disks():
    busy = (1199760 + 8 + 166998 + 3032 + 9627) * SECONDS_A_TICK
    assert host.parse_stat(STAT) == (pytest.approx(busy), 6567256)


def test_guest_time_is_not_counted_twice():
    with_guest = STAT.replace(b"9627 0 0\n", b"9627 500 500\n", 1)
    assert host.parse_stat(with_guest) == host.parse_stat(STAT)


def test_every_core_has_its_own_time():
    first = (443412 + 53650 + 2403 + 5965) * SECONDS_A_TICK
    cores = host.parse_cores(STAT, 2)
    assert cores[0] == pytest.approx(first)
    assert sum(cores) == pytest.approx(host.parse_stat(STAT)[0])


def test_a_core_that_was_switched_off_makes_the_row_unknown_instead_of_shifted():
    assert host.parse_cores(STAT.replace(b"cpu1 756348 8 113347 327101 563 0 629 3662 0 0\n", b""), 2) is None


def test_memory_in_use_is_what_is_not_available():
    assert host.parse_memory(MEMINFO) == ((24682740 - 24187420) * 1024, 1024 * 1024)


def test_load_is_that_of_the_last_minute():
    assert host.parse_load(b"0.01 0.39 1.08 1/85 308\n") == (0.01,)


def test_partitions_and_compressed_memory_are_no_disks():
    assert host.parse_disks(DISKS, frozenset([b"vda"])) == (5656450 * 512, 16323656 * 512)


def test_traffic_is_that_of_the_chosen_interfaces():
    assert host.parse_network(NETWORK, frozenset([b"eth0"])) == (1009834221, 1534134)


def test_no_disk_and_no_network_is_unknown_not_zero():
    assert host.parse_disks(DISKS, frozenset()) is None
    assert host.parse_network(NETWORK, frozenset()) is None


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"\xff\xfe", b"cpu\n", b"cpu  1 2\nctxt x\n", STAT[:20], MEMINFO[:10], b"a b"]
)
@pytest.mark.parametrize(
    ("path", "parse"),
    [
        ("/proc/stat", host.parse_stat),
        ("/proc/stat", lambda data: host.parse_cores(data, 2)),
        ("/proc/meminfo", host.parse_memory),
        ("/proc/loadavg", host.parse_load),
        ("/proc/diskstats", lambda data: host.parse_disks(data, frozenset([b"vda"]))),
        ("/proc/net/dev", lambda data: host.parse_network(data, frozenset([b"eth0"]))),
    ],
)
def test_broken_content_is_unknown_and_never_an_error(machine, path, parse, data):
    machine(path, "")
    (machine.root / path.lstrip("/")).write_bytes(data)
    file = host.File(path, (host.columns.LOAD,), parse)
    assert file.why == f"{path}: its content is not understood"


def full_machine(machine):
    for path, data in (("stat", STAT), ("meminfo", MEMINFO), ("diskstats", DISKS), ("net/dev", NETWORK)):
        machine(f"/proc/{path}", data.decode().rstrip("\n"))
    machine("/proc/loadavg", "0.01 0.39 1.08 1/85 308")
    machine("/sys/block/vda/device/model", "disk")
    machine("/sys/block/zram0/size", "0")
    machine("/sys/class/net/eth0/device/vendor", "0x1af4")
    machine("/sys/class/net/docker0/address", "0")
    machine("/sys/class/powercap/intel-rapl:0/name", "package-0")
    machine("/sys/class/powercap/intel-rapl:0/energy_uj", "5000000")
    machine("/sys/class/powercap/intel-rapl:0/max_energy_range_uj", "262143328850")


def test_a_host_gives_all_its_readings(machine):
    full_machine(machine)
    groups, unknown = host.open_host(20)
    values = {c.name: v for group in groups for c, v in zip(group.columns, group.read(), strict=True)}
    assert unknown == {}
    assert values["context_switches"] == 6567256
    assert values["disk_read_bytes"] == 5656450 * 512
    assert values["net_sent_bytes"] == 1534134
    assert values["energy_joules"] == 0
    assert {"cpu_seconds", "load_1m", "memory_used_bytes", "swap_used_bytes", "core0_seconds", "core1_seconds"} <= set(
        values
    )
    assert groups[0].every == 1, "CPU time is read at every tick"


def test_files_are_read_anew_each_time(machine):
    full_machine(machine)
    groups, _ = host.open_host(20)
    machine("/proc/stat", STAT.decode().replace("ctxt 6567256", "ctxt 6567300"))
    assert groups[0].read()[1] == 6567300


def test_what_is_missing_is_named_with_its_reason(machine):
    groups, unknown = host.open_host(20)
    assert groups == []
    assert unknown["host.load_1m"] == "/proc/loadavg: No such file or directory"
    assert unknown["host.energy_joules"] == "no RAPL package in /sys/class/powercap"
    assert {"host.cpu_seconds", "host.disk_read_bytes", "host.net_sent_bytes", "host.cores"} <= set(unknown)


def test_a_container_without_cards_counts_every_interface_but_the_loopback(machine):
    for name in ("lo", "eth0"):
        machine(f"/sys/class/net/{name}/address", "0")
    assert host.real_interfaces() == frozenset([b"eth0"])


def test_a_file_larger_than_a_page_is_read_whole(machine, tmp_path):
    (tmp_path / "large").write_bytes(b"x" * 200_000)
    descriptor = os.open(tmp_path / "large", os.O_RDONLY)
    assert len(host.read_again(descriptor)) == 200_000
    os.close(descriptor)
