"""`perfproof doctor`: rows with the line that fixes each, and an exit code that says whether measuring works."""

import json
import subprocess
import sys

import jsonschema
import pytest

from perfproof.core.doctor import Doctor, Row
from perfproof.core.schema import schema_text
from perfproof.machine import probing


@pytest.fixture
def probed(monkeypatch):
    """Rows in place of the probes: probed(Row(...))."""

    def install(*rows):
        monkeypatch.setattr(probing, "probe_all", lambda: list(rows))

    return install


def row(name, state, group="profilers", needed=False, **fields):
    return Row(name=name, state=state, group=group, needed=needed, **fields)


WORKS = row("torch", "works", "measuring", needed=True, why="a CPU build", version="2.13.0")


def test_rows_show_state_reason_and_the_line_that_fixes_it(perfproof, probed):
    probed(WORKS, row("ncu", "absent", why="ncu is not on the PATH", fix="conda install -c nvidia nsight-compute"))
    shown = perfproof("doctor")
    assert shown.code == 0
    lines = [" ".join(line.split()) for line in shown.out.splitlines()]
    assert lines[:2] == ["measuring", "✓ torch works 2.13.0; a CPU build"]
    assert lines[2:5] == [
        "profilers",
        "– ncu absent ncu is not on the PATH",
        "fix: conda install -c nvidia nsight-compute",
    ]
    assert lines[-1] == "measuring works here"


@pytest.mark.parametrize("state", ["denied", "absent", "unknown"])
def test_a_machine_that_cannot_measure_is_exit_3(perfproof, probed, state):
    probed(row("torch", state, "measuring", needed=True, why="it cannot be imported"))
    shown = perfproof("doctor")
    assert shown.code == 3
    assert shown.out.splitlines()[-1] == "measuring does not work here: torch"
    assert perfproof("doctor", "--json").code == 3


def test_a_profiler_that_is_missing_does_not_make_it_unfit(perfproof, probed):
    probed(WORKS, row("ncu", "denied"), row("nsys", "unknown"))
    assert perfproof("doctor").code == 0


@pytest.mark.parametrize("gpus", [0, 1])
def test_what_needs_a_gpu_is_one_line_if_there_is_none(perfproof, probed, monkeypatch, gpus):
    monkeypatch.setattr("perfproof.machine.driver_needs.gpus_on_the_bus", lambda: gpus)
    probed(WORKS, row("ncu", "absent", why="not on the PATH", fix="conda", for_gpus=True), row("py-spy", "absent"))
    shown = perfproof("doctor")
    assert ("there is none here" in shown.out) == (not gpus) == ("not on the PATH" not in shown.out)
    assert "py-spy" in shown.out and "not on the PATH" in perfproof("doctor", "--json").out


def test_json_is_the_published_document(perfproof, probed):
    probed(WORKS)
    document = json.loads(perfproof("doctor", "--json").out)
    jsonschema.validate(document, json.loads(schema_text("doctor")))
    assert Doctor.model_validate(document).fit is True


def test_the_script_is_printed_or_written_and_replaces_no_file_of_the_user(perfproof, probed, tmp_path):
    probed(
        WORKS, row("perf", "denied", why="the kernel refuses events", fix="sudo sysctl kernel.perf_event_paranoid=1")
    )
    shown = perfproof("doctor", "--fix-script")
    assert shown.code == 0 and shown.out.startswith("#!") and "perf_event_paranoid=1" in shown.out
    script = tmp_path / "fix.sh"
    for _ in range(2):
        assert perfproof("doctor", "--fix-script", str(script)).code == 0
    assert script.stat().st_mode & 0o100 and "the kernel refuses events" in script.read_text()
    script.write_text("mine")
    assert perfproof("doctor", "--fix-script", str(script)).code == 2
    assert script.read_text() == "mine"
    assert perfproof("doctor", "--json", "--fix-script").code == perfproof("doctor", str(script)).code == 2


def test_it_works_on_this_machine_from_end_to_end(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "perfproof", "doctor", "--json"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=120,
    )
    found = Doctor.model_validate_json(done.stdout)
    rows = {one.name: one for one in found.rows}
    assert (done.returncode, found.fit) == (0, True), done.stdout
    assert len(rows) == len(found.rows) == len(probing.probe_files())
    assert rows["torch"].state == rows["gloo"].state == rows["torch.profiler, CPU"].state == "works"
    assert all(one.why for one in found.rows)
    assert not list(tmp_path.iterdir())
