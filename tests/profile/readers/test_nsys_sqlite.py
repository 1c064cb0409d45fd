"""Exports of nsys, written after the documentation of its SQLite schema: no nsys and no GPU here to make one."""

import contextlib
import sqlite3
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfproof.core.errors import DocumentError
from perfproof.core.events import ABSENT, Kind
from perfproof.profile.breakdown import devices, idle
from perfproof.profile.readers.nsys_sqlite import read, recognises
from perfproof.profile.reading import read_each

THREAD = (77 << 24) | 78  # thread 78 of process 77
NAMED = "id INTEGER, name TEXT, label TEXT"
WORK = "start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER"
TABLES = {
    "StringIds": (
        "id INTEGER, value TEXT",
        [(1, "void gemm<float>(float*)"), (2, "gemm"), (3, "cudaLaunchKernel_v7000"), (4, "epoch")],
    ),
    "ENUM_CUDA_MEMCPY_OPER": (NAMED, [(11, "CUDA_MEMCPY_KIND_HTOD", "Host-to-Device")]),
    "ENUM_CUDA_MEM_KIND": (NAMED, [(20, "PAGEABLE", "Pageable"), (22, "DEVICE", "Device")]),
    "ENUM_CUPTI_SYNC_TYPE": (NAMED, [(5, "STREAM", "Stream sync")]),
    "ENUM_NSYS_EVENT_TYPE": (NAMED, [(34, "NvtxMark", "NVTX Mark"), (59, "NvtxPushPopRange", "NVTX Push/Pop Range")]),
    "CUPTI_ACTIVITY_KIND_KERNEL": (
        f"{WORK}, demangledName INTEGER, shortName INTEGER, gridX INTEGER, registersPerThread INTEGER",
        [(1000, 2000, 0, 7, 5, 77 << 24, 1, 2, 132, 64)],
    ),
    "CUPTI_ACTIVITY_KIND_MEMCPY": (
        f"{WORK}, bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER",
        [(3000, 3500, 0, 7, 6, 77 << 24, 4096, 11, 20, 22)],
    ),
    "CUPTI_ACTIVITY_KIND_RUNTIME": (
        "start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER, returnValue INTEGER",
        [(100, 200, THREAD, 5, 3, 0), (2500, 2600, THREAD, 6, 99, 0)],
    ),
    "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION": (
        "start INTEGER, end INTEGER, deviceId INTEGER, syncType INTEGER",
        [(10, 20, 0, 5)],
    ),
    "NVTX_EVENTS": (
        "start INTEGER, end INTEGER, eventType INTEGER, text TEXT, textId INTEGER, globalTid INTEGER",
        [
            (0, 5000, 59, "step", None, THREAD),
            (1, 4000, 59, None, 4, THREAD),
            (7, None, 34, "here", None, THREAD),
            (0, None, 75, "a domain", None, THREAD),
        ],
    ),
    "GPU_METRICS": ("timestamp INTEGER, typeId INTEGER, metricId INTEGER, value INTEGER", [(1500, 9, 1, 63)]),
    "TARGET_INFO_GPU_METRICS": ("typeId INTEGER, metricId INTEGER, metricName TEXT", [(9, 1, "SMs Active [%]")]),
    "TARGET_INFO_GPU": ("id INTEGER, name TEXT, smCount INTEGER", [(0, "NVIDIA H200", 132)]),
    "DIAGNOSTIC_EVENT": (
        "timestamp INTEGER, severity INTEGER, text TEXT",
        [(0, 2, "CUDA profiling might\nhave not been started"), (0, 1, "fine")],
    ),
    "ENUM_DIAGNOSTIC_SEVERITY_LEVEL": ("id INTEGER, name TEXT", [(1, "Info"), (2, "Warning")]),
}


@pytest.fixture
def export(tmp_path):
    """A database of these tables."""

    def made(tables=TABLES):
        path = tmp_path / "report.sqlite"
        path.unlink(missing_ok=True)
        with contextlib.closing(sqlite3.connect(path)) as database:
            for name, (columns, rows) in tables.items():
                database.execute(f"CREATE TABLE {name} ({columns})")
                for row in rows:
                    database.execute(f"INSERT INTO {name} VALUES ({','.join('?' * len(row))})", row)
            database.commit()
        return path

    return made


def without(*names):
    return {name: table for name, table in TABLES.items() if name not in names}


def test_names_are_looked_up_and_ids_become_columns(export):
    events = read(export())
    (kernel,) = events.rows(Kind.KERNEL)
    assert (kernel.name, kernel.start_ns, kernel.end_ns) == ("void gemm<float>(float*)", 1000, 2000)
    assert (kernel.device, kernel.stream, kernel.correlation, kernel.process) == (0, 7, 5, 77)
    assert kernel.args == {"gridX": 132, "registersPerThread": 64}
    known, unnamed = events.rows(Kind.RUNTIME)
    assert (known.name, known.thread, known.process) == ("cudaLaunchKernel_v7000", 78, 77)
    assert unnamed.name == "CUDA call"


