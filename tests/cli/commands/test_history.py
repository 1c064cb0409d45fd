"""`perfproof history` from end to end: what is indexed, shown, found, imported and searched, and what is refused."""

import csv
import io
import json
import shutil
import sqlite3
import subprocess
from pathlib import Path

import pytest

from perfproof.core.documents import RatioResult, TargetResult
from perfproof.core.errors import PerfproofError
from perfproof.core.options import PROGRAM_EFFORTS, ProgramEffort
from perfproof.history.folders import list_runs, load_run
from tests.history.conftest import target as a_target
from tests.history.conftest import write_nights, write_run
from tests.history.test_load_tests import result as load_result
from tests.pairs.full_pair import TEXT

RECORDED = Path(__file__).parents[2] / "history" / "imports" / "recorded"


@pytest.fixture
def history(perfproof, monkeypatch):
    monkeypatch.delenv("PERFPROOF_STORE", raising=False)
    return lambda *arguments: perfproof("history", *arguments)


@pytest.fixture
def nights(history, tmp_path):
    write_nights(tmp_path / "artifacts")
    return history


def test_a_run_is_in_the_history_when_it_is_finished(perfproof, fake_bench, pair_files):
    files = pair_files("one", "two")
    assert perfproof("history", "reindex").code == 0
    assert perfproof("run", *files).code == 0
    with sqlite3.connect("artifacts/history.db") as connection:
        rows = connection.execute("select target, ratio from results order by place").fetchall()
    assert rows == [("one", 2.0), ("two", 2.0)]


def test_the_first_question_builds_the_index_and_a_run_alone_makes_none(perfproof, fake_bench, pair_files):
    assert perfproof("run", *pair_files("one")).code == 0
    assert not Path("artifacts/history.db").exists()
    assert [row["target"] for row in json.loads(perfproof("history", "show", "latest", "--json").out)] == ["one"]
    assert Path("artifacts/history.db").is_file()


@pytest.mark.parametrize("form", [[], ["--json"]], ids=["table", "json"])
def test_a_history_that_cannot_be_written_is_one_line_and_the_run_still_counts(
    perfproof, fake_bench, pair_files, monkeypatch, form
):
    monkeypatch.setenv("PERFPROOF_STORE", "no/such/folder/history.db")
    done = perfproof("run", *pair_files("one"), *form)
    assert done.code == 0 and len(list_runs("artifacts")) == 1
    said = [line for line in done.err.splitlines() if "history" in line]
    assert len(said) == 1 and said[0].startswith("perfproof: the run is saved, but not in the history: ")


def test_the_store_may_stand_in_the_settings(perfproof, fake_bench, pair_files):
    Path("pyproject.toml").write_text('[tool.perfproof]\nstore = "elsewhere.db"\n')
    assert perfproof("run", *pair_files("one")).code == 0
    assert Path("elsewhere.db").is_file() and not Path("artifacts/history.db").exists()
    assert "one" in perfproof("history", "show", "latest").out


def test_reindex_says_what_it_did_and_replaces_a_damaged_index(nights):
    assert "indexed 32 runs with 64 targets into artifacts/history.db" in nights("reindex").out
    Path("artifacts/history.db").write_bytes(b"x" * 9000)
    refused = nights("show")
    assert refused.code == 2 and "history reindex" in refused.err and refused.err.count("\n") == 1
    done = nights("reindex")
    assert done.code == 0 and "damaged" in done.err and len(json.loads(nights("show", "--json").out)) == 20


def test_reindex_skips_what_it_cannot_read_and_forgets_what_is_gone(nights, tmp_path):
    nights("reindex")
    folders = list_runs("artifacts")
    (folders[0] / "run.json").write_text("{")
    shutil.rmtree(folders[1])
    done = nights("reindex")
    assert "indexed 30 runs with 60 targets, forgot 2" in done.out and done.err.startswith("skipped: ")


