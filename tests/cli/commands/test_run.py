"""`perfproof run`, with a bench that measures nothing: what is saved, printed and returned."""

import gzip
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from perfproof.core.errors import UnfitError
from perfproof.history.folders import list_runs, load_run
from perfproof.machine import preflight


def saved(folder="artifacts"):
    return load_run(list_runs(folder)[-1])


def test_a_run_is_measured_saved_and_shown(perfproof, pair_files, fake_bench):
    done = perfproof("run", *pair_files("a", "b"))
    assert done.code == 0
    assert "faster   2.00x [1.90, 2.10]" in done.out
    assert done.out.splitlines()[-1].startswith("next: perfproof ")
    run = saved()
    assert (run.state, run.planned, [target.target for target in run.targets]) == ("finished", ["a", "b"], ["a", "b"])
    assert run.finished and run.machine["kind"] and run.perfproof_version and run.git


def test_samples_and_logs_lie_beside_the_document(perfproof, pair_files, fake_bench):
    perfproof("run", *pair_files("a"))
    folder, (target,) = list_runs("artifacts")[-1], saved().targets
    assert gzip.decompress((folder / target.samples).read_bytes()) == b'{"seconds":0.001}\n'
    assert (folder / target.log).read_text() == "log of a"


def test_progress_goes_to_standard_error(perfproof, pair_files, fake_bench):
    done = perfproof("run", *pair_files("a", "b"))
    assert done.err == "plan of a\n[1/2] a: faster (1.50 s)\nplan of b\n[2/2] b: faster (1.50 s)\n"
    assert perfproof("run", "a.py").err == "plan of a\n", "the result of one target follows at once"


def test_json_prints_the_document_and_nothing_else(perfproof, pair_files, fake_bench):
    done = perfproof("run", *pair_files("a"), "--json")
    assert done.err == ""
    assert done.out == (list_runs("artifacts")[-1] / "run.json").read_text()
    assert json.loads(done.out)["targets"][0]["target"] == "a"


@pytest.mark.parametrize(
    ("format", "begins"), [("table", "verdict"), ("md", "**"), ("csv", "target,"), ("junit", "<testsuites>")]
)
def test_every_format_can_be_chosen(perfproof, pair_files, fake_bench, format, begins):
    out = perfproof("run", *pair_files("a"), "--format", format).out
    assert any(line.startswith(begins) for line in out.splitlines())


@pytest.mark.parametrize(
    ("outcomes", "code"),
    [
        (["ok", "skipped"], 0),
        (["skipped", "refused"], 1),
        (["failed-verification", "ok"], 1),
        (["rejected", "ok"], 1),
        (["crashed", "failed-verification"], 4),
        (["timeout", "ok"], 4),
    ],
)
def test_the_gravest_status_gives_the_exit_code(perfproof, pair_files, fake_bench, outcomes, code):
    fake_bench.outcomes = dict(zip("ab", outcomes, strict=True))
    assert perfproof("run", *pair_files("a", "b")).code == code


def test_a_file_that_breaks_the_contract_is_refused_and_the_others_run(perfproof, pair_files, fake_bench, tmp_path):
    files = pair_files("a", "b")
    (tmp_path / "b.py").write_text('"""A lesson."""\n')
    done = perfproof("run", *files)
    assert done.code == 2
    by_name = {target.target: target for target in saved().targets}
    assert (by_name["a"].status, by_name["b"].status) == ("ok", "refused")
    assert "b.py" in by_name["b"].reason and by_name["b"].reason in " ".join(done.out.split())


@pytest.mark.parametrize("form", [[], ["--json"]], ids=["table", "json"])
def test_a_run_that_refuses_every_target_says_why_and_leaves_no_folder(perfproof, pair_files, fake_bench, form):
    files = pair_files("a", "b")
    Path("a.py").write_text('"""A lesson."""\n')
    fake_bench.outcomes = {"b": "refused"}
    done = perfproof("run", *files, *form)
    assert done.code == 2 and "a.py" in done.out and "it was refused" in done.out and "saved in" not in done.out
    assert not list_runs("artifacts") and perfproof("report", "latest").code == 5


