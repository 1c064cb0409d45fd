"""nsys: its command is made of what its own help lists; its report becomes a table; what goes wrong has a reason."""

import pytest

from perfproof.core.doctor import Finding
from perfproof.profile.adapters import nsys
from perfproof.profile.profiling import capture
from perfproof.profile.tool_help import Dropped, Flags, parse
from tests.profile.adapters.conftest import NSYS, TEXTS

NEW = parse((TEXTS / "written" / "nsys_2025_help.txt").read_text(), "nsys")
OLD = parse((TEXTS / "written" / "nsys_2023_help.txt").read_text(), "nsys")
WORKS = Finding(name="nsys", state="works", why="CPU samples of a process tree and traces")
TRACES_ONLY = Finding(name="nsys", state="limited", why="it may not sample the CPU: traces only, with -s none")


def planned(work, flags=NEW, found=WORKS):
    return nsys.planned(work, found, "nsys", flags)


def test_a_command_is_traced_from_its_beginning(work):
    given = work("python", "a.py")
    plan = planned(given)
    assert plan.command == (
        *("nsys", "profile", f"--output={given.folder}/command", "--force-overwrite=true", "--trace=cuda,nvtx"),
        *("--sample=none", "--cpuctxsw=none", "--cuda-graph-trace=node", "python", "a.py"),
    )
    assert plan.recorded == ("cuda", "nvtx") and not plan.environment and not plan.dropped


def test_of_a_pair_only_the_range_is_captured(work):
    plan = planned(work("child", marked=True, on_gpu=True))
    assert {"--capture-range=cudaProfilerApi", "--capture-range-end=stop"} <= set(plan.command)
    assert plan.environment == {"PERFPROOF_CAPTURE": '{"kind": "range"}'}


def test_deep_samples_the_host_where_that_is_allowed(work):
    deep = work("a", preset="deep")
    assert "--sample=process-tree" in planned(deep).command
    assert {"--sample=none", "--cpuctxsw=none"} <= set(planned(deep, found=TRACES_ONLY).command)


def test_what_this_version_does_not_take_is_left_out_with_the_reason(work):
    plan = planned(work("a", preset="roofline", tracing=("gds",)), OLD)
    assert not any("gpu-metrics" in word for word in plan.command)
    why = "this nsys has no --gpu-metrics-devices; it has --gpu-metrics-device"
    assert Dropped("--gpu-metrics-devices=cuda-visible", why) in plan.dropped
    assert Dropped("--trace=gds", "this nsys has no --trace value 'gds'") in plan.dropped


def test_one_that_cannot_be_limited_to_a_range_is_not_used_for_a_pair(work):
    flags = Flags("nsys", NEW.names - {"--capture-range"}, NEW.values)
    assert "cannot be limited to a range" in planned(work("child", marked=True, on_gpu=True), flags).refused


def test_where_the_help_cannot_be_read_that_is_said(work):
    assert planned(work("a"), Flags("nsys", unknown="unknown: it hung")).notes == ("unknown: it hung",)


def captured(fake_tool, work, profile, seconds=300.0, grace=0.1):
    fake_tool("nsys", NSYS.replace("PROFILE", profile))
    said = []
    return capture("nsys", work("python", "a.py"), seconds, lambda tool, plan: said.append(tool), grace), said


def test_the_report_becomes_a_database_and_the_database_a_table(fake_tool, work):
    found, said = captured(fake_tool, work, 'open(option["--output"] + ".nsys-rep", "w").write("report")')
    assert (found.status, found.exit_code, said) == ("ok", 0, ["nsys"])
    assert found.version == "2025.3.2.474"
    assert [(one.name, one.template, one.launches) for one in found.portions] == [("add", "<float>", 2)]
    assert found.portions[0].seconds == pytest.approx(600e-9)
    assert found.main_files == ["command.sqlite"]
    names = {one.name: one for one in found.files}
    assert {"command.nsys-rep", "command.sqlite", "command.stdout", "command.stderr"} <= set(names)
    assert len(names["command.nsys-rep"].sha256) == 64 and names["command.nsys-rep"].bytes == 6


def test_a_report_of_a_command_that_failed_is_still_a_report(fake_tool, work):
    found, _ = captured(fake_tool, work, 'open(option["--output"] + ".nsys-rep", "w").write("r"); sys.exit(7)')
    assert (found.status, found.exit_code, found.main_files) == ("failed", 7, ["command.sqlite"])


def test_a_tool_without_importer_keeps_its_raw_file(fake_tool, work):
    found, _ = captured(fake_tool, work, 'open(option["--output"] + ".qdstrm", "w").write("raw")')
    assert found.status == "failed" and "no importer" in found.why
    assert found.main_files == ["command.qdstrm"]


def test_no_report_is_a_failure_with_its_last_words(fake_tool, work):
    found, _ = captured(fake_tool, work, 'sys.exit("the target application returned an error")')
    assert (found.status, found.why) == ("failed", "nsys wrote no report: the target application returned an error")


def test_one_that_may_not_is_denied(fake_tool, work):
    found, _ = captured(fake_tool, work, 'sys.exit("Operation not permitted: perf_event_open")')
    assert found.status == "denied" and "perf_event_paranoid" in found.fix


def test_one_that_hangs_is_ended_at_the_deadline(fake_tool, work):
    hang = "import signal, time; signal.signal(signal.SIGINT, signal.SIG_IGN); time.sleep(600)"
    found, _ = captured(fake_tool, work, hang, seconds=1.0)
    assert found.status == "timeout" and found.exit_code is None and "--timeout" in found.why


def test_an_absent_tool_is_a_fact_with_the_line_that_installs_it(no_tools, work):
    found = capture("nsys", work("python", "a.py"), 10.0, lambda *_: pytest.fail("nothing is run"))
    assert (found.status, found.why) == ("absent", "nsys is not on the PATH")
    assert "nsight-systems" in found.fix and not found.files