def test_show_lists_runs_newest_first_and_the_results_of_one(nights):
    lines = nights("show", "--limit", "3").out.splitlines()
    assert len(lines) == 4 and lines[1].startswith("00001f  2026-02-01 00:00  2 targets  ")
    one = nights("show", "00001f").out
    assert one.splitlines()[0] == "20260201T000000Z-nightly-00001f" and "ch02:canary" in one and "1.30x" in one
    assert nights("show", "nothing").code == 5 and nights("show", "--target", "nothing").code == 5
    assert nights("show", "2026").code == 2


def test_history_alone_shows_the_runs_with_target_verdict_ratio_and_machine(perfproof, fake_bench, pair_files):
    files = pair_files("one", "two")
    perfproof("run", files[0])
    fake_bench.outcomes["two"] = "crashed"
    perfproof("run", *files)
    head, both, single = perfproof("history").out.splitlines()
    assert head.split()[0] == "id" and "verdict" in head and "machine" in head
    assert "2 targets" in both and "1 faster, 1 crashed" in both
    assert " one " in single and " faster " in single and "2.00x" in single and "1.90 to 2.10" in single
    assert perfproof("history", "show").out == perfproof("history").out
    assert perfproof("history", "--limit", "1").out.splitlines()[1].split() == both.split()
    told = json.loads(perfproof("history", "--json").out)
    assert told[1]["outcome"]["ratio"] == 2.0 and told[0]["outcome"]["verdict"] == "1 faster, 1 crashed"


def test_lists_can_be_written_as_csv_and_json(nights):
    assert nights("-o", "runs.csv").out == "runs.csv\n"
    rows = list(csv.DictReader(io.StringIO(Path("runs.csv").read_text())))
    assert len(rows) == 20 and rows[0]["id"] == "00001f"
    (first, *_) = csv.DictReader(io.StringIO(nights("latest", "--format", "csv").out))
    assert first["target"] and first["run"].endswith("00001f")
    nights("query", "select count(*) as n from runs", "-o", "n.json")
    assert json.loads(Path("n.json").read_text()) == [{"n": 32}]
    assert nights("query", "select 1 as n", "--csv").out == nights("query", "select 1 as n", "--format", "csv").out
    assert nights("trend", "ch01:fused", "-o", "trend.html").code == 0 and "<html" in Path("trend.html").read_text()


def test_history_of_a_run_shows_its_results_and_a_slip_is_still_a_slip(nights):
    assert nights("00001f").out == nights("show", "00001f").out
    assert nights("latest").out == nights("show", "latest").out
    slip = nights("trnd", "ch01:fused")
    assert slip.code == 2 and "trend" in slip.err


def test_a_folder_without_runs_says_how_to_make_one(history):
    shown = history()
    assert shown.code == 0 and "perfproof run" in shown.out


def test_a_trend_names_the_change_its_interval_and_what_changed_with_it(nights):
    done = nights("trend", "ch01:fused")
    assert done.code == 0
    (step,) = (line for line in done.out.splitlines() if line.startswith("step, worse: -7."))
    assert "at 2026-01-21" in step and "00000014 -> 00000015" in step
    assert "  changed with it: software.torch 2.12 -> 2.13" in done.out.splitlines()


def test_a_trend_as_json_has_points_and_changes(nights):
    found = json.loads(nights("trend", "ch01:fused", "--json").out)
    assert len(found["points"]) == 32 and found["series"]["kind"] == "xeon-2c"
    (change,) = found["changes"]
    assert change["what"] == "step" and change["low"] < change["shift"] < change["high"] < 0
    assert change["fields"] == [["software.torch", "2.12", "2.13"]]


def test_a_canary_takes_a_change_of_the_host_out(nights):
    options = ("--of", "baseline", "--fingerprint", "aaaa")
    assert "step, worse: +" in nights("trend", "ch01:fused", *options).out
    done = nights("trend", "ch01:fused", *options, "--canary", "ch02:canary")
    assert "no change" in done.out.splitlines() and "over the canary ch02:canary" in done.out


