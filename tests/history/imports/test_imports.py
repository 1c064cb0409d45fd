"""Files of other tools: known by their content, medians as the tool itself reports them, damage said in one line.

The files are real outputs (recorded/README.md); the reported values are from what the tools printed beside them.
"""

import gzip
import json
import shutil
import subprocess
from pathlib import Path
from statistics import median

import pytest

from perfproof.core.errors import DocumentError, UsageError
from perfproof.core.imported import ImportedFile
from perfproof.core.units import seconds
from perfproof.history.foreign import moment, read_foreign, tools
from perfproof.history.kept_imports import keep_import, list_imports, read_import, says_machine

RECORDED = Path(__file__).parent / "recorded"
FILES = sorted(RECORDED.glob("*.json"))
REPORTED = {  # by the tools' own tables
    "pytest-benchmark-5.3.1.json": {
        "test_b.py::test_sum": 40_258.0008e-9,
        "test_b.py::test_sort[10]": 1_059.9979e-9,
        "test_b.py::test_sort[100]": 1_371.9982e-9,
    },
    "pyperf-2.10.0.json": {"sum of 1000": 20.8e-6, "sort": 2.27e-6},
    "hyperfine-1.15.0.json": {"true": 0.000635889, "sleep 0.002": 0.002683951},
    "google-benchmark-1.9.5-repeated.json": {"sort/64": 516e-9, "sort/512": 3010e-9, "sum_1000": 13.7e-6},
    "google-benchmark-1.9.5.json": {"sum_1000": 14.1e-6, "sort/64": 530e-9, "sort/512": 3066e-9},
    "asv-0.6.6.json": {
        "b.Sorting.time_sorted(100)": 2.24e-6,
        "b.Sorting.time_sorted(1000)": 8.66e-6,
        "b.time_sum": 19.8e-6,
    },
    "nvbench-written.json": {"axpy Device=0 Elements=2^20": 7.25e-6, "axpy Device=0 Elements=2^24": 6.125e-5},
}


def read(name):
    return read_foreign((RECORDED / name).read_bytes(), name)


@pytest.mark.parametrize("name", REPORTED)
def test_medians_are_those_that_the_tool_reports(name):
    tool, found = read(name)
    assert name.startswith(tool)
    assert {one.name: one.seconds for one in found.measured} == pytest.approx(REPORTED[name], rel=3e-3)


def test_every_tool_has_a_recorded_file():
    assert {path.name for path in FILES} == set(REPORTED)
    assert {read(name)[0] for name in REPORTED} == set(tools())


def test_pyperf_itself_gives_the_same_medians():
    pyperf = pytest.importorskip("pyperf")
    suite = pyperf.BenchmarkSuite.load(str(RECORDED / "pyperf-2.10.0.json"))
    theirs = {benchmark.get_name(): benchmark.median() for benchmark in suite.get_benchmarks()}
    assert {one.name: one.seconds for one in read("pyperf-2.10.0.json")[1].measured} == theirs


@pytest.mark.skipif(shutil.which("hyperfine") is None, reason="hyperfine is not installed")
def test_hyperfine_of_this_machine_is_read(tmp_path):
    file = tmp_path / "out.json"
    subprocess.run(["hyperfine", "-N", "-r", "3", "true", "--export-json", file], check=True, capture_output=True)
    tool, found = read_foreign(file.read_bytes(), "out.json")
    times = json.loads(file.read_text())["results"][0]["times"]
    assert tool == "hyperfine" and found.measured[0].seconds == median(times) and found.measured[0].count == 3


def test_what_is_no_time_is_left_out_and_said():
    assert read("asv-0.6.6.json")[1].left_out == [
        "b.mem_list: no time",
        "b.track_length: a number of its own unit, no time",
    ]
    nvbench = read("nvbench-written.json")[1]
    assert nvbench.left_out == ["axpy Device=0 Elements=2^40: not enough memory"]
    assert [one.statistic for one in nvbench.measured] == ["median", "mean"]


def altered(name, old, new):
    text = (RECORDED / name).read_text()
    assert text.count(old) == 1
    return read_foreign(text.replace(old, new).encode(), name)[1]


@pytest.mark.parametrize(
    ("value", "why"), [("NaN", "skipped (NaN)"), ("null", "failed"), ("0.0", "0 is no time"), ("0", "0 is no time")]
)
def test_one_parameter_that_asv_has_no_time_of_is_named_and_the_others_stay(value, why):
    found = altered("asv-0.6.6.json", "[2.235924966953462e-06, ", f"[{value}, ")
    assert [one.name for one in found.measured] == ["b.Sorting.time_sorted(1000)", "b.time_sum"]
    assert f"b.Sorting.time_sorted(100): {why}" in found.left_out and len(found.left_out) == 3


