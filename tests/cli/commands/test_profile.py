"""`perfproof profile`: pairs and commands are profiled; lines are corrected, counters listed with their cost."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from perfproof.app import profile as app_profile
from perfproof.core.doctor import Finding
from perfproof.core.schema import schema_text
from perfproof.machine.probes import nsight_compute
from perfproof.profile.reading import read
from perfproof.profile.steps import find_steps
from tests.profile.adapters.conftest import NCU, fake_tool  # noqa: F401  # a fixture

PAIR = '''"""Add them at once.

Five additions read everything five times.
"""
import torch
workload = dict(n=1000)
workload_cpu = dict(n=1000)
smoke = dict(n=50)
tolerance = dict(rtol=1e-5, atol=1e-5)  # five roundings
tier = "naive"
def inputs(n):
    return (torch.rand(n),)
def reference(x):
    return x.double() * 5
def baseline(x):
    return x + x + x + x + x
def optimized(x):
    return x * 5
def optimized_other(x):
    return 5 * x + 0
def cost(n):
    return dict(flops=n, bytes=8 * n)
'''


def saved(folder="."):
    (path,) = Path(folder).glob("artifacts/profiles/*/profile.json")
    return json.loads(path.read_text()), path.parent


def test_the_sides_of_a_pair_are_profiled_and_compared(perfproof, warm_interpreters, tmp_path):
    (tmp_path / "pair.py").write_text(PAIR)
    shown = perfproof(
        "profile",
        "pair.py",
        "--tool",
        "torch",
        "--variant",
        "baseline",
        "--variant",
        "optimized",
        "--fast",
        "--calls",
        4,
    )
    assert shown.code == 0, shown.out + shown.err
    record, folder = saved()
    jsonschema.validate(record, json.loads(schema_text("profile")))
    assert [(one["variant"], one["status"], one["calls"]) for one in record["captures"]] == [
        ("baseline", "ok", 4),
        ("optimized", "ok", 4),
    ]
    assert record["sizes"] == {"n": 50} and record["device"] == "cpu"
    launches = [{one["name"]: one["launches"] for one in capture["portions"]} for capture in record["captures"]]
    assert launches[0]["aten::add"] == 4 and launches[1]["aten::mul"] == 1  # a call
    (difference,) = record["differences"]
    changes = {row["name"]: row["change"] for row in difference["rows"]}
    assert changes["aten::add"] == "gone" and changes["aten::mul"] == "added"
    for one in record["captures"][0]["files"]:
        assert hashlib.sha256((folder / one["name"]).read_bytes()).hexdigest() == one["sha256"]
    lines = shown.out.splitlines()
    assert lines[0] == "torch: records operators, kernels, shapes"
    assert lines[-2].startswith("look  perfproof view artifacts/profiles/")
    steps = find_steps(read(folder / "baseline.trace.json.gz"))
    assert len(steps.steps) == 4 and steps.source == "ranges called 'step'"
    assert any(line.startswith("  - gone    aten::add") for line in lines)
    assert lines[-1].startswith("next  perfproof diagnose artifacts/profiles/")
    assert Path(lines[-1].split()[-1]).is_file()


def test_a_script_that_is_not_there_is_refused_before_anything_runs(perfproof, tmp_path):
    refused = perfproof("profile", "--", sys.executable, "-u", "nope.py")
    assert refused.code == 2 and "no file 'nope.py'" in refused.err and not (tmp_path / "artifacts").exists()


def test_a_command_that_fails_is_a_failed_profile_that_is_kept(perfproof, tmp_path):
    (tmp_path / "train.py").write_text("import sys\nprint('out')\nsum(range(1000))\nsys.exit(int(sys.argv[2]))\n")
    shown = perfproof("profile", "--profile", "none", "--json", "--", sys.executable, "train.py", "--tool", "7")
    assert shown.code == 4, shown.err
    record = json.loads(shown.out)
    assert record == saved()[0]
    assert record["program"] == [sys.executable, "train.py", "--tool", "7"]  # nothing after -- is ours
    assert (record["tool"], record["captures"][0]["exit_code"]) == ("telemetry", 7)
    assert "telemetry: records telemetry" in shown.err
    assert (saved()[1] / "command.stdout").read_text() == "out\n"


@pytest.mark.parametrize("share", [0.9, 0.1, None])
def test_a_profile_on_a_busy_machine_says_so_and_keeps_it(perfproof, tmp_path, monkeypatch, share):
    monkeypatch.setattr(app_profile, "busy_share", lambda: share)
    (tmp_path / "train.py").write_text("print('out')\n")
    shown = perfproof("profile", "--profile", "none", "--json", "--", sys.executable, "train.py")
    notes = [note for note in json.loads(shown.out)["captures"][0]["notes"] if "other programs" in note]
    assert notes == [note for note in saved()[0]["captures"][0]["notes"] if "other programs" in note]
    assert len(notes) == (share == 0.9) and all("90 % of the CPU time" in note for note in notes)


TRAINING = """
import torch
model = torch.nn.Linear(8, 8)
learner = torch.optim.SGD(model.parameters(), lr=0.1)
torch.ones(3).cumsum(0)
for _ in range(12):
    model(torch.ones(4, 8)).sum().backward()
    learner.step()