def test_without_a_target_every_change_is_listed_and_kept(nights):
    done = nights("trend")
    assert done.out.splitlines()[-1] == "2 series of 8 points or more, 1 with a change"
    kept = json.loads(nights("query", "select target, what from changes", "--json").out)
    assert kept == [{"target": "ch01:fused", "what": "step"}]


def test_since_holds_one_trend_and_all_of_them_to_what_was_measured_later(nights):
    assert "12 points from 2026-01-21" in nights("trend", "ch01:fused", "--since", "2026-01-21").out
    assert "11 points" in nights("trend", "ch01:fused", "--since", "2026-01-22T01:00+02:00").out, "a day begins in UTC"
    done = nights("trend", "--since", "2026-01-21")
    assert done.out.splitlines() == ["2 series of 8 points or more since 2026-01-21T00:00:00Z, 0 with a change"]
    late = nights("trend", "--since", "2026-01-28")
    assert late.code == 0 and late.out.startswith("0 series of 8 points or more since 2026-01-28")
    assert json.loads(nights("query", "select target from changes", "--json").out) == [], "of a part, nothing is kept"
    assert nights("trend").code == 0
    kept = json.loads(nights("trend", "--since", "2026-01-10", "--json").out)
    assert len(kept) == 1 and len(kept[0]["points"]) == 23


def test_all_trends_can_be_held_to_a_kind_of_machine_and_a_clock(nights, tmp_path):
    other = {"kind": "server", "fingerprint": "cccc", "device": "cpu"}
    for night in range(40, 48):
        write_run(tmp_path / "artifacts", night, [a_target("ch01:fused")], machine=other)
    assert nights("trend").out.splitlines()[-1].startswith("3 series")
    assert nights("trend", "--kind", "server").out == "1 series of 8 points or more, 0 with a change\n"
    assert nights("trend", "--kind", "xeon-2c", "--clock", "call").out.splitlines()[-1].startswith("2 series")
    for asked in (("--kind", "laptop"), ("--clock", "wall")):
        done = nights("trend", *asked)
        assert done.code == 5 and "server by call, xeon-2c by call" in done.err and not done.out


def test_what_belongs_to_one_series_is_refused_without_a_target(nights):
    for option, value in (
        ("--of", "ratio"),
        ("--variant", "optimized"),
        ("--canary", "ch02:canary"),
        ("--fingerprint", "aaaa"),
        ("--set", "rows=4"),
        ("--html", "trend.html"),
    ):
        done = nights("trend", option, value)
        assert done.code == 2 and option in done.err and done.err.count("\n") == 1 and not done.out, done
    assert not Path("trend.html").exists()


def test_a_trend_is_a_page_that_needs_nothing_else(nights):
    assert "page: trend.html" in nights("trend", "ch01:fused", "--html", "trend.html").out
    page = Path("trend.html").read_text()
    assert "<svg" in page and "Step -7." in page and "http://" not in page and "https://" not in page
    assert nights("trend", "ch01:fused", "--html", "no/folder/x.html").code == 2


def test_few_points_are_said_and_no_noise_is_claimed(history, tmp_path):
    write_run(tmp_path / "artifacts")
    out = history("trend", "ch01:x").out
    assert "fewer than 8 points" in out and "noise unknown" in out


def test_what_cannot_be_asked_is_refused_in_one_line(nights):
    for arguments, code in (
        (("trend", "none"), 5),
        (("trend", "ch01:fused", "--of", "luck"), 2),
        (("trend", "ch01:fused", "--since", "yesterday"), 2),
        (("trend", "--since", "yesterday"), 2),
        (("trend", "--since", "0001-01-01T00:00+14:00"), 2),
        (("trend", "ch01:fused", "--since", "2031-01-01"), 5),
        (("trend", "ch01:fused", "--canary", "ch02:canary"), 2),
        (("query", "delete from runs"), 2),
        (("query", "select x from y"), 2),
        (("show", "--store", "mysql://h/n"), 2),
        (("import", "none.json"), 2),
        (("bisect", "--good", "a", "--bad", "b"), 2),
    ):
        done = nights(*arguments)
        assert done.code == code and done.err.count("\n") == 1 and not done.out, (arguments, done)