def test_one_benchmark_that_reads_0_is_named_and_the_others_stay():
    text = (RECORDED / "google-benchmark-1.9.5.json").read_text()
    raw = json.loads(text)
    raw["benchmarks"][0]["real_time"] = 0.0
    found = read_foreign(json.dumps(raw).encode(), "x")[1]
    assert found.left_out == ["sum_1000: 0 is no time"] and {one.name for one in found.measured} == {
        "sort/64",
        "sort/512",
    }
    hyperfine = altered("hyperfine-1.15.0.json", '"median": 0.000635889', '"median": 0.0')
    assert hyperfine.left_out == ["true: 0 is no time"] and [one.name for one in hyperfine.measured] == ["sleep 0.002"]


def test_repetitions_that_read_0_count_in_the_median_and_one_that_reads_nothing_takes_it_away():
    raw = json.loads((RECORDED / "google-benchmark-1.9.5.json").read_text())
    one = next(each for each in raw["benchmarks"] if each["name"] == "sum_1000")
    for readings, expected in (((0.0, 2.0, 4.0), 2e-6), ((0.0, 0.0, 4.0), None), ((float("nan"), 2.0, 4.0), None)):
        repeated = [one | {"real_time": value, "time_unit": "us"} for value in readings]
        others = [each for each in raw["benchmarks"] if each is not one]
        found = read_foreign(json.dumps(raw | {"benchmarks": others + repeated}).encode(), "x")[1]
        times = {each.name: each.seconds for each in found.measured}
        assert times.get("sum_1000") == (pytest.approx(expected) if expected else None)
        assert len(found.left_out) == (0 if expected else 1)


def test_a_date_without_a_zone_is_known_to_be_local_time(tmp_path):
    assert [name for name in sorted(REPORTED) if not read(name)[1].zone_known] == ["pyperf-2.10.0.json"]
    old = altered("google-benchmark-1.9.5.json", "2026-11-15T10:24:59+00:00", "2026-11-15 10:24:59")
    assert old.started == "2026-11-15T10:24:59Z" and not old.zone_known
    for date, zone, started in ((None, "unknown", "2026-11-15T10:24:53Z"), ("2026-11-15T12:00+02:00", "UTC", None)):
        folder, _ = keep_import(tmp_path, RECORDED / "pyperf-2.10.0.json", None, date, [])
        note = ImportedFile.model_validate_json((folder / "import.json").read_bytes())
        assert note.zone == zone and note.started == (started or "2026-11-15T10:00:00Z")


def fingerprint_of(tmp_path, name, machine):
    folder, _ = keep_import(tmp_path, RECORDED / name, None, None, [], machine)
    run = read_import(folder).run
    return run["kind"], run["fingerprint"]


def test_a_machine_that_is_named_is_in_the_fingerprint(tmp_path):
    assert fingerprint_of(tmp_path, "hyperfine-1.15.0.json", None) == ("unknown", "unknown")
    laptop, server = (fingerprint_of(tmp_path, "hyperfine-1.15.0.json", name) for name in ("My laptop", "server"))
    assert laptop[0] == "my-laptop" and server[0] == "server" and len({laptop[1], server[1], "unknown"}) == 3
    in_file, named = (fingerprint_of(tmp_path, "asv-0.6.6.json", name) for name in (None, "server"))
    assert in_file[0] == "a-cpu" and in_file[1] not in ("unknown", named[1])
    with pytest.raises(UsageError, match="--machine is empty"):
        fingerprint_of(tmp_path, "hyperfine-1.15.0.json", " ")


def test_versions_alone_are_no_machine(tmp_path):
    text = (RECORDED / "asv-0.6.6.json").read_text().replace('"cpu": "a CPU", ', "")
    (tmp_path / "asv.json").write_text(text)
    folder, found = keep_import(tmp_path, tmp_path / "asv.json", None, None, [])
    assert found.environment["software.python"] == "3.11" and not says_machine(found.environment)
    assert read_import(folder).run["fingerprint"] == "unknown"


def test_a_note_of_an_older_perfproof_is_read(tmp_path):
    folder, _ = keep_import(tmp_path, RECORDED / "asv-0.6.6.json", None, None, [])
    note = json.loads((folder / "import.json").read_text())
    del note["machine"], note["zone"]
    (folder / "import.json").write_text(json.dumps(note))
    assert read_import(folder).run["kind"] == "a-cpu"


def test_dates_commits_and_environments_come_from_the_file():
    found = read("asv-0.6.6.json")[1]
    assert found.started == "2026-11-15T10:25:01Z" and found.commit.startswith("418d68b3")
    assert read("pytest-benchmark-5.3.1.json")[1].commit is None  # "unversioned"
    assert read("pytest-benchmark-5.3.1.json")[1].environment["software.python"] == "3.11.7"
    assert read("hyperfine-1.15.0.json")[1].started is None
    assert moment("2026-11-15T12:00:00+02:00") == "2026-11-15T10:00:00Z"


