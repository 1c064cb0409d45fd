"""`perfproof monitor` from end to end: the command's exit code, the record, the summary, the page, Ctrl-C."""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time

import jsonschema
import pytest

from perfproof.core.schema import schema_text
from perfproof.machine.sampler import read

SLEEP = "import time; time.sleep(0.6)"


def monitor(*arguments, **options):
    command = [sys.executable, "-m", "perfproof", "monitor", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **options)


def test_a_command_is_watched_and_its_exit_code_is_ours():
    done = monitor("--", sys.executable, "-c", f"{SLEEP}; print('its own output'); raise SystemExit(7)")
    assert done.returncode == 7
    assert "its own output" in done.stdout
    assert "CPUs in use" in done.stdout and "of telemetry" in done.stdout
    assert done.stderr == ""


def test_a_command_that_a_signal_ended_is_told_as_a_shell_tells_it():
    assert monitor("--", sys.executable, "-c", "import os; os.kill(os.getpid(), 9)").returncode == 128 + 9


def test_arguments_reach_the_command_as_they_are():
    done = monitor("--", sys.executable, "-c", "import sys; print(sys.argv[1:])", "$HOME; ls", "--json")
    assert "['$HOME; ls', '--json']" in done.stdout


def test_json_is_the_published_summary_with_the_command():
    done = monitor("--json", "--", sys.executable, "-c", f"{SLEEP}; raise SystemExit(3)")
    found = json.loads(done.stdout)
    jsonschema.validate(found, json.loads(schema_text("telemetry-summary")))
    assert (found["exit_code"], found["command"][1]) == (3, "-c")
    assert found["readings"]["host.cpus_in_use"]["median"] >= 0
    assert done.returncode == 3


def test_lines_come_at_the_interval_and_the_record_is_kept(tmp_path):
    path = tmp_path / "telemetry.jsonl"
    done = monitor("--seconds", 2, "--interval", 0.3, "--record", path)  # six lines; a busy machine may skip some
    assert done.returncode == 0
    lines = [line for line in done.stdout.splitlines() if re.match(r"\d\.\d s  ", line)]
    assert len(lines) >= 3 and all("host: " in line for line in lines) and "CPUs in use" in lines[-1]
    assert len(read(path).series["host.cpu_seconds"].values) >= 3


def test_lines_beside_a_command_go_to_standard_error_and_only_if_asked_for():
    done = monitor("--interval", 0.1, "--", sys.executable, "-c", "import time; time.sleep(1.2)")
    assert "host: CPUs in use" in done.stderr
    assert "host: CPUs in use" not in done.stdout


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_it_with_the_summary_and_no_file_left(number, tmp_path):
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-m", "perfproof", "monitor", "--interval", "0.1"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    first = process.stdout.readline()
    process.send_signal(number)
    rest, errors = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "host" in first and "of telemetry" in rest
    assert errors == ""
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_command_is_ended_and_still_summed_up(tmp_path):
    code = "import sys, time; print('up', flush=True); time.sleep(100)"
    command = [sys.executable, "-m", "perfproof", "monitor", "--", sys.executable, "-c", code]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stdout.readline() == "up\n"
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does it
    rest, _ = process.communicate(timeout=60)
    assert "of telemetry" in rest
    assert process.returncode == 128 + signal.SIGINT


def test_the_page_for_prometheus_is_served_meanwhile():
    command = [sys.executable, "-m", "perfproof", "monitor", "--prometheus", "0", "--interval", "0.2"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        host, port = re.fullmatch(r"metrics at (\S+):(\d+)/metrics\n", process.stderr.readline()).groups()
        page, end = "", time.monotonic() + 60
        while "perfproof_host_core_seconds_total" not in page and time.monotonic() < end:
            time.sleep(0.2)
            connection = http.client.HTTPConnection(host, int(port), timeout=60)
            connection.request("GET", "/metrics")
            page = connection.getresponse().read().decode()
            connection.close()
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)
        process.stderr.close()
    assert host == "127.0.0.1"
    assert re.search(r"^perfproof_host_cpu_seconds_total \d", page, re.MULTILINE)
    assert re.search(r'^perfproof_host_core_seconds_total\{core="0"\} \d', page, re.MULTILINE)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--", "no-such-program"], "cannot run no-such-program: No such file or directory"),
        (["--seconds", "1", "--", "true"], "leave one of the two out"),
        (["--seconds", "0"], "--seconds 0 leaves no time"),
        (["--interval", "-1"], "--interval -1 leaves no time"),
        (["--hz", "0"], "--hz 0 can't be kept"),
        (["--record", "absent/t.jsonl"], "there is no such folder"),
        (["--record", "."], "the file exists"),
    ],
)
def test_wishes_that_make_no_sense_are_refused_in_one_line(perfproof, arguments, said):
    done = perfproof("monitor", *arguments)
    assert done.code == 2
    assert said in done.err and done.err.count("\n") == 1
