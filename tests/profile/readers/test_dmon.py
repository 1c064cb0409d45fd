"""What nvidia-smi dmon prints, written after its documentation."""

import contextlib
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfproof.core.errors import DocumentError
from perfproof.profile.readers.dmon import read, recognises

PLAIN = """# gpu    pwr  gtemp  mtemp     sm    mem
# Idx      W      C      C      %      %
    0    351     61      -     98     40
    1     72     35      -      0      0
    0    349     62      -     97     41
    1     73     35      -      0      0
"""
DATED = """#Date       Time        gpu    pwr  gtemp
#YYYYMMDD   HH:MM:SS    Idx      W      C
 20261115   09:00:01      0    351     61
 20261115   09:00:02      0    349      -
"""
CSV = "#Date, Time, gpu, pwr\n#YYYYMMDD, HH:MM:SS, Idx, W\n20261115, 09:00:01, 3, 351\n"


def test_each_column_of_each_gpu_is_a_series_with_its_unit(write):
    events = read(write(PLAIN))
    power = events.series["gpu0.pwr"]
    assert (list(power.values), power.unit, list(power.times_ns)) == ([351, 349], "W", [0, 10**9])
    assert list(events.series["gpu1.gtemp"].values) == [35, 35]
    assert "without -o DT" in events.unknown["times"]
    assert "not the use of the SMs" in events.about["busy"]


def test_a_dash_is_no_reading_and_not_zero(write):
    events = read(write(PLAIN))
    assert not any("mtemp" in name for name in events.series)
    assert list(read(write(DATED)).series["gpu0.gtemp"].values) == [61]


def test_dates_are_times_and_their_zone_is_not_known(write):
    events = read(write(DATED))
    first, second = events.series["gpu0.pwr"].times_ns
    assert second - first == 10**9 and first == 1_794_733_201 * 10**9
    assert "zone is not told" in events.about["clock"] and "times" not in events.unknown


def test_the_csv_form_reads_the_same(write):
    assert list(read(write(CSV)).series["gpu3.pwr"].values) == [351]


def test_headings_are_repeated_on_long_runs(write):
    assert len(read(write(PLAIN + PLAIN)).series["gpu0.pwr"].values) == 4


def test_rows_that_are_not_whole_are_left_out_and_said(write):
    events = read(write(DATED + " 20261115   09:00:03      0\n 20269999   09:00:03      0    1    1\n"))
    assert len(events.series["gpu0.pwr"].values) == 2
    assert events.warnings == ["2 rows could not be read and were left out"]


@pytest.mark.parametrize("content", [PLAIN[: PLAIN.index("    0")], "", "# gpu pwr sm\n", "hello"])
def test_headings_without_readings_are_refused(write, content):
    with pytest.raises(DocumentError, match="no readings"):
        read(write(content))


def test_it_is_recognised_by_its_headings():
    for text in (PLAIN, DATED, CSV):
        assert recognises(Path("x"), text.encode())
    assert not recognises(Path("x"), b"# a comment about my gpu\n# and more\n") and not recognises(Path("x"), b"")


@given(st.text(alphabet="# \n-0123456789gpuw,:", max_size=80))
def test_no_text_crashes_the_reader(text):
    with tempfile.NamedTemporaryFile("w") as file, contextlib.suppress(DocumentError):
        file.write(DATED + text)
        file.flush()
        read(Path(file.name))