def test_a_host_name_never_reaches_the_index():
    for name in REPORTED:
        assert "testbox" not in repr(read(name)[1])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_damaged_files_are_refused_in_one_line(path):
    whole = path.read_bytes()
    for broken in (whole[: len(whole) // 2], b"", b"[]", b'"text"', b"{}"):
        with pytest.raises(DocumentError) as refusal:
            read_foreign(broken, "file.json")
        assert "\n" not in str(refusal.value) and str(refusal.value).startswith("file.json: ")


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("hyperfine-1.15.0.json", '"median": 0.000635889', '"median": null'),
        ("hyperfine-1.15.0.json", '"median": 0.000635889', '"median": -1'),
        ("google-benchmark-1.9.5.json", '"time_unit": "us"', '"time_unit": "weeks"'),
        ("pytest-benchmark-5.3.1.json", '"median"', '"middle"'),
        ("pyperf-2.10.0.json", '"runs"', '"walks"'),
        ("asv-0.6.6.json", "[2.235924966953462e-06, 8.662949676363496e-06]", "[2.2e-06]"),
        ("nvbench-written.json", '"7.25e-06"', '"fast"'),
    ],
)
def test_a_file_that_is_not_as_the_tool_writes_it_is_refused_by_name(name, old, new):
    text = (RECORDED / name).read_text()
    assert old in text
    with pytest.raises(DocumentError, match=r"not as .* writes it"):
        read_foreign(text.replace(old, new, 1).encode(), name)


def test_a_kept_file_stays_what_it_was_and_is_read_again_from_its_folder(tmp_path):
    source = RECORDED / "hyperfine-1.15.0.json"
    folder, _ = keep_import(tmp_path, source, "abc123", "2026-01-02", ["ci", "ci"])
    again, _ = keep_import(tmp_path, source, "abc123", "2026-01-02", ["ci"])
    assert folder == again and list_imports(tmp_path) == [folder]
    assert (folder / "source.json").read_bytes() == source.read_bytes()
    entry = read_import(folder)
    assert entry.run["commit_id"] == "abc123" and entry.run["started"] == "2026-01-02T00:00:00Z"
    assert entry.run["tags"] == "ci" and [seconds(row["variant_seconds"]) for row in entry.results] == [
        "636 µs",
        "2.68 ms",
    ]


def test_an_import_without_its_note_does_not_count(tmp_path):
    folder, _ = keep_import(tmp_path, RECORDED / "asv-0.6.6.json", None, None, [])
    (folder / "import.json").unlink()
    assert list_imports(tmp_path) == []


def test_a_date_that_is_none_and_a_file_that_is_not_there_are_refused(tmp_path):
    with pytest.raises(UsageError, match="--date 'soon' is no date"):
        keep_import(tmp_path, RECORDED / "hyperfine-1.15.0.json", None, "soon", [])
    with pytest.raises(UsageError, match="cannot be read"):
        keep_import(tmp_path, tmp_path / "none.json", None, None, [])


def test_a_packed_file_is_read_and_kept(tmp_path):
    packed = tmp_path / "bench.json.gz"
    packed.write_bytes(gzip.compress((RECORDED / "pyperf-2.10.0.json").read_bytes()))
    folder, found = keep_import(tmp_path / "artifacts", packed, None, None, [])
    assert found.measured == read("pyperf-2.10.0.json")[1].measured
    assert len(read_import(folder).results) == len(found.measured)


@pytest.mark.parametrize("cut", [slice(0, 60), slice(0, -9)])
def test_a_damaged_packed_file_is_said_in_one_line(cut):
    content = gzip.compress((RECORDED / "pyperf-2.10.0.json").read_bytes())[cut]
    with pytest.raises(DocumentError, match="gzip"):
        read_foreign(content, "bench.json.gz")


CSV = """2024-01-02T03:04:05+00:00
Running ./bench
name,iterations,real_time,cpu_time,time_unit,bytes_per_second,items_per_second,label,error_occurred,error_message
"alloc<fix, 4>/1000",510,1.5e+06,1.4e+06,ns,,,,,
"sort",10,3,3,us,,,,,
"sort",10,5,5,us,,,,,
"sort_mean",2,4,4,us,,,,,
"sort_median",2,4,4,us,,,,,
"sort_stddev",2,1.4,1.4,us,,,,,
"sort_cv",2,0.35,0.35,us,,,,,
"geometric_mean",7,2,2,ms,,,,,
"broken",,,,,,,,true,"no device"
"""


def test_google_benchmark_s_csv_is_read_with_its_own_median():
    tool, found = read_foreign(CSV.encode(), "bench.csv")
    assert tool == "google-benchmark"
    assert {one.name: one.seconds for one in found.measured} == pytest.approx(
        {"alloc<fix, 4>/1000": 1.5e-3, "sort": 4e-6, "geometric_mean": 2e-3}
    )
    assert found.left_out == ["broken: no device"]


def test_another_table_is_no_result():
    with pytest.raises(DocumentError, match="not JSON"):
        read_foreign(b"a,b\n1,2\n", "x.csv")
