"""Pages of ncu with one row per metric: the CSV of `--metrics`, and the text that people paste."""

import gzip

import pytest

from perfproof.core.errors import DocumentError
from perfproof.profile.ncu.csv import parse, read_file
from perfproof.profile.ncu.pages import metric_of

HEAD = (
    '"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device",'
    '"CC","Section Name","Metric Name","Metric Unit","Metric Value"\n'
)
ROW = '"{id}","7","a.out","127.0.0.1","{name}","1","7","(256, 1, 1)","(64, 1, 1)","0","8.0","{section}","{metric}"\n'
TIME, BYTES = "gpu__time_duration.sum", "dram__bytes.sum"
TEXT = """\
==PROF== Connected to process 4711 (a.out)
[4711] a.out@127.0.0.1
  void add<float>(float *, int) (64, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 8.9
    Section: GPU Speed Of Light Throughput
    ----------------------- ----------- ------------
    Metric Name             Metric Unit Metric Value
    ----------------------- ----------- ------------
    DRAM Frequency                  Ghz        10.24
    Elapsed Cycles                cycle    1,190,245
    Memory Throughput                 %         9.97
    Duration                         us       456.10
    Compute (SM) Throughput           %         5.60
    ----------------------- ----------- ------------

    OPT   This kernel grid is too small to fill the available resources on this device. Look at Launch
          Statistics for more details.

    Section: Launch Statistics
    -------------------------------- --------------- ---------------
    Metric Name                          Metric Unit    Metric Value
    -------------------------------- --------------- ---------------
    Block Size                                                   256
    Registers Per Thread             register/thread              34
    -------------------------------- --------------- ---------------

  scale(float *) (1, 1, 1)x(32, 1, 1), Context 1, Stream 7, Device 0, CC 8.9
    Section: Command line profiler metrics
    ---------------------- ----------- ------------
    Metric Name            Metric Unit Metric Value
    ---------------------- ----------- ------------
    gpu__time_duration.sum          ns        1,536
    ---------------------- ----------- ------------

"""


def row(number, metric, unit, value, name="add", section="Command line profiler metrics"):
    start = ROW.format(id=number, name=name, section=section, metric=metric).rstrip("\n")
    return f'{start},"{unit}","{value}"\n'


def test_rows_of_one_kernel_are_one_kernel_and_each_keeps_its_own_units():
    text = HEAD + row(0, TIME, "usecond", "12.5") + row(0, BYTES, "Mbyte", "3.2")
    text += row(1, TIME, "msecond", "1.5") + row(1, BYTES, "Kbyte", "64.0")
    first, second = parse(text, "x.csv").kernels
    assert first.get(TIME, "time").value == pytest.approx(12.5e-6)
    assert first.get(BYTES, "byte").value == pytest.approx(3.2e6)
    assert second.get(TIME, "time").value == pytest.approx(1.5e-3)
    assert second.get(BYTES, "byte").value == pytest.approx(64e3)


def test_two_launches_of_one_name_stay_two():
    text = HEAD + "".join(row(number, TIME, "ns", "1000") for number in range(3))
    assert len(parse(text, "x.csv").kernels) == 3


def test_a_word_with_two_meanings_is_told_by_its_unit_and_an_unknown_one_is_left_out():
    assert metric_of("Memory Throughput", "%").startswith("gpu__compute_memory")
    assert metric_of("Memory Throughput", "Gbyte/second") == "dram__bytes.sum.per_second"
    assert metric_of("Memory Throughput", "Gbyte/s") == "dram__bytes.sum.per_second"
    assert metric_of("Max Bandwidth", "%") == "" and metric_of("Duration", "%") == ""


def test_rows_of_rules_are_no_metrics():
    text = HEAD + row(0, TIME, "ns", "1000") + row(0, "", "", "", section="Occupancy")
    (kernel,) = parse(text, "x.csv").kernels
    assert set(kernel.readings) == {TIME}


def test_the_text_page_is_read_with_kernel_launch_shape_and_metrics():
    first, second = parse(TEXT, "ncu.txt").kernels
    assert (first.name, first.grid, first.block, first.capability) == (
        "void add<float>(float *, int)",
        "(64, 1, 1)",
        "(256, 1, 1)",
        "8.9",
    )
    assert first.get(TIME, "time").value == pytest.approx(456.10e-6)
    assert first.get("sm__throughput.avg.pct_of_peak_sustained_elapsed", "share").value == pytest.approx(0.056)
    assert second.get(TIME, "time").value == pytest.approx(1.536e-6)


def test_a_text_page_that_is_cut_off_gives_what_it_has():
    (kernel,) = parse(TEXT[: TEXT.index("    Compute (SM)")], "ncu.txt").kernels
    assert kernel.get(TIME, "time").value and "sm__throughput.avg.pct_of_peak_sustained_elapsed" not in kernel.readings


@pytest.mark.parametrize("text", [HEAD, TEXT[: TEXT.index("    Section")], TEXT.replace("CC 8.9", "")])
def test_a_page_without_a_whole_kernel_is_an_error(text):
    with pytest.raises(DocumentError):
        parse(text, "x")


def test_a_page_may_be_packed(tmp_path):
    path = tmp_path / "kernels.csv.gz"
    path.write_bytes(gzip.compress((HEAD + row(0, TIME, "ns", "1000")).encode()))
    assert len(read_file(path).kernels) == 1
