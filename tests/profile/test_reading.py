"""Any file: the right reader, or one line that says what it is."""

import gzip
import importlib
import json
import os
import pickle
import sqlite3
import tempfile
from contextlib import closing, suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfproof.core.errors import DocumentError
from perfproof.profile import readers
from perfproof.profile.reading import HEAD, read, reader_files
from tests.profile.readers.xplane_files import PROFILE

RECORDED = Path(__file__).parent / "readers" / "recorded"
KERNEL = {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 1, "dur": 2, "args": {"stream": 7}}
HEADER = {
    "schema_version": 1, "clock": "c", "start_ns": 0, "started": "now", "hz": 1,
    "groups": [{"source": "host", "columns": [{"name": "load", "kind": "gauge"}]}],
}  # fmt: skip
SAMPLES = {
    "kineto": json.dumps({"traceEvents": [KERNEL]}),
    "proton": json.dumps([{"children": [], "frame": {"name": "ROOT"}, "metrics": {"count": 1}}]),
    "stacks": "main;step 5\n",
    "speedscope": json.dumps({"shared": {"frames": []}, "profiles": []}),
    "telemetry": json.dumps(HEADER) + "\n[0,5,1.5]\n",
    "dmon": "# gpu pwr sm\n# Idx W %\n 0 50 1\n",
    "perf_stat": (RECORDED / "perf_stat.csv").read_text(),
    "perf_script": (RECORDED / "perf_script.txt").read_text(),
    "nvidia_smi_query": "timestamp, power.draw [W]\n2025/03/21 02:06:50.642, 38.63 W\n",
    "perf_stat_text": " Performance counter stats for 'true':\n\n   3      page-faults\n",
    "rocprof": '"Kernel_Name","Start_Timestamp","End_Timestamp"\n"add",1,5\n',
    "memory_snapshot": pickle.dumps({"segments": []}),
    "memory_timeline": json.dumps([[1000, 2000], [[0] * 9, [0, 64, 0, 0, 0, 0, 0, 0, 0]]]),
    "scalene": json.dumps({"elapsed_time_sec": 1.0, "files": {"a.py": {"lines": [{"lineno": 1, "n_sys_percent": 5}]}}}),
    "xplane": PROFILE,
    "strace": "% time     seconds  usecs/call     calls    errors syscall\n 99.00    0.04  619   80   40 wait4\n",
}


def database():
    with closing(sqlite3.connect(":memory:")) as made:
        made.execute("CREATE TABLE StringIds (id INTEGER, value TEXT)")
        made.commit()
        return made.serialize()


def put(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_every_reader_has_a_sample_here():
    assert set(reader_files()) == {*SAMPLES, "nsys_sqlite"}


@pytest.mark.parametrize("name", [*SAMPLES, "nsys_sqlite"])
def test_a_file_is_known_by_exactly_one_reader_and_read_by_it(tmp_path, name):
    path = put(tmp_path / "profile", SAMPLES.get(name) or database())
    modules = {reader: importlib.import_module(f"{readers.__name__}.{reader}") for reader in reader_files()}
    head = path.read_bytes()[:HEAD]
    assert [reader for reader, module in modules.items() if module.recognises(path, head)] == [name]
    assert read(path).source == name.replace("_sqlite", "").replace("_", " ")


@pytest.mark.parametrize("name", ["kineto", "proton", "stacks", "speedscope", "dmon", "perf_script", "memory_snapshot"])
def test_a_packed_file_reads_the_same(tmp_path, name):
    content = SAMPLES[name] if isinstance(SAMPLES[name], bytes) else SAMPLES[name].encode()
    plain = read(put(tmp_path / "plain", content))
    packed = read(put(tmp_path / "packed", gzip.compress(content)))
    assert (list(packed.rows()), packed.totals, packed.series) == (list(plain.rows()), plain.totals, plain.series)


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("a", b"", "is empty; the profiler wrote nothing"),
        ("r.nsys-rep", b"\1\2\3", "`nsys export --type sqlite -o r.sqlite r.nsys-rep`"),
        ("r.qdstrm", b"\1\2\3", "unfinished recording of nsys"),
        ("r.ncu-rep", b"NVR\0", "perfproof roofline r.ncu-rep"),
        ("raw.csv", b'"ID","Process ID","Kernel Name"\n', "a page of ncu"),
        ("perf.data", b"PERFILE2....", "`perf script -i perf.data > perf.txt`"),
        ("a.html", b"<!doctype html><p>", "an HTML page"),
        ("a.zip", b"PK\3\4....", "a zip archive"),
        ("smi.csv", "timestamp, power.draw [W]\n".encode("utf-16"), "text in UTF-16"),
        ("a.gz", b"\x1f\x8b\x08nonsense", "the gzip file is damaged"),
        ("a.png", b"\x89PNG\r\n\x1a\n", "no profile that can be read here; these can: dmon, kineto, memory snapshot"),
        ("a.json", b'{"hello": 1}', "no profile that can be read here"),
        ("a.json", b'{"hello": 1}', "pages of ncu as CSV or text, .ncu-rep, logs of torch.compile, ceilings of"),
        ("{x}.txt", b"plain text", "no profile that can be read here"),
        ("m.pickle", b"cposix\nsystem\n(S'true'\ntR.", "asks for posix.system"),
    ],
)
def test_what_cannot_be_read_is_named_in_one_line(tmp_path, name, content, what):
    path = put(tmp_path / name, content)
    with pytest.raises(DocumentError) as refusal:
        read(path)
    message = str(refusal.value)
    assert what in message and message.startswith(str(path)) and "\n" not in message


def test_a_missing_file_a_folder_and_a_pipe_are_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path, what in (
        (tmp_path / "no", "no such file"),
        (tmp_path, "is a folder"),
        (tmp_path / "pipe", "not a plain"),
    ):
        with pytest.raises(DocumentError, match=what):
            read(path)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_no_damaged_file_of_any_format_crashes(data):
    name = data.draw(st.sampled_from(sorted(SAMPLES)))
    content = SAMPLES[name] if isinstance(SAMPLES[name], bytes) else SAMPLES[name].encode()
    damaged = bytearray(content[: data.draw(st.integers(1, len(content)))])
    for _ in range(data.draw(st.integers(0, 4))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    with tempfile.TemporaryDirectory() as folder, suppress(DocumentError):
        read(put(Path(folder) / "profile", bytes(damaged)))


@settings(max_examples=100, deadline=None)
@given(st.binary(min_size=1, max_size=200))
def test_no_bytes_crash(content):
    with tempfile.TemporaryDirectory() as folder, suppress(DocumentError):
        read(put(Path(folder) / "profile", content))