def test_a_query_prints_columns_csv_or_json(nights):
    sql = "select run, ratio from results where target = 'ch01:fused' order by run"
    assert nights("query", sql, "--limit", "2").out.splitlines()[0].split() == ["run", "ratio"]
    rows = list(csv.reader(io.StringIO(nights("query", sql, "--csv").out)))
    assert rows[0] == ["run", "ratio"] and len(rows) == 33
    assert len(json.loads(nights("query", sql, "--json").out)) == 32


def test_files_of_other_tools_are_taken_in_and_survive_a_rebuild(history):
    done = history("import", RECORDED / "hyperfine-1.15.0.json", RECORDED / "asv-0.6.6.json", "--tag", "ci")
    assert done.code == 0 and "sleep 0.002: median 2.68 ms" in done.out and "left out: b.mem_list" in done.err
    before = history("query", "select * from results order by run, place", "--json").out
    with sqlite3.connect("artifacts/history.db") as connection:
        connection.execute("delete from runs")
    history("reindex")
    assert history("query", "select * from results order by run, place", "--json").out == before
    bad = history("import", RECORDED / "README.md")
    assert bad.code == 2 and "not JSON" in bad.err


def test_a_file_without_a_machine_has_no_trend_until_it_is_named(history):
    asked, file = ("trend", "sleep 0.002", "--of", "time"), RECORDED / "hyperfine-1.15.0.json"
    done = history("import", file)
    assert done.code == 0 and "does not say on which machine; add --machine NAME" in done.err
    refused = history(*asked)
    assert refused.code == 5 and "--machine NAME" in refused.err and refused.err.count("\n") == 1 and not refused.out
    assert history("trend").out.splitlines()[-1].startswith("no trend of the times of 2 targets: ")
    assert history("import", file, "--machine", "Build box").err == ""
    assert "time of it on build-box" in history(*asked).out and "no trend" not in history("trend").out
    assert history(*asked, "--kind", "build-box").code == 0 and history(*asked, "--kind", "laptop").code == 5
    assert json.loads(history("query", "select value from environment where field = 'machine'", "--json").out) == [
        {"value": "Build box"}
    ]


def test_what_was_left_out_is_counted_and_named(history, tmp_path):
    text = (RECORDED / "asv-0.6.6.json").read_text().replace("[2.235924966953462e-06,", "[NaN,")
    (tmp_path / "asv.json").write_text(text)
    done = history("import", tmp_path / "asv.json")
    assert done.code == 0 and "2 results of " in done.out and done.out.splitlines()[0].endswith(", 3 left out")
    assert "left out: b.Sorting.time_sorted(100): skipped (NaN)" in done.err.splitlines()


def test_a_date_without_a_zone_is_said(history):
    file = RECORDED / "pyperf-2.10.0.json"
    assert "local time without a zone" in history("import", file).err
    assert history("import", file, "--date", "2026-11-15T10:00+02:00").err == ""


def test_each_size_of_a_target_can_be_asked_for(history, tmp_path):
    for number, rows in enumerate((1024, 4096)):
        write_run(tmp_path / "artifacts", number, [a_target("ch01:x", 2.0 + number, sizes={"n": rows})])
    for asked, rows, value in (
        ((), 4096, "3.00x"),
        (("--set", "n=1024"), 1024, "2.00x"),
        (("--clock", "call"), 4096, "3"),
    ):
        done = history("trend", "ch01:x", *asked, "--html", "page.html")
        assert f"n={rows}; clock call" in done.out.splitlines() and f"now {value}" in done.out
        assert f"n={rows}; clock call" in Path("page.html").read_text()
    assert (
        json.loads(history("trend", "ch01:x", "--set", "ch01:x.n=1024", "--json").out)["series"]["sizes"]
        == '{"n": 1024}'
    )
    none = history("trend", "ch01:x", "--set", "n=5")
    assert none.code == 5 and "at n=1024; optimized on xeon-2c at n=4096" in none.err
    assert history("trend", "ch01:x", "--set", "n").code == 2 and history("trend", "ch01:x", "--set", "=5").code == 2


