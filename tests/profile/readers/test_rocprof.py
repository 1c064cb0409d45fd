"""CSV of rocprof and rocprofv3, written after real files."""

import pytest

from perfproof.core.errors import DocumentError
from perfproof.core.events import Kind
from perfproof.diagnose.evidence import gather
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


COUNTED = """"Correlation_Id","Dispatch_Id","Agent_Id","Queue_Id","Process_Id","Thread_Id","Kernel_Name",\
"Counter_Name","Counter_Value","Start_Timestamp","End_Timestamp"
1,1,"Agent 5",1,20,20,"hot","SQ_INSTS_LDS",10,1000,1100
1,1,"Agent 5",1,20,20,"hot","LDSBankConflict",2,1000,1100
2,2,"Agent 5",1,20,20,"hot","SQ_INSTS_LDS",30,2000,2200
2,2,"Agent 5",1,20,20,"hot","LDSBankConflict",,2000,2200
"""
COPIES = """"Kind","Direction","Source_Agent_Id","Destination_Agent_Id","Correlation_Id",\
"Start_Timestamp","End_Timestamp"
"MEMORY_COPY","HOST_TO_DEVICE",0,1,0,14955949675563,14955950239443
"MEMORY_COPY","MEMORY_COPY_DEVICE_TO_HOST","Agent 1","Agent 0",0,14955952733485,14955953315285
"""
CALLS = """"Domain","Function","Process_Id","Thread_Id","Correlation_Id","Start_Timestamp","End_Timestamp"
"HIP_RUNTIME_API","hipLaunchKernel",70,71,14,900,950
"MARKER_CORE_RANGE_API","step",70,71,1,800,4100
"""


def test_a_kernel_with_several_counters_counts_once(write):
    events = read(write(COUNTED))
    assert [(row.name, row.duration_ns) for row in events.rows(Kind.KERNEL)] == [("hot", 100), ("hot", 200)]
    counters = {one.path: one.values["value"] for one in events.totals}
    assert counters == {("hot", "SQ_INSTS_LDS"): 20.0}
    assert "LDSBankConflict" in events.unknown["hot LDSBankConflict"]


def test_copies_are_named_by_direction_and_belong_to_the_gpu(write):
    rows = list(reading.read(write(COPIES)).rows(Kind.COPY))
    assert [(row.name, row.device) for row in rows] == [("Memcpy HtoD", 1), ("Memcpy DtoH", 1)]


def test_calls_and_markers_are_told_apart(write):
    events = reading.read(write(CALLS))
    assert [row.name for row in events.rows(Kind.RUNTIME)] == ["hipLaunchKernel"]
    assert [row.name for row in events.rows(Kind.RANGE)] == ["step"]


def test_the_files_of_one_run_are_one_trace(tmp_path):
    for name, text in (("55_kernel_trace", V3), ("55_hip_api_trace", CALLS), ("55_memory_copy_trace", COPIES)):
        (tmp_path / f"{name}.csv").write_text(text)
    (tmp_path / "56_kernel_trace.csv").write_text(V3)
    evidence = gather([tmp_path])
    assert [len(one.events) for one in evidence.traces] == [6, 2]