print("trained")
"""


def test_a_few_steady_steps_of_a_program_are_recorded_and_it_runs_to_its_end(perfproof, warm_python, tmp_path):
    (tmp_path / "train.py").write_text(TRAINING)
    window = ("--steps", "2", "--wait", "3")
    shown = perfproof("profile", "--tool", "torch", *window, "--json", "--", sys.executable, "train.py")
    assert shown.code == 0, shown.err
    capture, folder = json.loads(shown.out)["captures"][0], saved()[1]
    assert capture["exit_code"] == 0 and "trained" in (folder / "command.stdout").read_text()
    assert any("2 steps" in note for note in capture["notes"])
    assert not [one for one in capture["portions"] if one["name"] == "aten::cumsum"]
    diagnosed = perfproof("diagnose", str(folder), "--json")
    assert json.loads(diagnosed.out)["steps"][0]["used"] >= 1  # one that was interrupted is left out


def test_a_tool_that_is_absent_is_said_with_what_helps_and_is_saved(perfproof, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
    shown = perfproof("profile", "--tool", "nsys", "--", sys.executable, "-c", "0")
    assert shown.code == 3
    assert "why   nsys is not on the PATH" in shown.out and "fix   " in shown.out
    assert saved()[0]["captures"][0]["status"] == "absent"
    assert "diagnose" not in shown.out


def test_counters_and_passes_are_printed_before_anything_runs(perfproof, fake_tool, monkeypatch):  # noqa: F811
    works = Finding(name="ncu", state="works", version="2025.3.1.0")
    monkeypatch.setattr(nsight_compute, "probe", lambda: works)
    fake_tool("ncu", NCU.replace("PROFILE", "sys.exit('==ERROR== ERR_NVGPUCTRPERM - no permission')"))
    shown = perfproof(
        "profile", "--tool", "ncu", "--metrics", "ch07", "--chip", "h200", "--", sys.executable, "-c", "0"
    )
    assert shown.code == 3
    lines = shown.out.splitlines()
    listed = perfproof("profile", "--metrics", "ch07", "--chip", "h200", "--json")
    counters = json.loads(listed.out)
    passes = counters["most_passes"]
    assert lines[0] == f"ncu: {len(counters['metrics'])} metrics, every kernel runs about {passes} times"
    assert lines[1 : 1 + len(counters["metrics"])] == [f"  {name}" for name in counters["metrics"]]
    assert "denied" in shown.out and "NVreg_RestrictProfilingToAdminUsers=0" in shown.out


def test_a_hang_is_ended_and_said(perfproof, monkeypatch):
    from perfproof.profile import profiling

    monkeypatch.setattr(profiling, "GRACE_SECONDS", 0.1)
    hang = "import signal, time; signal.signal(signal.SIGINT, signal.SIG_IGN); time.sleep(600)"
    shown = perfproof("profile", "--profile", "none", "--timeout", "1", "--", sys.executable, "-c", hang)
    assert shown.code == 4 and "timeout" in shown.out and "--timeout gives longer" in shown.out


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["pair.py", "--", "ls"], 2, "a target, or a command after --, or --pid; not two"),
        (["--"], 2, "there is no command after --"),
        (["--", "no-such-program"], 2, "there is no program 'no-such-program'"),
        (["pair.py", "--lint", "ncu a"], 2, "--lint runs nothing"),
        (["pair.py", "--profile", "full"], 2, "choose none, minimal, roofline, deep"),
        (["pair.py", "--tool", "nvprof"], 2, "--tool 'nvprof' is unknown: choose auto"),
        (["pair.py", "--variant", "tiled"], 5, "it has baseline, optimized, optimized_other"),
        (["pair.py", "--profile", "none", "--tool", "ncu"], 2, "--profile none uses no profiler"),
        (["pair.py", "--calls", "0"], 2, "--calls 0: write at least one"),
        (["none.py"], 5, "no file 'none.py'"),
        (["pair.py", "--steps", "3"], 2, "use --calls"),
        (["--steps", "2", "--duration", "1s", "--", "ls"], 2, "choose one"),
        (["--profile", "none", "--wait", "5s", "--", "ls"], 2, "need --tool torch"),
    ],
)
def test_what_cannot_be_profiled_is_one_line(perfproof, tmp_path, arguments, code, said):
    (tmp_path / "pair.py").write_text(PAIR)
    shown = perfproof("profile", *arguments)
    assert shown.code == code and not shown.out
    assert shown.err.count("\n") == 1 and said in shown.err


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
    share = perfproof("profile", "--lint", "ncu --metrics sm__throughput.avg.pct ./app", "--strict")
    assert share.code == 1
    assert share.out.endswith("ncu --metrics=sm__throughput.avg.pct_of_peak_sustained_elapsed ./app\n")


def test_lint_as_json(perfproof):
    shown = json.loads(perfproof("profile", "--lint", "ncu --mode=launch ./app", "--json").out)
    assert shown["line"] == "ncu ./app"
    assert [(one["level"], one["what"]) for one in shown["findings"]] == [("wrong", "--mode=launch")]


def test_metrics_may_be_named_more_than_once(perfproof):
    both = perfproof("profile", "--metrics", "COAL", "--metrics", "SMEM").out.splitlines()[1:]
    apart = [perfproof("profile", "--metrics", name).out.splitlines()[1:] for name in ("COAL", "SMEM")]
    assert both == [*apart[0], *apart[1]]


def test_the_counters_of_a_preset_are_listed_with_their_cost(perfproof):
    shown = perfproof("profile", "--metrics", "quick")
    lines = shown.out.splitlines()
    assert shown.code == 0
    assert lines[0] == "# quick on GH100: 6 metrics, every kernel runs about 1 time"
    assert lines[1] == "gpu__time_duration.sum" and len(lines) == 7


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
        ([], 2, "say what to profile"),
        (["--lint", "ncu", "--metrics", "quick"], 2, "either --lint LINE or --metrics"),
        (["--lint", "", "--strict"], 2, "there is no nsys or ncu in ''"),
        (["--lint", "foo bar"], 2, "there is no nsys or ncu in 'foo bar'"),
        (["--metrics", "ch33"], 5, "there is no chapter, preset or group 'ch33'"),
        (["--metrics", "quick", "--chip", "v100"], 2, "--chip 'v100' has no list of counters here"),
        (["--metrics", "quick", "--add", "sm__warp_active.avg"], 2, "sm__warps_active.avg"),
    ],
)
def test_what_makes_no_sense_is_one_line(perfproof, arguments, code, said):
    shown = perfproof("profile", *arguments)
    assert shown.code == code and not shown.out
    assert shown.err.count("\n") == 1 and said in shown.err


def test_torch_is_loaded_by_the_profiled_process_alone(tmp_path):
    (tmp_path / "pair.py").write_text(PAIR)
    code = (
        "import os, sys\nos.environ['PATH'] = ''\nfrom perfproof.cli.app import main\n"
        "code = main(['profile', 'pair.py', '--tool', 'nsys'])\n"
        "sys.exit(code if not {'torch', 'triton'} & set(sys.modules) else 99)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True).returncode == 3


def test_nothing_heavy_is_loaded():
    code = (
        "import sys\nfrom perfproof.cli.app import main\nmain(['profile', '--metrics', 'ch09'])\n"
        "sys.exit(any(name in sys.modules for name in ('torch', 'numpy', 'scipy', 'pydantic', 'matplotlib')))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0


def test_a_process_that_is_not_there_and_a_tool_that_cannot_attach_are_refused(perfproof):
    assert "no such process" in perfproof("profile", "--pid", 2**22 + 1).err
    refused = perfproof("profile", "--pid", 1, "--tool", "nsys")
    assert refused.code == 2 and "choose --tool perf or gil or syscalls" in refused.err
    assert perfproof("profile", "ch01:batched_gemm", "--pid", 1).code == 2