def test_reindex_replaces_an_index_with_a_damaged_page(nights):
    nights("reindex")
    with sqlite3.connect("artifacts/history.db") as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'results'").fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    connection.close()
    with Path("artifacts/history.db").open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)
    refused = nights("trend", "ch01:fused")
    assert refused.code == 2 and "damaged" in refused.err and "history reindex" in refused.err
    assert "was damaged" in nights("reindex").err and "32 points" in nights("trend", "ch01:fused").out


def test_a_target_may_be_named_by_its_file_and_a_run_by_previous(history, tmp_path):
    for number in range(2):
        write_run(tmp_path / "artifacts", number, [a_target("folder/mine", 2.0 + number)], git={"dirty": True})
    names = ("folder/mine", "folder/mine.py", "./folder/../folder/mine.py", tmp_path / "folder" / "mine.py")
    assert len({history("trend", name).out for name in names}) == 1 and "2 points" in history("trend", names[1]).out
    assert "2.00x" in history("show", "previous").out and "3.00x" in history("show", "latest").out
    assert history("show", "--target", "./folder/mine.py").out.count("folder/mine ") == 2


def test_files_that_differed_from_the_commit_are_marked(history, tmp_path):
    write_run(tmp_path / "artifacts", 0, git={"commit": "c" * 40, "dirty": True})
    write_run(tmp_path / "artifacts", 1, git={"commit": "d" * 40, "dirty": False})
    rows = history("show").out.splitlines()
    assert rows[1].endswith(" dddddddd") and rows[2].endswith(" cccccccc+")


def git(*arguments):
    identity = ["-c", "user.name=n", "-c", "user.email=n@example.com"]
    return subprocess.run(["git", *identity, *arguments], capture_output=True, text=True, check=True).stdout


@pytest.fixture
def repository(history, tmp_path, monkeypatch):
    """Six commits of a program that sleeps: longer from the fourth on. The file as it is is another again."""
    monkeypatch.setitem(PROGRAM_EFFORTS, "quick", ProgramEffort(5, 5, 0.0))
    monkeypatch.setitem(PROGRAM_EFFORTS, "final", ProgramEffort(5, 5, 0.0))
    git("init", "-q", "-b", "main")
    for number in range(6):
        Path("nap.sh").write_text(f"# {number}\nsleep {0.01 if number < 3 else 0.1}\n")
        git("add", "nap.sh")
        git("commit", "-q", "-m", f"number {number}")
    Path("nap.sh").write_text("exit 1\n")
    return history


def test_load_tests_are_listed_and_have_trends(history):
    for day in range(1, 10):
        folder = Path(f"artifacts/2025010{day}T000000Z-load-00000{day}")
        folder.mkdir(parents=True)
        (folder / "load.json").write_text(load_result(day).model_dump_json())
    listed = history("--limit", "3").out
    assert listed.count("load chat") == 3 and "this-machine" in listed
    assert "TTFT p99" in history("00000009"[2:]).out
    trend = history("trend", "load chat", "--of", "time", "--variant", "TTFT p99")
    assert trend.code == 0 and "9 points" in trend.out and "600 ms" in trend.out, trend.out + trend.err
    assert "load chat" in history("query", "select target from results", "--csv").out


def test_bisect_finds_the_commit_and_leaves_the_tree_as_it_is(repository):
    before = git("status", "--porcelain", "--untracked-files=no"), git("branch", "-a"), git("rev-parse", "HEAD")
    options = ("--a", "sh nap.sh", "--effort", "quick", "--no-telemetry", "--device", "cpu")
    done = repository("bisect", "--good", "HEAD~3", "--bad", "HEAD", *options)
    assert done.code == 0 and done.out.splitlines()[-1].strip().endswith("number 3"), done.out + done.err
    after = git("status", "--porcelain", "--untracked-files=no"), git("branch", "-a"), git("rev-parse", "HEAD")
    assert after == before and len(git("worktree", "list").splitlines()) == 1
    assert len(list_runs("artifacts")) >= 3  # every comparison is a saved run


