"""All probes together: each answers on this machine, and one that breaks is a row like the others."""

import shutil

import pytest

from perfproof.core.doctor import Row
from perfproof.machine import probing, tool_version
from perfproof.machine.probes import (
    affinity,
    cold_files,
    loopback,
    memray,
    nsight_compute,
    peak_memory,
    py_spy,
    workers,
)


def row(name, state, needed=False):
    return Row(name=name, state=state, group="measuring", needed=needed)


def test_every_file_of_the_folder_is_a_probe():
    assert {"perf", "nsight_compute", "torch_itself", "rapl"} <= set(probing.probe_files())


@pytest.mark.parametrize(
    ("states", "works"), [(["works", "limited"], True), (["works", "unknown"], False), (["denied", "works"], False)]
)
def test_measuring_works_if_all_it_needs_does(states, works):
    rows = [row("a", state, needed=True) for state in states] + [row("b", "absent")]
    assert probing.measuring_works(rows) is works


def test_a_probe_that_breaks_is_unknown_and_says_why(monkeypatch):
    monkeypatch.setattr(probing, "probe_files", lambda: ["workers", "loopback"])
    monkeypatch.setattr(workers, "probe", lambda: 1 / 0)
    rows = {found.name: found for found in probing.probe_all()}
    assert rows["workers"].state == "unknown" and "ZeroDivisionError" in rows["workers"].why
    assert rows["workers"].needed and not rows["loopback"].needed


@pytest.mark.parametrize("probe", [affinity, cold_files, loopback, peak_memory, workers])
def test_what_needs_no_other_program_answers_here(probe, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = probe.probe()
    assert found.state in ("works", "limited") and found.why


@pytest.mark.parametrize(("probe", "tool"), [(nsight_compute, "ncu"), (py_spy, "py-spy")])
def test_a_tool_that_is_not_there_comes_with_the_line_that_installs_it(monkeypatch, probe, tool):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    found = probe.probe()
    assert found.state == "absent" and tool in found.why and "install" in found.fix


def test_a_tool_is_asked_for_its_version(tmp_path, monkeypatch):
    tool = tmp_path / "ncu"
    tool.write_text("#!/bin/sh\necho Version 2026.1.0.0 \\(build 1\\)\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    found = nsight_compute.probe()
    assert found.version == "2026.1.0.0"
    assert tool_version.version_of(str(tmp_path / "nothing")).startswith("unknown: ")


def test_memray_is_absent_by_its_metadata(monkeypatch):
    from perfproof.machine import software

    monkeypatch.setattr(software, "version_of", lambda name: None)
    assert memray.probe().fix == "pip install memray"
