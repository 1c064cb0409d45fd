"""Our own telemetry, recorded by the sampler on this machine."""

import json
import time

import pytest

from perfproof.core.errors import DocumentError
from perfproof.machine.sampler import Sampler
from perfproof.profile.readers.telemetry import read, recognises


@pytest.fixture(scope="module")
def telemetry(tmp_path_factory):
    path = tmp_path_factory.mktemp("telemetry") / "telemetry.jsonl"
    with Sampler(path, hz=50) as sampler:
        assert sampler.wait_ready(120), sampler.why
        time.sleep(0.6)
    return path


def test_what_the_sampler_wrote_are_series_and_rates(telemetry):
    events = read(telemetry)
    assert events.series["host.cpu_seconds"].unit == "s" and events.series["host.cpus_in_use"].unit == "CPUs"
    times = events.series["host.cpu_seconds"].times_ns
    assert list(times) == sorted(times) and len(times) > 1
    assert events.about["hz"] == 50 and len(events) == 0


def test_it_is_recognised_by_its_header(telemetry, tmp_path):
    content = telemetry.read_bytes()
    assert recognises(telemetry, content[:65536])
    assert not recognises(telemetry, b'{"schema_version": 1}\n') and not recognises(telemetry, b"[0,1,2]\n")


@pytest.mark.parametrize("row", [[0, 10**40], "text", [99, 0], {"a": 1}])
def test_a_row_that_no_sampler_writes_is_refused(telemetry, tmp_path, row):
    path = tmp_path / "broken.jsonl"
    header = telemetry.read_bytes().partition(b"\n")[0]
    columns = len(json.loads(header)["groups"][0]["columns"])
    if isinstance(row, list) and row[0] == 0:
        row = [*row, *[1] * columns]
    path.write_bytes(header + b"\n" + json.dumps(row).encode() + b"\n")
    with pytest.raises(DocumentError, match="not telemetry"):
        read(path)


def test_a_header_alone_that_is_cut_off_is_refused(telemetry, tmp_path):
    path = tmp_path / "cut.jsonl"
    path.write_bytes(telemetry.read_bytes()[:100])
    with pytest.raises(DocumentError, match="holds no telemetry"):
        read(path)