def test_bisect_by_another_quantity_than_wall_time(repository):
    options = ("sh nap.sh", "--effort", "quick", "--no-telemetry", "--device", "cpu", "--delta", "5%")
    metric = ("--metric", "naps:lower=regex:nap ([0-9]+)", "--judge", "naps")
    for number in range(3):
        Path("nap.sh").write_text(f"echo nap {1 if number < 1 else 9}\n# {number}\n")
        git("commit", "-q", "-a", "-m", f"nap {number}")
    done = repository("bisect", "--good", "HEAD~2", "--bad", "HEAD", *options, *metric)
    assert done.code == 0 and done.out.splitlines()[-1].strip().endswith("nap 1"), done.out + done.err
    saved = load_run(list_runs("artifacts")[-1]).options
    assert saved["delta"] == 0.05 and saved["ab"]["judged"] == "naps"


def test_ends_that_differ_by_less_than_delta_are_nothing_to_search_for(repository):
    from perfproof.app import bisect

    small = RatioResult(verdict="slower", ratio=0.98, low=0.97, high=0.99)
    result = TargetResult(target="x", status="ok", ratios={"optimized": small})
    with pytest.raises(PerfproofError, match=r"differ by less than --delta 5%"):
        bisect.search(Path.cwd(), "HEAD~5", "HEAD", lambda *_: result, print, 0.05)


def test_bisect_over_a_pair_reads_it_at_every_commit(repository, monkeypatch):
    """The pair's file says how slow it is; what a worker would measure is read from the two checked-out files."""
    from perfproof.bench.forms import two_environments
    from perfproof.bench.run import Finished

    def run_apart(a, b, options, facts, seed, notify, *_):
        speeds = [float(one.pair.path.read_text().rpartition("# speed ")[2]) for one in (a, b)]
        value = speeds[1] / speeds[0]
        judged = RatioResult(verdict="slower", ratio=value, low=value * 0.99, high=value * 1.01)
        yield Finished(TargetResult(target=a.pair.name, status="ok", ratios={"b": judged}), [], "")

    monkeypatch.setattr(two_environments, "run_apart", run_apart)
    for number, speed in enumerate((100, 99, 101, 80, 82)):
        Path("pair.py").write_text(f"{TEXT}\n# speed {speed}\n")
        git("add", "pair.py")
        git("commit", "-q", "-m", f"pair {number}")
    options = ("--good", "HEAD~4", "--bad", "HEAD", "--no-telemetry", "--device", "cpu")
    done = repository("bisect", "./pair.py", *options)
    assert done.code == 0 and done.out.splitlines()[-1].endswith("pair 3"), done.out + done.err
    assert "good against bad: 0.82x" in done.out and len(git("worktree", "list").splitlines()) == 1
    assert all(load_run(run).options["ab"]["targets"] == ["./pair.py"] for run in list_runs("artifacts"))
    found = json.loads(repository("bisect", "pair.py", *options, "--json").out)
    assert [culprit[8:] for culprit in found["culprits"]] == ["pair 3"] and len(found["steps"]) >= 2


