"""Memory snapshots, written after torch's documentation of their fields; and pickles that want to run something."""

import contextlib
import os
import pickle
import resource
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfproof.core.errors import DocumentError
from perfproof.core.events import Kind
from perfproof.profile.readers.memory_snapshot import read, recognises

MB = 2**20
FRAMES = [{"name": "", "filename": "??", "line": 0}, {"name": "forward", "filename": "model.py", "line": 7}]


def block(size, state, requested=None):
    return {"size": size, "requested_size": size if requested is None else requested, "state": state, "frames": []}


def entry(action, address, size, time, **more):
    return {"action": action, "addr": address, "size": size, "stream": 0, "time_us": time, "frames": FRAMES, **more}


USED = block(10 * MB, "active_allocated", 10 * MB - 100)
SNAPSHOT = {
    "segments": [
        {
            "device": 0, "address": 4096, "total_size": 20 * MB, "allocated_size": 10 * MB, "active_size": 10 * MB,
            "segment_type": "large",
            "blocks": [USED, block(2 * MB, "inactive"), block(8 * MB, "inactive")],
        }
    ],
    "device_traces": [
        [
            entry("segment_alloc", 4096, 20 * MB, 100),
            entry("alloc", 4096, 10 * MB, 101),
            entry("alloc", 8192, MB, 102),
            entry("free_requested", 8192, MB, 110),
            entry("free_completed", 8192, MB, 112),
            entry("free_completed", 777, MB, 113),
            entry("oom", 0, 90 * MB, 120),
        ],
        [],
    ],
    "allocator_settings": {"expandable_segments": False},
}  # fmt: skip


def test_an_allocation_lasts_from_its_birth_to_its_release(write):
    events = read(write(pickle.dumps(SNAPSHOT)))
    freed, kept = events.rows(Kind.ALLOCATION)
    assert (freed.start_ns, freed.end_ns, freed.bytes, freed.device) == (102_000, 112_000, MB, 0)
    assert freed.args == {"memory": "gpu0", "stack": ["forward (model.py:7)"]}
    assert (kept.start_ns, kept.end_ns, kept.args["released"]) == (101_000, 120_000, False)
    assert list(events.series["gpu0.allocated_since_start_bytes"].values) == [10 * MB, 11 * MB, 10 * MB]
    assert [row.name for row in events.rows(Kind.MARK)] == ["segment_alloc", "free_requested", "oom"]


def test_fragmentation_and_rounding_are_summed_by_device(write):
    (total,) = read(write(pickle.dumps(SNAPSHOT))).totals
    assert total.device == 0
    assert total.values["reserved_bytes"] == 20 * MB and total.values["free_bytes"] == 10 * MB
    assert total.values["fragmentation"] == pytest.approx(0.2) and total.values["rounding_bytes"] == 100


def test_without_free_memory_there_is_no_fragmentation_and_without_history_it_is_said(write):
    content = {"segments": [{"device": 0, "total_size": MB, "blocks": [block(MB, "active_allocated")]}]}
    events = read(write(pickle.dumps(content)))
    assert "fragmentation" not in events.totals[0].values
    assert "no history" in events.unknown["allocations"]


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_every_protocol_of_pickle_is_read(write, protocol):
    assert len(read(write(pickle.dumps(SNAPSHOT, protocol=protocol), "m.pickle")))


class Attack:
    """A pickle that makes a file when it is loaded."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.system, (f"touch {self.path}",)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_that_runs_code_is_refused_and_nothing_is_run(write, tmp_path, protocol):
    proof = tmp_path / "run"
    content = pickle.dumps({**SNAPSHOT, "more": Attack(proof)}, protocol=protocol)
    with pytest.raises(DocumentError, match=r"asks for posix.system, which no snapshot needs; nothing of it was run"):
        read(write(content, "m.pickle"))
    assert not proof.exists()
    pickle.loads(content)  # the attack is a real one
    assert proof.exists()


@pytest.mark.parametrize(
    "content",
    [
        b"cbuiltins\neval\n(S'1'\ntR.",
        b"\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00\x8c\x08builtins\x8c\x04exec\x93.",
        b"(ibuiltins\nprint\n.",
        b"\x80\x02\x82\x01.",  # an extension code
        b"Psome-object\n.",  # an object outside of the file
    ],
)
def test_other_ways_to_name_code_are_refused_too(write, content):
    with pytest.raises(DocumentError):
        read(write(content, "m.pickle"))


@pytest.mark.parametrize("content", [b"\x80\x04N\x8d\xff\xff\xff\xff\x7f\0\0\0x.", b"\x80\x04}r\xff\xff\xff\x6f."])
def test_a_few_bytes_that_claim_gigabytes_are_refused(write, content):
    before = resource.getrlimit(resource.RLIMIT_AS)
    with pytest.raises(DocumentError, match=r"damaged|cannot be read"):
        read(write(content, "m.pickle"))
    assert resource.getrlimit(resource.RLIMIT_AS) == before


@pytest.mark.parametrize("value", [[], {}, {"segments": 5}, "text", None, 7])
def test_another_pickle_is_no_snapshot(write, value):
    with pytest.raises(DocumentError, match="no segments"):
        read(write(pickle.dumps(value)))


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
def test_a_snapshot_that_was_cut_off_is_refused(write, share):
    content = pickle.dumps(SNAPSHOT)
    with pytest.raises(DocumentError):
        read(write(content[: int(len(content) * share)], "m.pickle"))


def test_one_list_named_many_times_is_refused(write):
    many = [entry("alloc", 1, 1, 1)] * 30_000
    with pytest.raises(DocumentError, match="claims more than"):
        read(write(pickle.dumps({"segments": [], "device_traces": [many] * 1000})))


def test_it_is_recognised_as_a_pickle():
    assert recognises(Path("m.pickle"), b"(dp0") and recognises(Path("x"), b"\x80\x04\x95")
    assert not recognises(Path("x"), b"\x80\x99")


ODD = st.none() | st.integers() | st.text(max_size=3) | st.lists(st.integers(), max_size=2)
KEYS = st.sampled_from(["action", "addr", "size", "time_us", "frames", "blocks", "state", "device", "total_size"])
ENTRY = st.dictionaries(KEYS, ODD | st.sampled_from(["alloc", "free_completed", "oom", "inactive"])) | ODD


@settings(max_examples=150, deadline=None)
@given(st.lists(ENTRY, max_size=4), st.lists(st.lists(ENTRY, max_size=4) | ODD, max_size=3))
def test_no_content_crashes_the_reader(segments, traces):
    content = {"segments": [{"device": 0, "blocks": segments}, *segments], "device_traces": traces}
    with tempfile.NamedTemporaryFile() as file, contextlib.suppress(DocumentError):
        file.write(pickle.dumps(content))
        file.flush()
        read(Path(file.name))


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=60))
def test_no_bytes_crash_the_reader(content):
    with tempfile.NamedTemporaryFile() as file, contextlib.suppress(DocumentError):
        file.write(b"\x80\x04" + content)
        file.flush()
        read(Path(file.name))
