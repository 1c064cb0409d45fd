"""CSV of rocprof and rocprofv3, written after real files."""

import pytest

from perfproof.core.errors import DocumentError
from perfproof.core.events import Kind
from perfproof.profile import reading
from perfproof.profile.readers.rocprof import read

V3 = """"Kind","Agent_Id","Queue_Id","Stream_Id","Thread_Id","Dispatch_Id","Kernel_Id","Kernel_Name","Correlation_Id",\
"Start_Timestamp","End_Timestamp","LDS_Block_Size"
"KERNEL_DISPATCH","Agent 4",1,0,70,1,33,"void add<float, 4>(float*, int)",14,1000,4000,0
"KERNEL_DISPATCH","Agent 4",2,0,70,2,16,"scale",15,5000,5500,0
"""
V1 = """"Index","KernelName","gpu-id","queue-id","queue-index","pid","tid","grd","wgr","DispatchNs","BeginNs","EndNs"
0,"axpy(float*, float*) [clone .kd]",0,1,0,55,56,1024,64,90,100,350
1,"axpy.kd",1,1,0,55,56,1024,64,90,400,390
"""
SUMS = """"Name","Calls","TotalDurationNs","AverageNs","Percentage"
"NormKernel2(int, double const*, double*)",1001,3754094,3750.34,0.29
"""


def test_kernels_of_the_third_version_have_times_queue_device_and_thread(write):
    events = reading.read(write(V3))
    first, second = events.rows(Kind.KERNEL)
    assert (first.name, first.start_ns, first.end_ns) == ("void add<float, 4>(float*, int)", 1000, 4000)
    assert (first.device, first.stream, first.thread, first.correlation) == (4, 1, 70, 14)
    assert (second.name, second.stream) == ("scale", 2)


def test_the_first_version_is_read_and_a_row_that_ends_before_it_begins_is_left_out(write):
    events = read(write(V1))
    (kernel,) = events.rows(Kind.KERNEL)
    assert (kernel.start_ns, kernel.end_ns, kernel.process) == (100, 350, 55)
    assert "1 rows" in events.warnings[0]


def test_sums_are_totals_without_a_timeline(write):
    events = reading.read(write(SUMS))
    (total,) = events.totals
    assert total.values == {"time_ns": 3754094.0, "count": 1001.0} and "timeline" in events.unknown


@pytest.mark.parametrize("text", [V3.splitlines()[0] + "\n", V3[: V3.index("Agent 4")]])
def test_a_heading_without_a_kernel_is_an_error(write, text):
    with pytest.raises(DocumentError):
        read(write(text))