def test_a_refused_run_is_not_in_the_history_and_a_skipped_one_is_kept(perfproof, pair_files, fake_bench):
    perfproof("history", "reindex")
    fake_bench.outcomes = {"a": "refused", "b": "skipped"}
    files = pair_files("a", "b")
    perfproof("run", files[0])
    assert json.loads(perfproof("history", "--json").out) == []
    perfproof("run", *files)
    assert len(list_runs("artifacts")) == 1 and len(json.loads(perfproof("history", "--json").out)) == 1


def test_a_crash_beside_a_broken_contract_is_the_graver(perfproof, pair_files, fake_bench, tmp_path):
    files = pair_files("a", "b")
    (tmp_path / "b.py").write_text('"""A lesson."""\n')
    fake_bench.outcomes = {"a": "crashed"}
    assert perfproof("run", *files).code == 4


def test_options_reach_the_bench(perfproof, pair_files, fake_bench):
    arguments = "--effort=final --budget=2m --timeout=10 --delta=2% --threads=1 --seed=00FF --device=cpu --allow=all"
    perfproof("run", *pair_files("a"), *arguments.split())
    (call,) = fake_bench.calls
    options = call.options
    assert (options.effort, options.budget, options.timeout, options.delta) == ("final", 120, 10, 0.02)
    assert (options.threads, options.device, call.seed, call.facts.device) == (1, "cpu", "00ff", "cpu")
    assert saved().seed == "00ff"


def test_without_a_seed_each_run_draws_its_own(perfproof, pair_files, fake_bench):
    files = pair_files("a")
    perfproof("run", *files)
    perfproof("run", *files)
    first, second = (call.seed for call in fake_bench.calls)
    assert first != second and len(first) == 32
    assert saved().options["seed"] is None


def test_fast_is_quick_effort_at_smoke_sizes(perfproof, pair_files, fake_bench, monkeypatch):
    perfproof("run", *pair_files("a"), "--fast")
    monkeypatch.setenv("PERFPROOF_FAST", "1")
    perfproof("run", "a.py")
    assert [(call.options.fast, call.options.effort) for call in fake_bench.calls] == [(True, "quick")] * 2


@pytest.mark.parametrize("effort", ["standard", "final"])
def test_fast_beside_another_effort_is_stored_and_printed_as_the_quick_effort_that_it_is(
    perfproof, pair_files, fake_bench, effort
):
    done = perfproof("run", *pair_files("a"), "--fast", "--effort", effort)
    assert done.code == 0, "no claim is made, so no warning about the machine refuses it"
    assert saved().options["effort"] == "quick" and "quick effort, smoke sizes" in " ".join(done.out.split())
    Path("pyproject.toml").write_text(f'[tool.perfproof]\neffort = "{effort}"\n')
    assert perfproof("run", "a.py", "--fast").code == 0 and saved().options["effort"] == "quick"


def test_sizes_can_be_set(perfproof, pair_files, fake_bench):
    (file,) = pair_files("a")
    done = perfproof("run", file, "--set", "a.nothing=5")
    assert done.code == 2
    key = done.err.rsplit("its sizes are ", 1)[1].split(",")[0].strip()
    assert perfproof("run", file, "--set", f"a.{key}=5").code == 0
    assert fake_bench.calls[0].planned[0].sizes == {key: 5}
    assert saved().options["sizes"] == {"a": {key: 5}}


def test_a_variant_can_be_chosen_and_an_unknown_one_is_refused(perfproof, pair_files, fake_bench):
    (file,) = pair_files("a")
    assert perfproof("run", file, "--variant", "optimized").code == 0
    assert fake_bench.calls[0].options.variants == ("optimized",)
    refused = perfproof("run", file, "--variant", "magic")
    assert refused.code == 5 and "no selected target has the variant 'magic'" in refused.err


