"""Probes are found by themselves; what fails is a reason; what is stored keeps its latest values."""

import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from perfproof.core.errors import NothingMatched
from perfproof.machine.snapshot import snapshot
from perfproof.peak import measure as peak_measure
from perfproof.peak import processes
from perfproof.peak.measure import QUICK_SECONDS, add, chosen_probes, measure, share_of, steady
from perfproof.peak.merging import merged
from perfproof.peak.plan import Plan
from perfproof.peak.probe_files import FOLDER, Probe, probes, read_probe
from perfproof.peak.processes import Outcome, run_probe

SEEN = {"gpu": None, "gpus": [], "cpu": {"busy_share": 0.1}}
PROBE = Probe("some", "Some.", ("cpu",), ("some/a", "some/b", "other/*"), 5.0)


def test_every_file_in_the_folder_is_a_probe_that_declares_itself():
    for path in FOLDER.glob("[a-z]*.py"):
        probe = read_probe(path)
        assert probe.purpose and probe.measures and probe.timeout > 0
        assert set(probe.devices) <= {"cpu", "cuda"}


def test_a_new_file_is_found_and_not_imported(tmp_path):
    (tmp_path / "mine.py").write_text(
        '"""Mine."""\ndevices = ("cpu",)\nmeasures = ("x/y",)\ntimeout = 3\nraise SystemExit\n'
    )
    assert probes("cpu", folder=tmp_path) == [Probe("mine", "Mine.", ("cpu",), ("x/y",), 3.0)]
    assert probes("cuda:0", folder=tmp_path) == []


def test_only_the_probes_that_may_give_a_name_run():
    assert [probe.name for probe in probes("cpu", ("cache/1MiB",))] == ["cpu_cache"]


def test_a_name_nobody_gives_is_refused_with_the_names():
    with pytest.raises(NothingMatched, match="no ceiling of cpu is called 'warp': choose from allreduce/bus"):
        chosen_probes("cpu", ("memory", "warp"))


@pytest.fixture
def child(tmp_path, monkeypatch):
    """Run a made-up probe through the real child process."""

    def run(source, timeout=200.0, **settings):
        package = tmp_path / "probe_package"
        package.mkdir()
        (package / "mine.py").write_text(source)
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        (tmp_path / "sitecustomize.py").write_text(
            f"import perfproof.peak.probes\nperfproof.peak.probes.__path__.append({str(package)!r})\n"
        )
        return run_probe(Probe("mine", "", ("cpu",), ("x/a", "x/b"), timeout), Plan(), **settings)

    return run


GIVE_ONE = """
import os, time
from perfproof.peak.found import NotMeasured, rate
def probe(plan):
    yield rate("x/a", 10.0, [1.0, 2.0, 5.0], "bytes/s", "ten bytes")
    {then}
"""


def test_a_value_is_the_median_with_its_lowest_and_highest(child):
    (found,) = child(GIVE_ONE.format(then="")).ceilings
    assert (found.value, found.low, found.high, found.repeats) == (5.0, 2.0, 10.0, 3)


@pytest.mark.parametrize(
    "then, why, broken",
    [
        ("raise NotMeasured('no such thing here')", "no such thing here", False),
        ("import a_package_that_is_not_there", "a_package_that_is_not_there is not installed", False),
        ("raise MemoryError('too much')", "MemoryError: too much", True),
        ("os.kill(os.getpid(), 9)", "was killed by SIGKILL (out of memory?)", True),
        ("os.kill(os.getpid(), 11)", "was killed by SIGSEGV", True),
        ("os._exit(7)", "exited with 7", True),
    ],
)
def test_a_probe_that_ends_early_keeps_what_it_gave_and_says_why(child, then, why, broken):
    outcome = child(GIVE_ONE.format(then=then))
    assert [one.name for one in outcome.ceilings] == ["x/a"]
    assert why in outcome.why_rest and outcome.broken is broken


def test_a_probe_that_hangs_is_ended(child):
    outcome = child(GIVE_ONE.format(then="time.sleep(600)"), timeout=1.0)
    assert outcome.why_rest == "it took longer than 1 s and was ended" and outcome.broken


def test_names_that_did_not_come_are_listed_with_the_reason(ceilings, ceiling):
    found = ceilings()
    add(found, Outcome([ceiling("some/a")], {"other/x": "too old"}, "it was killed"), PROBE, Plan(), SEEN)
    assert [one.name for one in found.ceilings] == ["some/a"]
    assert found.not_measured == {"other/x": "too old", "some/b": "it was killed"}


def test_a_value_beyond_the_data_sheet_is_not_stored(ceilings, ceiling):
    gpu = {"name": "NVIDIA H200", "clock_sm_max_mhz": 1980, "mig": False}
    found = ceilings(device="cuda:0")
    outcome = Outcome([ceiling("memory/read", 9e12)])
    assert add(found, outcome, PROBE, Plan("cuda:0"), {**SEEN, "gpu": 0, "gpus": [gpu]}) == ["memory/read"]
    assert found.ceilings == [] and "a counting error" in found.not_measured["memory/read"]


