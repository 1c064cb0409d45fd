"""Files of /proc as real kernels write them, and damaged ones: what is not understood is missing, never zero."""

import pytest

from perfproof.triage import readings
from perfproof.triage.readings import Reading
from perfproof.triage.use_table import busy_share, table

STAT = """cpu  10132153 290696 3084719 46828483 16683 0 25195 0 175628 0
cpu0 1393280 32966 572056 13343292 6130 0 17875 0 23933 0
intr 8885917 17 0
procs_running 3
procs_blocked 1"""
DISKS = """ 254       0 vda 5321 1204 403218 2210 9102 8121 901234 15021 0 10420 17231 0 0 0 0
 254       1 vda1 5221 1204 403000 2200 9102 8121 901234 15021 0 10420 17221 0 0 0 0"""
NETWORK = """Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes  packets errs drop fifo colls carrier compressed
    lo: 1000 10 0 0 0 0 0 0 1000 10 0 0 0 0 0 0
  eth0: 123456 120 1 2 0 0 0 0 654321 130 3 4 0 0 0 0"""
TCP = """Ip: Forwarding DefaultTTL
Ip: 1 64
Tcp: RtoAlgorithm MaxConn OutSegs RetransSegs OutRsts
Tcp: 1 -1 1000 20 3"""
PRESSURE = "some avg10=12.50 avg60=3.00 avg300=1.00 total=123\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0"


def test_the_cpus_are_read_by_state():
    found = readings.parse_cpus(STAT)
    assert found["cpu"]["user"] == 10132153 and found["cpu0"]["softirq"] == 17875
    assert readings.parse_named(STAT, "procs_running") == 3


def test_whole_disks_are_read_and_partitions_are_not():
    found = readings.parse_disks(DISKS, frozenset({"vda"}))
    assert found == {
        "vda": {
            "reads": 5321,
            "read_sectors": 403218,
            "writes": 9102,
            "written_sectors": 901234,
            "busy_ms": 10420,
            "queue_ms": 17231,
        }
    }


def test_interfaces_are_read_with_drops_and_errors():
    found = readings.parse_interfaces(NETWORK)["eth0"]
    assert (found["received_bytes"], found["received_drops"], found["sent_errors"]) == (123456, 2, 3)


def test_segments_that_were_sent_again_are_found():
    assert readings.parse_tcp(TCP)["RetransSegs"] == 20


def test_pressure_is_a_share():
    assert readings.parse_pressure(PRESSURE) == 0.125


@pytest.mark.parametrize(
    "text", [None, "", "cpu", "cpu x y z", "\0\0\0", STAT[:9], DISKS[:20], "Tcp: a b\nTcp: 1", "eth0: 1 2"]
)
def test_damaged_files_give_nothing(text):
    assert readings.parse_cpus(text) == {}
    assert readings.parse_named(text, "procs_running") is None
    assert readings.parse_disks(text, frozenset({"vda"})) == {}
    assert readings.parse_interfaces(text) == {}
    assert readings.parse_tcp(text) == {}
    assert readings.parse_pressure(text) is None
    assert readings.parse_memory(text) == {}


def test_utilisation_is_the_share_of_time_that_was_not_idle():
    before = {"user": 0, "idle": 0, "iowait": 0, "system": 0}
    after = {"user": 60, "idle": 20, "iowait": 10, "system": 10}
    assert busy_share(before, after) == pytest.approx(0.7)
    assert str(busy_share(None, after)).startswith("unknown: ")
    assert str(busy_share(after, after)).startswith("unknown: ")


def test_the_table_tells_use_waiting_and_errors(monkeypatch):
    disk = dict.fromkeys(readings.DISK_FIELDS, 1)
    before = Reading(
        at=10.0,
        cpus={"cpu": {"user": 0, "idle": 0, "iowait": 0}},
        vmstat={"pswpin": 0, "pswpout": 0, "oom_kill": 0},
        disks={"vda": disk},
        tcp={"OutSegs": 0, "RetransSegs": 0, "OutRsts": 0},
        throttled_periods=5,
    )
    after = Reading(
        at=12.0,
        cpus={"cpu": {"user": 95, "idle": 5, "iowait": 0}},
        memory={"MemTotal": 100, "MemAvailable": 5},
        vmstat={"pswpin": 4, "pswpout": 6, "oom_kill": 1},
        disks={"vda": {**disk, "busy_ms": 1001, "queue_ms": 4001}},
        tcp={"OutSegs": 1000, "RetransSegs": 50, "OutRsts": 0},
        pressure={"cpu": 0.5},
        throttled_periods=8,
    )
    rows = {row.resource: row for row in table(before, after).rows}
    assert (rows["CPU"].utilisation, rows["CPU"].saturation, rows["CPU"].errors) == (0.95, 0.5, 3)
    assert rows["CPU"].warning == "the CPUs are full; tasks wait for a CPU; the control group's CPU quota was used up"
    assert (rows["memory"].utilisation, rows["memory"].saturation, rows["memory"].errors) == (0.95, 5.0, 1)
    assert (rows["disk vda"].utilisation, rows["disk vda"].saturation) == (0.5, 2.0)
    assert rows["TCP"].saturation == 0.05 and "loses" in rows["TCP"].warning


def test_what_cannot_be_read_is_unknown_in_the_table():
    rows = {row.resource: row for row in table(Reading(at=0.0), Reading(at=1.0)).rows}
    assert all(
        str(getattr(rows["CPU"], name)).startswith("unknown") for name in ("utilisation", "saturation", "errors")
    )
    assert all(str(getattr(rows["memory"], name)).startswith("unknown") for name in ("utilisation", "saturation"))
    assert "TCP" not in rows