def test_no_target_is_the_tour_with_a_budget(perfproof, fake_bench):
    done = perfproof("run")
    (call,) = fake_bench.calls
    chapters = [plan.pair.chapter for plan in call.planned]
    assert done.code == 0 and f"the tour: {len(chapters)} pairs of different chapters, at most" in done.err
    assert chapters and len(set(chapters)) == len(chapters)
    assert call.options.budget == 60 * len(chapters)
    assert "-tour-" in saved().run


def test_the_tour_takes_another_budget(perfproof, fake_bench):
    perfproof("run", "--budget", "60")
    assert fake_bench.calls[0].options.budget == 60


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["nowhere.py"], 5, "nowhere.py"),
        (["-k", "surely not there"], 5, "surely not there"),
        (["a.py", "--effort", "best"], 2, "choose quick, standard, final"),
        (["a.py", "--format", "pdf"], 2, "choose csv, html, junit, md, table"),
        (["a.py", "--device", "gpu"], 2, "unknown device"),
        (["a.py", "--budget", "soon"], 2, "--budget 'soon' is no time"),
        (["a.py", "--threads", "0"], 2, "at least one thread"),
        (["a.py", "--seed", "xyz"], 2, "hexadecimal"),
    ],
)
def test_what_makes_no_sense_is_one_line_and_leaves_no_folder(
    perfproof, pair_files, fake_bench, arguments, code, text, tmp_path
):
    pair_files("a")
    refused = perfproof("run", *arguments)
    assert refused.code == code
    assert text in refused.err and refused.err.count("\n") == 1
    assert not (tmp_path / "artifacts").exists()


def test_a_machine_that_is_not_fit_is_exit_3(perfproof, pair_files, fake_bench, monkeypatch):
    def refuse(seen, shared):
        raise UnfitError("others compute on the GPU")

    monkeypatch.setattr(preflight, "preflight", refuse)
    refused = perfproof("run", *pair_files("a"))
    assert (refused.code, refused.err) == (3, "perfproof: others compute on the GPU\n")


def test_warnings_about_the_machine_are_saved_and_shown(perfproof, pair_files, fake_bench, monkeypatch):
    from perfproof.core.warnings import warn

    found = [warn("W107", "busy, busy"), warn("W131", "little memory"), warn("W108", "virtual")]
    monkeypatch.setattr(preflight, "preflight", lambda seen, shared: found)
    done = perfproof("run", *pair_files("a"))
    assert "machine busy" in done.out and "W131 little memory" in done.out and "W108" not in done.out
    assert "W108 virtual" in perfproof("run", "a.py", "--notes").out
    assert saved().machine["warnings"][0] == {"code": "W107", "text": "busy, busy", "kind": "warning"}
    assert [one["kind"] for one in saved().machine["warnings"]] == ["warning", "warning", "note"]


def test_quiet_is_the_sentence_and_nothing_else(perfproof, pair_files, fake_bench):
    done = perfproof("run", *pair_files("a"), "-q")
    assert done.out.count("\n") == 1 and "2.00x faster than baseline (2.00 ms → 1.00 ms)" in done.out
    assert done.err == ""
    fake_bench.outcomes = {"a": "crashed"}
    failed = perfproof("run", "a.py", "--quiet")
    assert (failed.code, failed.out, failed.err) == (4, "a: crashed: it was crashed\n", "")


def test_quiet_excludes_what_adds_to_the_table(perfproof, pair_files, fake_bench):
    pair_files("a")
    for more in ("--notes", "-v"):
        refused = perfproof("run", "a.py", "-q", more)
        assert refused.code == 2 and "exclude each other" in refused.err


def test_v_is_details(perfproof, pair_files, fake_bench):
    pair_files("a")
    assert perfproof("run", "a.py", "-v").code == perfproof("run", "a.py", "--details").code == 0