def test_a_copy_says_where_from_and_where_to_in_the_words_of_the_export(export):
    (copy,) = read(export()).rows(Kind.COPY)
    assert (copy.name, copy.bytes) == ("Memcpy Host-to-Device (Pageable -> Device)", 4096)
    assert copy.args["srcKind"] == "Pageable"
    (bare,) = read(export(without("ENUM_CUDA_MEMCPY_OPER", "ENUM_CUDA_MEM_KIND"))).rows(Kind.COPY)
    assert bare.args == {"copyKind": 11, "srcKind": 20, "dstKind": 22}


def test_ranges_have_their_text_wherever_it_is_and_marks_are_moments(export):
    events = read(export())
    assert [(row.name, row.duration_ns) for row in events.rows(Kind.RANGE)] == [("step", 5000), ("epoch", 3999)]
    assert [(row.name, row.start_ns) for row in events.rows(Kind.MARK)] == [("here", 7)]
    assert not read(export(without("ENUM_NSYS_EVENT_TYPE"))).where(Kind.MARK)


def test_waits_metrics_gpus_and_warnings_are_read(export):
    events = read(export())
    assert [row.name for row in events.rows(Kind.SYNC)] == ["Stream sync"]
    assert list(events.series["SMs Active [%]"].values) == [63]
    assert events.about["gpus"] == [{"id": 0, "name": "NVIDIA H200", "smCount": 132}]
    assert events.warnings == ["nsys: CUDA profiling might have not been started"]


def test_metrics_of_several_gpus_are_apart_and_a_graph_is_work(export):
    tables = dict(TABLES)
    tables["GPU_METRICS"] = (TABLES["GPU_METRICS"][0], [(1, 9, 1, 63), (1, 10, 1, 5), (1, 10, 2, 6)])
    tables["TARGET_INFO_GPU_METRICS"] = (TABLES["TARGET_INFO_GPU_METRICS"][0], [(9, 1, "SMs"), (10, 1, "SMs")])
    tables["CUPTI_ACTIVITY_KIND_GRAPH_TRACE"] = (f"{WORK}, graphId INTEGER", [(5000, 6000, 0, 7, 8, 77 << 24, 3)])
    events = read(export(tables))
    assert set(events.series) == {"gpu metrics 9.SMs", "gpu metrics 10.SMs", "gpu metrics 10.metric 2"}
    graph = list(events.rows(Kind.KERNEL))[-1]
    assert (graph.name, graph.args) == ("CUDA graph", {"graphId": 3})


def started(nanoseconds):
    return {**TABLES, "TARGET_INFO_SESSION_START_TIME": ("utcEpochNs INTEGER", [(nanoseconds,)])}


def test_times_count_from_1970_where_the_export_tells_when_its_session_began(export):
    events = read(export(started(1_700_000_000_000_000_000)))
    (kernel,) = events.rows(Kind.KERNEL)
    assert (kernel.start_ns, kernel.end_ns) == (1_700_000_000_000_001_000, 1_700_000_000_000_002_000)
    assert list(events.series["SMs Active [%]"].times_ns) == [1_700_000_000_000_001_500]


@pytest.mark.parametrize("began", [2500, 0, -5, None, "noon", 2**62 - 1])
def test_times_that_count_from_1970_already_and_starts_that_cannot_be_are_left(export, began):
    (kernel,) = read(export(started(began))).rows(Kind.KERNEL)
    assert kernel.start_ns == 1000


def test_several_processes_with_device_work_are_ranks_and_are_taken_apart(export):
    tables = dict(TABLES)
    columns, rows = TABLES["CUPTI_ACTIVITY_KIND_KERNEL"]
    tables["CUPTI_ACTIVITY_KIND_KERNEL"] = (columns, [*rows, (1000, 2000, 1, 7, 5, 78 << 24, 1, 2, 132, 64)])
    path = export(tables)
    whole = read(path)
    assert set(whole.rank) == {ABSENT, 0, 1} and "2 processes" in whole.warnings[0]
    first, second = read_each(path)
    (kernel,) = second.rows(Kind.KERNEL)
    assert (kernel.rank, kernel.process, len(second)) == (1, 78, 1)
    assert [row.process for row in first.rows(Kind.KERNEL)] == [77]
    assert len(first) + len(second) == sum(rank != ABSENT for rank in whole.rank), "no row is lost or taken twice"


def test_a_process_beside_it_without_device_work_is_none_to_speak_of(export):
    tables = dict(TABLES)
    columns, rows = TABLES["NVTX_EVENTS"]
    tables["NVTX_EVENTS"] = (columns, [*rows, (0, 9000, 59, "launcher", None, (78 << 24) | 1)])
    assert len(read(export(tables)).where(Kind.RANGE)) == 3