def test_bisect_over_a_function_imports_it_from_every_commit_and_skips_those_without_it(repository, monkeypatch):
    from perfproof.bench.forms import two_environments
    from perfproof.bench.run import Finished

    def run_apart(a, b, options, facts, seed, notify, *_, **__):
        assert "_measured(x)" in a.pair.path.read_text() and "random.random()" in a.pair.path.read_text()
        speeds = [float((one.pair.folders[0] / "work.py").read_text().rpartition("# speed ")[2]) for one in (a, b)]
        value = speeds[1] / speeds[0]
        judged = RatioResult(verdict="slower", ratio=value, low=value * 0.99, high=value * 1.01)
        yield Finished(TargetResult(target=a.pair.name, status="ok", ratios={"b": judged}), [], "")

    monkeypatch.setattr(two_environments, "run_apart", run_apart)
    for number, (name, speed) in enumerate((("f", 100), ("f", 99), ("g", 1), ("f", 101), ("f", 80), ("f", 82))):
        Path("work.py").write_text(f"def {name}(x): return x\n# speed {speed}\n")
        git("add", "work.py")
        git("commit", "-q", "-m", f"work {number}")
    options = ("--good", "HEAD~5", "--bad", "HEAD", "--no-telemetry", "--device", "cpu")
    done = repository("bisect", "work:f", "--args", "random.random()", *options)
    assert done.code == 0 and done.out.splitlines()[-1].endswith("work 4"), done.out + done.err
    assert done.out.count("work has no f at") <= 1 and "last good commit: " in done.out
    refused = repository("bisect", "work.py", "--args", "3", *options)
    assert refused.code == 2 and "--args: only for a function" in refused.err


def test_a_search_says_how_much_is_left_and_ends_within_its_budget(repository, monkeypatch):
    from perfproof.app import bisect

    for number in range(8):
        Path("nap.sh").write_text(f"# {number}\n")
        git("commit", "-q", "-a", "-m", f"number {number}")
    now, said = [0.0], []
    monkeypatch.setattr(bisect.time, "monotonic", lambda: now[0])

    def measure(good, commit, greatest):
        now[0] += 10
        value = 0.5 if int(git("log", "-1", "--format=%s", commit).split()[-1]) >= 5 else 1.0
        judged = RatioResult(verdict="slower", ratio=value, low=value * 0.99, high=value * 1.01)
        return TargetResult(target="x", status="ok", ratios={"optimized": judged})

    def search(budget, good="HEAD~7", bad="HEAD"):
        return bisect.search(Path.cwd(), good, bad, measure, said.append, 0.01, budget)

    whole = search(None)
    assert [one[8:] for one in whole.culprits] == ["number 5"] and not whole.left and not whole.steps_left
    assert said[0] == "7 commits after good HEAD~7 up to bad HEAD: these two are compared first, then about 3 commits"
    assert said[1].endswith("; 7 commits to search, about 3 steps, 30.0 s") and "to search" not in said[-1]
    assert whole.last_good[8:] == "number 4" and whole.known_bad == git("rev-parse", "HEAD~2").strip()
    said.clear()
    cut = search(25.0)
    assert (len(cut.steps), cut.culprits) == (1, []) and 1 < cut.left < 7 and cut.steps_left == 2
    assert said[1].endswith("30.0 s (15.0 s of the budget left)") and "(5.00 s of the budget left)" in said[2]
    rest = search(None, cut.known_good, cut.known_bad)
    assert rest.culprits == whole.culprits and len(rest.steps) < len(whole.steps)


def test_every_step_names_the_last_good_commit_so_far_and_an_interrupted_search_says_how_to_go_on(
    repository, monkeypatch
):
    from perfproof.app import bisect

    for number in range(8):
        Path("nap.sh").write_text(f"# {number}\n")
        git("commit", "-q", "-a", "-m", f"number {number}")
    asked, said = [], []

    def measure(good, commit, greatest):
        asked.append(commit)
        if len(asked) > most:
            raise KeyboardInterrupt
        value = 0.5 if int(git("log", "-1", "--format=%s", commit).split()[-1]) >= 6 else 1.0
        judged = RatioResult(verdict="slower", ratio=value, low=value * 0.99, high=value * 1.01)
        return TargetResult(target="x", status="ok", ratios={"optimized": judged})

    most = 9
    found = bisect.search(Path.cwd(), "HEAD~7", "HEAD", measure, said.append)
    short = [git("log", "-1", "--format=%h", one).strip() for one in ("HEAD~7", "HEAD", found.known_good)]
    for step, line in zip(found.steps, said[2:-1], strict=False):
        now = git("log", "-1", "--format=%h", step.commit).strip()
        short = [now, *short[1:]] if step.mark == "good" else [short[0], now, short[2]]
        assert f"; last good {short[0]}, first bad {short[1]} so far; " in line
    assert found.last_good.startswith(short[2]) and found.last_good.endswith("number 5")
    asked.clear()
    most = 2
    with pytest.raises(KeyboardInterrupt):
        bisect.search(Path.cwd(), "HEAD~7", "HEAD", measure, said.append)
    good, bad = (git("rev-parse", name).strip() for name in (asked[1], "HEAD"))
    assert said[-1].startswith("stopped; last good ") and said[-1].endswith(f"--good {good[:12]} --bad {bad[:12]}")