@pytest.mark.parametrize("columns", ["60", "75", "140"])
def test_the_width_follows_columns_and_is_100_without(perfproof, pair_files, fake_bench, monkeypatch, columns):
    files = pair_files("a_pair_with_a_name_that_is_not_short", "b")
    fake_bench.outcomes = {"b": "crashed"}
    monkeypatch.setattr("tests.cli.conftest.REASON", "it was ended by the system because it took all the memory " * 3)
    assert max(map(len, perfproof("run", *files).out.splitlines())) in range(90, 101)
    monkeypatch.setenv("COLUMNS", columns)
    longest = max(map(len, perfproof("run", *files).out.splitlines()))
    assert int(columns) - 15 < longest <= int(columns)
    monkeypatch.setenv("COLUMNS", "20")
    assert max(map(len, perfproof("run", *files).out.splitlines())) <= 60, "narrower than this nothing can be read"


def test_a_claim_from_an_unfit_machine_is_refused_and_says_how_to_allow_it(
    perfproof, pair_files, fake_bench, monkeypatch, tmp_path
):
    from perfproof.core.warnings import warn

    found = [warn("W107", "busy, busy"), warn("W108", "this is a virtual machine")]
    monkeypatch.setattr(preflight, "preflight", lambda seen, shared: found)
    refused = perfproof("run", *pair_files("a"), "--effort", "final", "--allow", "virtual")
    assert refused.code == 3 and refused.err.count("\n") == 1
    assert "W107 busy, busy" in refused.err and "--allow load" in refused.err and "W108" not in refused.err
    assert not (tmp_path / "artifacts").exists()


@pytest.mark.parametrize("words", [["--allow", "load", "--allow", "W108"], ["--allow", "all"]])
def test_a_claim_is_made_where_each_reason_is_allowed_and_stored(perfproof, pair_files, fake_bench, monkeypatch, words):
    from perfproof.core.warnings import warn

    found = [warn("W107", "busy, busy"), warn("W108", "this is a virtual machine")]
    monkeypatch.setattr(preflight, "preflight", lambda seen, shared: found)
    assert perfproof("run", *pair_files("a"), "--effort", "final", *words).code == 0
    assert {"W107", "W108"} <= set(saved().options["allow"])
    assert [warning["code"] for warning in saved().machine["warnings"]] == ["W107", "W108"]


def test_other_efforts_are_only_warned(perfproof, pair_files, fake_bench, monkeypatch):
    from perfproof.core.warnings import warn

    monkeypatch.setattr(preflight, "preflight", lambda seen, shared: [warn("W107", "busy, busy")])
    assert perfproof("run", *pair_files("a"), "--effort", "standard").code == 0


def test_a_gpu_that_is_shared_may_be_allowed_by_either_option(perfproof, pair_files, fake_bench, monkeypatch):
    from perfproof.core.warnings import warn

    def only_if_shared(seen, shared):
        if not shared:
            raise UnfitError("others compute on the GPU")
        return [warn("W122", "1 other process")]

    monkeypatch.setattr(preflight, "preflight", only_if_shared)
    files = pair_files("a")
    for option in (["--shared"], ["--allow", "shared"]):
        assert perfproof("run", *files, "--effort", "final", *option).code == 0
    assert perfproof("run", *files, "--effort", "final", "--allow", "load").code == 3


def test_a_reason_that_does_not_exist_is_a_usage_error(perfproof, pair_files, fake_bench):
    refused = perfproof("run", *pair_files("a"), "--allow", "lode")
    assert refused.code == 2 and "write all, a code, or one of load, virtual" in refused.err


def test_ctrl_c_saves_what_is_finished_and_ends_the_workers(perfproof, pair_files, fake_bench):
    fake_bench.outcomes = {"b": KeyboardInterrupt()}
    stopped = perfproof("run", *pair_files("a", "b", "c"))
    assert stopped.code == 130
    assert "interrupted: 1 of 3 targets done" in stopped.out
    assert fake_bench.closed == 1
    run = saved()
    assert (run.state, run.planned, [target.target for target in run.targets]) == (
        "interrupted",
        ["a", "b", "c"],
        ["a"],
    )