def test_graphs_that_were_traced_as_a_whole_leave_their_kernels_unknown(export):
    tables = dict(TABLES)
    tables["CUPTI_ACTIVITY_KIND_GRAPH_TRACE"] = (f"{WORK}, graphId INTEGER", [(5000, 6000, 0, 7, 8, 77 << 24, 3)])
    events = read(export(tables))
    assert "--cuda-graph-trace=node" in events.unknown["kernels inside CUDA graphs"]
    assert "--cuda-graph-trace=node" in events.warnings[-1]
    tables["CUPTI_ACTIVITY_KIND_GRAPH_TRACE"] = (f"{WORK}, graphId INTEGER", [])
    assert "kernels inside CUDA graphs" not in read(export(tables)).unknown


def test_the_breakdown_works_on_it(export):
    events = read(export())
    assert devices(events) == [(ABSENT, 0)]
    assert [gap.cause for gap in idle(events, ABSENT, 0)] == ["host_wait"]


def test_a_table_that_was_never_created_is_unknown_and_not_empty(export):
    events = read(export(without("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "GPU_METRICS")))
    assert set(events.unknown) == {"fills", "synchronisations", "GPU metrics"}
    assert "no table CUPTI_ACTIVITY_KIND_MEMSET" in events.unknown["fills"]


def test_columns_of_other_versions_may_be_missing_or_new(export):
    tables = dict(TABLES)
    tables["CUPTI_ACTIVITY_KIND_KERNEL"] = (
        "start INTEGER, end INTEGER, shortName INTEGER, colour TEXT",
        [(1, 2, 2, "red")],
    )
    (kernel,) = read(export(tables)).rows(Kind.KERNEL)
    assert (kernel.name, kernel.stream, kernel.device, kernel.args) == ("gemm", ABSENT, ABSENT, {})


def test_rows_of_the_wrong_type_are_left_out_and_said(export):
    tables = dict(TABLES)
    rows = [("soon", 2, 0, 5), (5, 1, 0, 5), (None, None, 0, 5), (2**62, 2**62 + 1, 0, 5), (1, 2, "x", "y")]
    tables["CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"] = ("start, end, deviceId, syncType", rows)
    events = read(export(tables))
    assert [(row.device, row.name) for row in events.rows(Kind.SYNC)] == [(ABSENT, "y")]
    assert "4 rows without valid times were left out" in events.warnings


def test_another_database_is_refused_by_its_tables(export):
    with pytest.raises(DocumentError, match=r"not one of nsys \(its tables: cats\)"):
        read(export({"cats": ("name TEXT", [("Tom",)])}))
    with pytest.raises(DocumentError, match="its tables: none"):
        read(export({}))


def test_views_and_virtual_tables_of_a_stranger_are_not_touched(tmp_path):
    path = tmp_path / "evil.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE StringIds (id INTEGER, value TEXT)")
        database.execute(
            "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS SELECT 1 AS start, 2 AS end, load_extension('x') AS shortName"
        )
        database.commit()
    assert len(read(path)) == 0 and not path.with_suffix(".sqlite-journal").exists()


@pytest.mark.parametrize("stored", ["VIRTUAL", "STORED"])
def test_columns_that_are_computed_when_they_are_read_are_refused(tmp_path, stored):
    path = tmp_path / "bomb.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as database:
        computed = f"text TEXT GENERATED ALWAYS AS (hex(zeroblob(1000))) {stored}"
        database.execute("CREATE TABLE StringIds (id INTEGER, value TEXT)")
        database.execute(f"CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, {computed})")
        database.execute("INSERT INTO NVTX_EVENTS (start, end) VALUES (1, 2)")
        database.commit()
    with pytest.raises(DocumentError, match="'NVTX_EVENTS' has computed columns, which nsys never writes"):
        read(path)


@pytest.mark.parametrize("length", [16, 50, 100, 2000, 5000])
def test_a_database_that_was_cut_off_is_refused(export, length):
    path = export()
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(DocumentError, match=r"cannot be read|not one of nsys"):
        read(path)


def test_it_is_recognised_by_its_first_bytes():
    assert recognises(Path("x"), b"SQLite format 3\0....") and not recognises(Path("x.sqlite"), b"SQLite")


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_no_damaged_database_crashes_the_reader(data):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.sqlite"
        with contextlib.closing(sqlite3.connect(path)) as database:
            database.execute("CREATE TABLE StringIds (id INTEGER, value TEXT)")
            database.execute("CREATE TABLE NVTX_EVENTS (start, end, text)")
            database.executemany("INSERT INTO NVTX_EVENTS VALUES (?, ?, ?)", [(1, 2, "a" * 50)] * 50)
            database.commit()
        content = bytearray(path.read_bytes())
        for _ in range(data.draw(st.integers(1, 20))):
            content[data.draw(st.integers(16, len(content) - 1))] = data.draw(st.integers(0, 255))
        path.write_bytes(bytes(content))
        with contextlib.suppress(DocumentError):
            read(path)


def test_a_column_whose_name_is_damaged_is_one_line(export):
    path = export()
    path.write_bytes(path.read_bytes().replace(b"globalTid", b"globalT\xf1d"))
    with pytest.raises(DocumentError, match=r"cannot be read: .*export it again") as error:
        read(path)
    assert "\n" not in str(error.value)