def test_a_search_that_its_budget_ends_says_how_to_go_on(repository):
    options = ("--a", "sh nap.sh", "--effort", "quick", "--no-telemetry", "--device", "cpu", "--budget", "0.1")
    done = repository("bisect", "--good", "HEAD~3", "--bad", "HEAD", *options)
    assert done.code == 4 and "the budget ended the search: one of 3 commits" in done.out, done.out + done.err
    assert "last good commit: " in done.out and "about 2 steps more would tell" in done.out
    good, bad = (git("rev-parse", name).strip() for name in ("HEAD~3", "HEAD"))
    assert done.out.splitlines()[-1] == f"next: the same command with --good {good[:12]} --bad {bad[:12]}"


def test_the_search_measures_again_where_an_interval_does_not_tell_and_then_skips(repository):
    from perfproof.app import bisect

    asked = []

    def measure(good, commit, greatest):
        number = git("log", "-1", "--format=%s", commit).split()[-1]
        asked.append((number, greatest))
        if number == "2":
            raise PerfproofError("it does not build")
        ratios = {"0": 1.0, "1": 1.0, "3": 0.9, "4": 0.5, "5": 0.5}
        wide = 1.2 if number == "4" and not greatest else 1.05
        judged = RatioResult(
            verdict="slower", ratio=ratios[number], low=ratios[number] / wide**2, high=ratios[number] * wide**2
        )
        return TargetResult(target="x", status="ok", ratios={"optimized": judged})

    found = bisect.search(Path.cwd(), "HEAD~5", "HEAD", measure, lambda line: None)
    assert found.culprits and found.culprits[0].endswith("number 4")
    assert all(step.mark == "skip" for step in found.steps if "build" in step.why)
    assert json.dumps(found.as_json())


def test_ends_that_do_not_differ_are_nothing_to_search_for(repository):
    from perfproof.app import bisect

    same = RatioResult(verdict="same", ratio=1.001, low=0.998, high=1.004)
    result = TargetResult(target="x", status="ok", ratios={"optimized": same})
    with pytest.raises(PerfproofError, match=r"do not differ here: 1\.001x"):
        bisect.search(Path.cwd(), "HEAD~5", "HEAD", lambda *_: result, print)


@pytest.mark.parametrize(
    ("low", "high", "middle", "side"),
    [
        (0.5, 0.6, -0.35, "bad"),
        (0.95, 1.05, -0.35, "good"),
        (0.6, 0.9, -0.35, None),
        (1.9, 2.1, 0.35, "bad"),
        (0.9, 1.1, 0.35, "good"),
    ],
)
def test_a_commit_is_with_the_end_on_whose_side_its_interval_lies(low, high, middle, side):
    from perfproof.app.bisect import side_of

    assert side_of(RatioResult(verdict="slower", ratio=1.0, low=low, high=high), middle) == side
    assert side_of(RatioResult(verdict="indicative", ratio=1.0), middle) is None


def test_a_target_with_markup_in_its_name_is_text_on_the_page(history, tmp_path):
    for number in range(9):
        write_run(tmp_path / "artifacts", number, [a_target("<img src=x onerror=alert(1)>")])
    assert history("trend", "<img src=x onerror=alert(1)>", "--html", "page.html").code == 0
    assert "<img" not in Path("page.html").read_text()
