"""Samples of perf, recorded here."""

import contextlib
import gzip
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfproof.core.errors import DocumentError
from perfproof.core.events import ABSENT, Kind
from perfproof.profile.readers import perf_script
from perfproof.profile.readers.perf_script import read, recognises
from tests.profile.readers.conftest import RECORDED

SCRIPT = RECORDED / "perf_script.txt"


def test_a_sample_has_its_moment_its_thread_and_its_stack():
    events = read(SCRIPT)
    samples = list(events.rows(Kind.SAMPLE))
    assert len(samples) == SCRIPT.read_text().count("cpu-clock:pppH")
    last = samples[-1]
    assert (last.thread, last.process, last.start_ns) == (30827, ABSENT, 18_208_304_057_000)
    assert last.args["stack"][:3] == ["python3", "[unknown]", "PyUnicode_FromWideChar"]
    assert last.args["stack"][-1] == last.name == "next_uptodate_folio"
    assert sum(total.values["samples"] for total in events.totals) == len(samples)
    assert events.warnings == []


def test_both_ids_a_core_and_a_name_with_blanks(write):
    text = "my prog 12/34 [001] 1.000001:  5 cycles:u: \n\t  4a operator()(int) const+0x1 (/lib/a b.so (deleted))\n\n"
    events = read(write(text + "x 7 2.5000000: faults:\n"))
    first, second = events.rows()
    assert (first.process, first.thread, first.start_ns) == (12, 34, 1_000_001_000)
    assert first.args == {"stack": ["my prog", "operator()(int) const"], "event": "cycles:u"}
    assert (second.name, second.start_ns) == ("x", 2_500_000_000)


def test_strange_lines_are_counted_with_the_first(write):
    events = read(write("x 7 2.500000: faults:\n\nwhat is this\n"))
    assert events.warnings == ["1 lines are of no known form and were left out, the first is 3"]


@pytest.mark.parametrize("content", ["", "hello\n", "# header\n", "\t 4a main (a)\n"])
def test_a_file_without_samples_is_refused(write, content):
    with pytest.raises(DocumentError, match="holds no sample"):
        read(write(content))


def test_a_packed_line_without_end_is_refused(write):
    with pytest.raises(DocumentError, match="line 2: longer than 4 MiB"):
        read(write(gzip.compress(b"x 7 2.500000: faults:\n" + b"y" * 5 * 2**20)))


def test_a_text_beyond_its_limit_is_refused(write, monkeypatch):
    monkeypatch.setattr(perf_script, "LARGEST", 2**16)
    with pytest.raises(DocumentError, match=r"larger than 0\.0625 MiB"):
        read(write(gzip.compress(b"x 7 2.500000: faults:\n" * 6_000)))


def test_a_sample_of_endless_frames_is_refused(write, monkeypatch):
    monkeypatch.setattr(perf_script, "MOST_FRAMES", 3)
    text = "x 7 2.500000: faults:\n" + "\t 4a main (a)\n" * 3
    assert len(read(write(text)).totals[0].path) == 4
    with pytest.raises(DocumentError, match="line 5: a sample of more than 3 frames"):
        read(write(text + "\t 4a main (a)\n"))


def test_it_is_recognised_by_its_first_sample():
    assert recognises(SCRIPT, SCRIPT.read_bytes()) and recognises(SCRIPT, b"# ====\n#\n" + SCRIPT.read_bytes())
    assert not recognises(SCRIPT, b"") and not recognises(SCRIPT, b"a;b 5\n")


@given(st.text(alphabet="x 0123456789.:/[]()\n\tab", max_size=80))
def test_no_text_crashes_the_reader(text):
    with tempfile.NamedTemporaryFile("w") as file, contextlib.suppress(DocumentError):
        file.write("x 7 2.500000: faults:\n" + text)
        file.flush()
        read(Path(file.name))


def test_samples_of_several_events_are_kept_apart(write):
    one = "app 7/7 1.000000: 1 {}: \n\t  1f inner (a)\n\t  2f outer (a)\n\n"
    events = read(write(one.format("cycles") * 2 + one.format("page-faults")))
    assert {total.path: total.values["samples"] for total in events.totals} == {
        ("cycles", "app", "outer", "inner"): 2.0,
        ("page-faults", "app", "outer", "inner"): 1.0,
    }
    assert events.about["samples"] == {"cycles": 2, "page-faults": 1}
