"""ncu: the counters are announced, only the range is replayed, a refusal of the driver is said and not shown as 0."""

import json

import pytest

from perfproof.core.doctor import Finding
from perfproof.machine.probes import nsight_compute
from perfproof.profile.adapters import ncu
from perfproof.profile.ncu import csv as ncu_csv
from perfproof.profile.profiling import capture
from perfproof.profile.tool_help import Flags, parse
from tests.profile.adapters.conftest import MACHINE, NCU, TEXTS

WHOLE = parse((TEXTS / "recorded" / "ncu_2025_options.txt").read_text(), "ncu")
BY_RANGE = {"--profile-from-start", "--nvtx", "--nvtx-include"}
METRICS = ("gpu__time_duration.sum", "dram__bytes.sum")


@pytest.fixture(autouse=True)
def a_gpu_that_may_be_counted(monkeypatch):
    """The doctor's probe needs a GPU; here it found one."""
    works = Finding(name="ncu", state="works", why="an empty kernel was profiled", version="2025.3.1.0")
    monkeypatch.setattr(nsight_compute, "probe", lambda: works)


def test_of_a_pair_only_what_lies_between_start_and_stop_is_counted(work):
    given = work("child", marked=True, on_gpu=True, metrics=METRICS, passes="2")
    plan = ncu.planned(given, "ncu", WHOLE)
    assert "--profile-from-start=no" in plan.command and "--nvtx" not in plan.command
    assert "--metrics=gpu__time_duration.sum,dram__bytes.sum" in plan.command
    assert f"--export={given.folder}/command" in plan.command
    assert (plan.metrics, plan.passes) == (METRICS, "2")
    assert plan.environment == {"PERFPROOF_CAPTURE": '{"kind": "range"}'}


def test_clocks_and_caches_are_left_as_they_are(work):
    command = ncu.planned(work("a", metrics=METRICS), "ncu", WHOLE).command
    assert {"--clock-control=none", "--cache-control=none"} <= set(command)


def test_without_that_option_the_range_is_found_by_nvtx(work):
    flags = Flags("ncu", WHOLE.names - {"--profile-from-start"})
    plan = ncu.planned(work("child", marked=True, on_gpu=True, metrics=METRICS), "ncu", flags)
    assert {"--nvtx", "--nvtx-include=perfproof_steady/"} <= set(plan.command)
    assert "--profile-from-start=no" in [one.argument for one in plan.dropped]


def test_with_neither_a_pair_is_not_profiled(work):
    flags = Flags("ncu", WHOLE.names - BY_RANGE)
    plan = ncu.planned(work("child", marked=True, on_gpu=True, metrics=METRICS), "ncu", flags)
    assert "cannot be limited to a range" in plan.refused


def test_of_a_command_the_first_kernels_are_counted_and_none_of_nccl(work):
    plan = ncu.planned(work("torchrun", "a.py", metrics=METRICS, preset="deep"), "ncu", WHOLE)
    assert "--launch-count=20" in plan.command and "--kernel-name=regex:^(?!.*nccl)" in plan.command
    assert plan.notes == ("the first 20 kernels are counted, the others only run",)


def test_a_chip_without_a_list_of_counters_is_not_counted(work):
    assert "--chip" in ncu.planned(work("a"), "ncu", WHOLE).refused


def captured(fake_tool, work, profile):
    fake_tool("ncu", NCU.replace("PROFILE", profile))
    given = work("child", marked=True, on_gpu=True, metrics=METRICS, passes="2")
    told = []
    return capture("ncu", given, 300.0, lambda tool, plan: told.append((plan.metrics, plan.passes)), 0.1), told


REPORT = (
    "open(option['--export'] + '.ncu-rep', 'w').write('r');"
    "print('==PROF== Profiling \"gemm\" - 0: 0%....50%....100% - 2 passes')"
)


def test_counters_are_read_and_the_passes_that_ran_are_kept(fake_tool, work):
    found, told = captured(fake_tool, work, REPORT)
    assert told == [(METRICS, "2")]  # before it ran
    assert (found.status, found.passes, found.passes_seen) == ("ok", "2", [2])
    assert len(found.portions) == 3 and all("dram__bytes.sum" in one.counters for one in found.portions)
    assert found.portions[0].seconds > 0 and found.portions[0].grid.count("x") == 2
    assert found.main_files == ["command.csv"]
    assert "timeline" in found.unknown


def test_passes_are_read_though_a_warning_or_the_program_breaks_the_line(fake_tool, work):
    lines = (
        'step 1 ==PROF== Profiling "gemm" - 0 (1/2): 0%....50%....100% - 2 passes',
        '==PROF== Profiling "gemm" - 1 (2/2): 0%....50%',
        "==WARNING== Launching the workload is taking more time than expected.",
        "....100% - 1 pass",
    )
    report = REPORT.partition(";")[0]
    found, _ = captured(fake_tool, work, f"{report};print({chr(10).join(lines)!r})")
    assert found.passes_seen == [1, 2]
    assert found.notes[-1] == "ncu ran kernels 1 or 2 times, and 2 were announced"


