"""Tables of `nvidia-smi --query-gpu`, written after real ones."""

import gzip

import pytest

from perfproof.core.errors import DocumentError
from perfproof.profile import reading
from perfproof.profile.readers.dmon import recognises as recognised_by_dmon
from perfproof.profile.readers.nvidia_smi_query import read, recognises

TWO = """timestamp, index, name, utilization.gpu [%], memory.used [MiB], power.draw [W], temperature.gpu
2025/03/21 02:06:50.642, 0, NVIDIA A10G, 3 %, 1945 MiB, 38.63 W, 36
2025/03/21 02:06:50.644, 1, NVIDIA A10G, 0 %, 10 MiB, [N/A], 30
2025/03/21 02:06:51.651, 0, NVIDIA A10G, 19 %, 2000 MiB, 40.00 W, 37
2025/03/21 02:06:51.652, 1, NVIDIA A10G, 0 %, 10 MiB, [Not Supported], 30
"""
BARE = "gpu_uuid, power.draw [W]\nGPU-a, 100.5\nGPU-b, 90\nGPU-a, 101.5\n"


def test_each_column_of_each_gpu_is_a_series_with_unit_and_time(write):
    path = write(TWO)
    assert recognises(path, TWO.encode()) and not recognised_by_dmon(path, TWO.encode())
    events = read(path)
    busy, power = events.series["gpu0.utilization.gpu"], events.series["gpu0.power.draw"]
    assert (list(busy.values), busy.unit) == ([3, 19], "%")
    assert (list(power.values), power.unit) == ([38.63, 40.0], "W")
    assert busy.times_ns[1] - busy.times_ns[0] == 1_009_000_000
    assert "not the use of SMs" in events.about["busy"]


def test_what_a_gpu_does_not_have_is_no_reading_and_no_zero(write):
    assert "gpu1.power.draw" not in read(write(TWO)).series


def test_without_times_ticks_are_counted_per_gpu_and_that_is_said(write):
    events = read(write(BARE))
    assert list(events.series["gpu0.power.draw"].times_ns) == [0, 10**9]
    assert list(events.series["gpu1.power.draw"].values) == [90]
    assert "timestamp" in events.unknown["times"]


def test_a_cut_row_and_a_second_heading_do_not_spoil_the_rest(write):
    events = read(write(TWO + TWO + "2025/03/21 02:06"))
    assert list(events.series["gpu0.utilization.gpu"].values) == [3, 19, 3, 19]
    assert "1 rows" in events.warnings[0]


def test_a_heading_alone_is_an_error(write):
    with pytest.raises(DocumentError, match="no readings"):
        read(write(TWO.splitlines()[0] + "\n"))


@pytest.mark.parametrize("text", ["timestamp, value\n1, 2\n", "name,power\nx,1\n", "a.b, c.d\n1, 2\n", "\n"])
def test_other_tables_are_not_taken(write, text):
    assert not recognises(write(text), text.encode())


def test_it_is_found_among_all_readers_packed_too(tmp_path):
    path = tmp_path / "gpu.csv.gz"
    path.write_bytes(gzip.compress(TWO.encode()))
    assert reading.read(path).source == "nvidia smi query"
