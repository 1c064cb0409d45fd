"""`perfproof profile`: lines are corrected, counters listed with their cost; no GPU, no torch."""

import json
import subprocess
import sys

import pytest


def test_a_wrong_line_is_corrected_with_reasons_and_the_line_comes_last(perfproof):
    shown = perfproof("profile", "--lint", "nsys profile -s cpu --multi-gpu=all python a.py")
    assert shown.code == 0
    lines = [" ".join(line.split()) for line in shown.out.splitlines()]
    assert lines[:3] == ["wrong -s cpu", "why cpu is an old name of the value", "right -s process-tree"]
    assert "right (dropped)" in lines
    assert lines[-1] == "nsys profile -s process-tree python a.py"


def test_a_right_line_is_said_to_be_right(perfproof):
    shown = perfproof("profile", "--lint", "ncu -o r ./app", "--strict")
    assert shown.code == 0
    assert shown.out == "nothing to correct\n\nncu -o r ./app\n"


def test_strict_makes_a_wrong_line_a_failed_gate(perfproof):
    assert perfproof("profile", "--lint", "ncu --mode=launch ./app", "--strict").code == 1


def test_lint_as_json(perfproof):
    shown = json.loads(perfproof("profile", "--lint", "ncu --mode=launch ./app", "--json").out)
    assert shown["line"] == "ncu ./app"
    assert [(one["level"], one["what"]) for one in shown["findings"]] == [("wrong", "--mode=launch")]


def test_the_counters_of_a_preset_are_listed_with_their_cost(perfproof):
    shown = perfproof("profile", "--metrics", "quick")
    lines = shown.out.splitlines()
    assert shown.code == 0
    assert lines[0] == "# quick on GH100: 5 metrics, every kernel runs about 1 time"
    assert lines[1] == "gpu__time_duration.sum" and len(lines) == 6


def test_a_chapter_shows_its_traces_and_what_the_chip_has_not(perfproof):
    out = perfproof("profile", "--metrics", "ch11", "--chip", "h200", "--tag", "graphs").out
    assert "# nsys profile --trace=cuda,nvtx --cuda-graph-trace=node" in out
    assert "# TMEM: GH100 has no counters for it" in out
    assert "sm__mem_tensor" not in out


def test_additions_and_omissions_as_json(perfproof):
    arguments = ["--add", "flop_count_sp", "--drop", "BASE.time", "--chip", "b200", "--json"]
    shown = json.loads(perfproof("profile", "--metrics", "quick", *arguments).out)
    assert "sm__sass_thread_inst_executed_op_ffma2_pred_on.sum" in shown["metrics"]
    assert "gpu__time_duration.sum" not in shown["metrics"]
    assert shown["least_passes"] <= shown["most_passes"]
    assert "taken for" in shown["notes"][0]


def test_no_replay_is_needed_for_what_comes_with_the_launch(perfproof):
    assert perfproof("profile", "--metrics", "launch").out.startswith("# LAUNCH on GH100: 11 metrics, no replay\n")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ([], 2, "say either --lint"),
        (["--lint", "ncu", "--metrics", "quick"], 2, "say either --lint"),
        (["--metrics", "ch33"], 5, "there is no chapter, preset or group 'ch33'"),
        (["--metrics", "quick", "--chip", "v100"], 2, "--chip 'v100' has no list of counters here"),
        (["--metrics", "quick", "--add", "sm__warp_active.avg"], 2, "sm__warps_active.avg"),
    ],
)
def test_what_makes_no_sense_is_one_line(perfproof, arguments, code, said):
    shown = perfproof("profile", *arguments)
    assert shown.code == code and not shown.out
    assert shown.err.count("\n") == 1 and said in shown.err


def test_nothing_heavy_is_loaded():
    code = (
        "import sys\nfrom perfproof.cli.app import main\nmain(['profile', '--metrics', 'ch09'])\n"
        "sys.exit(any(name in sys.modules for name in ('torch', 'numpy', 'scipy', 'pydantic', 'matplotlib')))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0
