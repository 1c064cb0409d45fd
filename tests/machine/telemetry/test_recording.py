"""Telemetry files read back: whole, growing, torn and broken."""

import gzip

import pytest

from perfproof.core.errors import DocumentError
from perfproof.machine.telemetry import recording
from perfproof.machine.telemetry.recording import Recording, read
from tests.machine.telemetry.conftest import START


def test_rows_become_series_with_absolute_times(telemetry_file):
    telemetry = read(telemetry_file([0, 0, 1980, 1, 10.0], [1, 20, 3.5], [0, 50_000, 1965, 4, 20.0]))
    clock = telemetry.series["gpu0.sm_mhz"]
    assert list(clock.times_ns) == [START, START + 50_000_000]
    assert list(clock.values) == [1980, 1965]
    assert list(telemetry.series["host.cpu_seconds"].values) == [3.5]
    assert telemetry.sources == ["gpu0", "host"]
    assert telemetry.span_ns == (START, START + 50_000_000)


def test_a_value_that_could_not_be_read_is_absent_not_zero(telemetry_file):
    telemetry = read(telemetry_file([0, 0, None, 1, 10.0], [0, 50_000, 1965, 1, 20.0]))
    assert list(telemetry.series["gpu0.sm_mhz"].values) == [1965]
    assert len(telemetry.series["gpu0.energy_joules"].values) == 2


def test_a_line_that_was_not_finished_is_left_out(telemetry_file):
    telemetry = read(telemetry_file([0, 0, 1980, 1, 10.0], tail="[0,50000,19"))
    assert list(telemetry.series["gpu0.sm_mhz"].values) == [1980]


def test_a_growing_file_is_read_on_from_where_it_was(telemetry_file):
    path = telemetry_file([0, 0, 1980, 1, 10.0], tail="[0,50000,1965,")
    recording = Recording(path)
    assert len(recording.update().series["gpu0.sm_mhz"].values) == 1
    with path.open("a") as file:
        file.write("1,20.0]\n")
    assert list(recording.update().series["gpu0.sm_mhz"].values) == [1980, 1965]
    assert len(recording.update().series["gpu0.sm_mhz"].values) == 2


def test_a_packed_file_reads_the_same(telemetry_file, tmp_path):
    path = telemetry_file([0, 0, 1980, 1, 10.0])
    packed = tmp_path / "telemetry.jsonl.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert read(packed).series == read(path).series


def test_a_packed_file_is_read_on_too(telemetry_file, tmp_path):
    path = tmp_path / "telemetry.jsonl.gz"
    path.write_bytes(gzip.compress(telemetry_file([0, 0, 1980, 1, 10.0]).read_bytes()))
    recorded = Recording(path)
    assert len(recorded.update().series["gpu0.sm_mhz"].values) == 1
    with path.open("ab") as file:
        file.write(gzip.compress(b"[0,50000,1965,1,20.0]\n"))
    assert list(recorded.update().series["gpu0.sm_mhz"].values) == [1980, 1965]


@pytest.mark.parametrize("name", ["telemetry.jsonl", "telemetry.jsonl.gz"])
def test_a_line_without_end_is_refused(telemetry_file, tmp_path, monkeypatch, name):
    monkeypatch.setattr(recording, "LONGEST_LINE", 2**20)
    content = telemetry_file([0, 0, 1980, 1, 10.0], tail="[" * 2**21).read_bytes()
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    with pytest.raises(DocumentError, match=rf"{name}, line 3: not telemetry: longer than 1 MiB"):
        read(tmp_path / name)


def test_a_packed_file_that_grows_beyond_the_limit_is_refused(telemetry_file, tmp_path, monkeypatch):
    monkeypatch.setattr(recording, "LARGEST_UNPACKED", 2**16)
    path = telemetry_file(tail="[1,20,3.5]\n" * 10_000)
    packed = tmp_path / "telemetry.jsonl.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    with pytest.raises(DocumentError, match=r"holds more than 0\.0625 MiB; if it is telemetry, unpack it with gunzip"):
        read(packed)
    assert len(read(path).series["host.cpu_seconds"].values) == 10_000


@pytest.mark.parametrize(
    ("row", "what"),
    [
        ({"a": 1}, "line 2: not telemetry: a row is a list"),
        ([7, 0, 1.0], "line 2: not telemetry"),
        ([-1, 0, 1.0], "line 2: not telemetry"),
        ([0, 0, 1.0], "has 3 values, not 1"),
        ([1, 0, "fast"], "line 2: not telemetry"),
        ([1], "line 2: not telemetry"),
    ],
)
def test_a_row_that_does_not_fit_is_refused_with_its_line(telemetry_file, row, what):
    with pytest.raises(DocumentError, match="not telemetry") as refused:
        read(telemetry_file(row))
    assert what in str(refused.value)


def test_a_newer_file_is_refused_by_version(telemetry_file):
    with pytest.raises(DocumentError, match="schema version 2, this one reads up to 1"):
        read(telemetry_file(schema_version=2))


@pytest.mark.parametrize("content", [b"", b'{"schema_ver'])
def test_a_file_without_a_header_holds_no_telemetry(tmp_path, content):
    (tmp_path / "x.jsonl").write_bytes(content)
    with pytest.raises(DocumentError, match="holds no telemetry"):
        read(tmp_path / "x.jsonl")


@pytest.mark.parametrize("name", ["absent.jsonl", "torn.jsonl.gz", "other.jsonl"])
def test_what_is_no_telemetry_file_is_refused(tmp_path, name):
    (tmp_path / "torn.jsonl.gz").write_bytes(gzip.compress(b"x" * 1000)[:20])
    (tmp_path / "other.jsonl").write_text('["a", "list"]\n')
    with pytest.raises(DocumentError, match=name):
        read(tmp_path / name)


def test_a_counter_is_shown_as_its_rate(telemetry_file):
    telemetry = read(telemetry_file([1, 0, 10.0], [1, 200_000, 10.3], [1, 400_000, 10.5]))
    rate = telemetry.gauges(*telemetry.span_ns)["host.cpus_in_use"]
    assert list(rate.values) == pytest.approx([1.5, 1.0])
    assert rate.column.unit == "CPUs"


def test_a_rate_is_taken_over_a_fifth_of_a_second(telemetry_file):
    rows = [[1, 50_000 * tick, 10.0 + 0.01 * tick] for tick in range(9)]
    rate = read(telemetry_file(*rows)).series["host.cpu_seconds"].rates()
    assert list(rate.values) == pytest.approx([0.2, 0.2])


def test_a_counter_that_was_reset_gives_no_rate_for_that_stretch(telemetry_file):
    telemetry = read(telemetry_file([1, 0, 10.0], [1, 200_000, 1.0], [1, 400_000, 1.1]))
    assert list(telemetry.series["host.cpu_seconds"].rates().values) == pytest.approx([0.5])