def test_repeats_that_lie_far_apart_are_said_to(ceiling):
    assert steady(ceiling(value=100.0, low=60.0, high=120.0)).finding == "unsteady"
    assert steady(ceiling(value=100.0, low=90.0, high=120.0)).finding == ""


def test_a_measurement_is_a_document_of_this_machine(monkeypatch, ceiling):
    monkeypatch.setattr(
        "perfproof.peak.measure.run_probe", lambda probe, plan, notify, share, started: Outcome([ceiling("cache/1MiB")])
    )
    seen, news = snapshot("cpu"), []
    peak = measure(seen, quick=True, only=("cache",), command=("perfproof", "peak"), notify=news.append)
    assert peak.ceilings.fingerprint == seen["fingerprint"] and peak.ceilings.command == ["perfproof", "peak"]
    assert [one.name for one in peak.ceilings.ceilings] == ["cache/1MiB"] and not peak.broken
    assert news[0].probe == "cpu_cache" and news[0].total == 1


def test_only_what_was_measured_anew_is_replaced(ceilings):
    stored = ceilings(
        "memory/copy", "disk/direct", not_measured={"gemm/int8/burst": "no", "latency/*": "no C compiler"}
    )
    new = ceilings("memory/copy", "gemm/int8/burst", not_measured={"disk/direct": "no space"}, measured="later")
    new.ceilings[0].value = 1.0
    kept = merged(stored, new)
    assert {one.name: one.value for one in kept.ceilings} == {
        "disk/direct": 4.3e12,
        "gemm/int8/burst": 4.3e12,
        "memory/copy": 1.0,
    }
    assert kept.not_measured == {"latency/*": "no C compiler"} and kept.measured == "later"
    assert {one.name for one in merged(None, new).ceilings} == {"memory/copy", "gemm/int8/burst"}


def test_an_unsteady_value_is_not_kept_and_replaces_none(ceilings):
    new = ceilings("memory/copy", "disk/direct")
    for one in new.ceilings:
        one.value, one.high, one.finding = 1.0, 9e12, "unsteady"
    (kept,) = merged(ceilings("memory/copy"), new).ceilings
    assert (kept.name, kept.value, kept.best) == ("memory/copy", 4.3e12, 9e12)
    assert merged(None, new).ceilings == [] and merged(None, new).not_measured["disk/direct"] == "unsteady"


def test_the_process_of_a_probe_is_gone_afterwards(child, monkeypatch):
    started = []
    real = processes.subprocess.Popen
    monkeypatch.setattr(processes.subprocess, "Popen", lambda *a, **k: started.append(real(*a, **k)) or started[-1])
    child(GIVE_ONE.format(then=""))
    assert started[0].poll() is not None


def test_the_command_lines_side_never_loads_torch():
    modules = "perfproof.cli.commands.peak, perfproof.peak.measure, perfproof.peak.merging, perfproof.peak.picture"
    code = f"import sys, {modules}; sys.exit(bool({{'torch', 'triton', 'matplotlib', 'numpy'}} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("timeouts", [[90], [60, 300], [300, 180, 120, 90, 60, 90, 90], [60] * 12])
def test_a_quick_look_ends_in_time_also_if_every_probe_uses_up_its_part(timeouts):
    left, parts = QUICK_SECONDS, []
    for at in range(len(timeouts)):
        parts.append(share_of(left, timeouts[at:]))
        left -= parts[-1]
    assert sum(parts) <= QUICK_SECONDS + 1e-6 and min(parts) >= 4.0 - 1e-6


def test_no_part_is_left_when_the_time_is_over():
    assert share_of(-3.0, [60] * 4) == share_of(-3.0, [60]) == 0.0


def test_a_probe_that_measures_more_has_a_larger_part():
    assert share_of(40.0, [300, 100, 100]) == 24.0 and share_of(40.0, [100, 300, 100]) == 8.0


def test_a_slow_probe_is_cut_says_so_and_keeps_what_it_found(child, monkeypatch):
    """The clock goes on by a minute as soon as a value has come."""
    came, now = [], time.monotonic
    monkeypatch.setattr(processes, "time", SimpleNamespace(monotonic=lambda: now() + 60 * len(came)))
    outcome = child(GIVE_ONE.format(then="time.sleep(60)"), share=12.0, notify=came.append)
    assert [one.name for one in outcome.ceilings] == ["x/a"]
    assert "cut after 12 s" in outcome.why_rest and not outcome.broken


def test_a_probe_gets_its_part_only_if_the_look_is_quick(monkeypatch):
    given, given_time = [], []
    monkeypatch.setattr(peak_measure, "run_probe", lambda probe, plan, tell, share, _: given.append(share) or Outcome())
    monkeypatch.setattr(peak_measure, "start_probe", lambda probe: SimpleNamespace(wait_until_ready=given_time.append))
    seen = snapshot("cpu")
    measure(seen, quick=True, only=("loopback", "disk"))
    measure(seen, quick=False, only=("loopback",))
    assert len(given) == 3 and all(0 < part <= QUICK_SECONDS for part in given[:2]) and given[2] is None
