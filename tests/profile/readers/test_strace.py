"""The table of `strace -c -f`, as strace 6 wrote it here, shortened."""

import pytest

from perfproof.core.errors import DocumentError
from perfproof.profile import reading
from perfproof.profile.readers.strace import read

TABLE = """% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 80.15    0.049525         619        80        40 wait4
  2.54    0.001567          39        40           clone
------ ----------- ----------- --------- --------- ----------------
100.00    0.051092         425       120        40 total
"""


def test_calls_have_their_number_time_and_errors(write):
    events = reading.read(write(TABLE))
    first, second = events.totals
    assert first.path == ("wait4",) and first.values == {"time_ns": pytest.approx(49525e3), "count": 80, "errors": 40}
    assert second.values["errors"] == 0 and events.warnings == []


def test_a_cut_table_is_read_and_said_to_be_cut(write):
    assert "cut or damaged" in read(write(TABLE[: TABLE.index("100.00")])).warnings[0]
    wrong = TABLE.replace("120        40 total", "130        40 total")
    assert "130 calls and lists 120" in read(write(wrong)).warnings[0]


def test_a_heading_alone_is_an_error(write):
    with pytest.raises(DocumentError, match="no call under it"):
        read(write(TABLE.splitlines()[0] + "\n"))