def test_a_bug_in_the_bench_loses_nothing_finished(perfproof, pair_files, fake_bench):
    fake_bench.outcomes = {"b": RuntimeError("bench is broken")}
    broken = perfproof("run", *pair_files("a", "b"))
    assert broken.code == 1 and "bench is broken" in broken.err
    assert (saved().state, len(saved().targets)) == ("interrupted", 1)


def test_the_document_names_all_targets_before_the_first_is_measured(perfproof, pair_files, fake_bench, monkeypatch):
    from perfproof.bench import run as bench

    seen = []

    def look(planned, *rest):
        seen.append(saved())
        return iter(())

    monkeypatch.setattr(bench, "run_targets", lambda *a: (look(*a), (yield from ()))[1])
    perfproof("run", *pair_files("a", "b"))
    assert (seen[0].planned, seen[0].targets, seen[0].state) == (["a", "b"], [], "running")


SLOW = """
import sys, time
from perfproof.bench import run as bench
from perfproof.core.documents import TargetResult
from perfproof.cli.app import main

def run_targets(planned, options, facts, seed, notify, *_):
    try:
        yield bench.Finished(TargetResult(target="a", status="skipped"), [], "")
        print("waiting", file=sys.stderr, flush=True)
        time.sleep(600)
    finally:
        print("closed", file=sys.stderr, flush=True)
        time.sleep(float(sys.argv[2]))

bench.run_targets = run_targets
sys.exit(main(["run", sys.argv[1]]))
"""


def interrupted(tmp_path, signals, close_seconds):
    """A real process that is sent real signals: the first while it measures, the second while it closes."""
    program = [sys.executable, "-c", SLOW, "a.py", str(close_seconds)]
    paths = os.environ | {"PYTHONPATH": os.pathsep.join(os.path.abspath(path) for path in sys.path)}
    process = subprocess.Popen(program, cwd=tmp_path, env=paths, stdout=-1, stderr=-1, text=True)
    for number, until in zip(signals, ("waiting\n", "closed\n"), strict=False):
        while process.stderr.readline() != until:
            assert process.poll() is None
        os.kill(process.pid, number)
    out, _ = process.communicate(timeout=60)
    return process.returncode, out, load_run(list_runs(tmp_path / "artifacts")[-1])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_run_with_its_table(pair_files, tmp_path, number):
    pair_files("a")
    code, out, run = interrupted(tmp_path, [number], close_seconds=0)
    assert (code, run.state, len(run.targets)) == (130, "interrupted", 1)
    assert "skipped" in out


def test_a_second_ctrl_c_ends_at_once(pair_files, tmp_path):
    pair_files("a")
    code, _, run = interrupted(tmp_path, [signal.SIGINT, signal.SIGINT], close_seconds=600)
    assert (code, run.state, len(run.targets)) == (130, "interrupted", 1)


def test_sanitize_prints_what_the_tool_found_and_measures_nothing(perfproof, pair_files, tmp_path, monkeypatch):
    printed = Path(__file__).parents[2] / "profile" / "sanitizer" / "memcheck_errors.txt"
    program = tmp_path / "bin" / "compute-sanitizer"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\ncat {printed}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    done = perfproof("run", *pair_files("a"), "--sanitize")
    assert done.code == 1 and "failed-verification" in done.out
    assert "memcheck failed" in done.out and "coalesced_copy.cu:18" in " ".join(done.out.split())
    (target,) = saved().targets
    first = target.sanitizers[0]
    assert (first.tool, first.result, first.errors) == ("memcheck", "fail", 2)


def test_sanitize_says_why_a_target_that_cannot_run_here_was_not_checked(perfproof, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    done = perfproof("run", "ch06:parallel_add", "--sanitize", "--details", "--device", "cpu")
    assert done.code == 0 and "memcheck not run: needs a GPU" in done.out
    target = saved().targets[0]
    assert {one.result for one in target.sanitizers} == {"not-run"}
    assert [one.kernel for one in target.kernel_resources] == ["add", "add"]
    assert "registers" in done.out and "spills 0 B" in done.out