def test_what_the_page_says_of_passes_comes_before_what_was_printed():
    page = ncu_csv.read_file(TEXTS / "recorded" / "h200_shortened_names.csv")
    assert ncu.passes_made(page, "==PROF== ....100% - 3 passes") == [5]
    older = ncu_csv.read_file(TEXTS / "recorded" / "h200_three_kernels.csv")
    assert ncu.passes_made(older, "==PROF== ....100% - 3 passes") == [3]


ANSWERS = """
import sys
words = sys.argv[1:]
if words[0] == "--help":
    print("  --metrics arg\\n  -o [ --export ] arg\\n  HELP")
elif any(one.startswith(("--print-kernel-base", "--rename-kernels")) for one in words) and REFUSES:
    sys.exit("no such value")
else:
    print(" ".join(words[7:]))
"""


@pytest.mark.parametrize(
    ("has", "refuses", "asked"),
    [
        ("--print-kernel-base arg (=demangled)", "False", "--print-kernel-base=mangled"),
        ("--print-kernel-base arg (=demangled)", "True", ""),
        ("--page arg (=details)", "True", ""),
    ],
)
def test_whole_names_are_asked_for_where_they_can_be_printed(fake_tool, tmp_path, has, refuses, asked):
    program = fake_tool("ncu", ANSWERS.replace("HELP", has).replace("REFUSES", refuses))
    assert ncu.exported(program, tmp_path / "r.ncu-rep").out.strip() == asked


@pytest.mark.parametrize(("announced", "seen"), [("2", [2]), ("2 to 4", [2, 4]), ("", [3]), ("2", [])])
def test_nothing_is_said_of_passes_that_were_announced(announced, seen):
    assert ncu._other_passes(announced, seen) == []


def test_a_driver_that_refuses_is_denied_with_the_line_that_helps(fake_tool, work):
    text = (MACHINE / "ncu_denied.txt").read_text()
    found, _ = captured(fake_tool, work, f"print({text!r})")
    assert found.status == "denied" and "ERR_NVGPUCTRPERM" in found.why
    assert "NVreg_RestrictProfilingToAdminUsers=0" in found.fix and found.portions == []


def test_counters_that_another_tool_holds_are_told_from_other_errors(fake_tool, work):
    lines = (  # as ncu 2025.3 printed them beside another ncu
        "perfproof: warm-up is over",
        "==ERROR== An error was reported by the driver:",
        "==ERROR== Profiling failed because a driver resource was unavailable. Ensure that no other tool "
        "(like DCGM) is concurrently collecting profiling data.",
    )
    found, _ = captured(fake_tool, work, f"print({chr(10).join(lines)!r})")
    assert found.status == "denied" and "another tool holds the counters" in found.why
    found, _ = captured(fake_tool, work, "print('warm-up is over');print('==ERROR== Unknown metric a__b.sum')")
    assert (found.status, found.why) == ("failed", "ncu wrote no report: Unknown metric a__b.sum")


def test_no_report_and_a_broken_page_are_failures(fake_tool, work):
    found, _ = captured(fake_tool, work, "print('==WARNING== No kernels were profiled.')")
    assert (found.status, found.why) == ("failed", "ncu wrote no report: ==WARNING== No kernels were profiled.")
    fake_tool("ncu", NCU.replace("PROFILE", REPORT).replace("h200_three_kernels.csv", "no_permission.txt"))
    again = capture("ncu", work("child", marked=True, metrics=METRICS), 300.0, lambda *_: None)
    assert again.status == "failed"


def test_without_a_gpu_it_profiles_nothing(monkeypatch, work):
    limited = Finding(name="ncu", state="limited", why="no GPU: it reads reports and lists metrics")
    monkeypatch.setattr(nsight_compute, "probe", lambda: limited)
    assert capture("ncu", work("a"), 1.0, lambda *_: None).status == "absent"


WINDOW = {"steps": None, "warmup": 1, "wait_steps": None, "wait_seconds": None, "duration": None}


def test_of_a_python_program_the_steady_state_is_counted(work):
    given = work("python", "train.py", metrics=METRICS, on_gpu=True, window=WINDOW, kernels="^(k|m)$", count=7, skip=2)
    plan = ncu.planned(given, "ncu", WHOLE)
    counted = {"--profile-from-start=no", "--kernel-name=regex:^(k|m)$", "--launch-count=7", "--launch-skip=2"}
    assert counted <= set(plan.command) and plan.command[-1] == "train.py"
    assert plan.command[-2].endswith("python_command.py")
    said = json.loads(plan.environment["PERFPROOF_CAPTURE"])
    assert said["kind"] == "range" and said["window"] == WINDOW
    assert plan.complete == given.file(".window.json")
    assert plan.notes == (
        "the first 7 kernels of the steady state that match ^(k|m)$ are counted, the others only run",
    )


@pytest.mark.parametrize(
    ("command", "more"),
    [(["./train"], {"window": WINDOW}), (["python", "train.py"], {"window": None})],
)
def test_another_program_and_one_of_which_all_is_asked_for_are_counted_from_their_start(work, command, more):
    plan = ncu.planned(work(*command, metrics=METRICS, on_gpu=True, **more), "ncu", WHOLE)
    assert "--profile-from-start=no" not in plan.command and plan.environment == {} and plan.complete is None
    assert plan.command[-len(command) :] == tuple(command)
