"""What single steps make of files and tools, as real machines have them."""

import json

import jsonschema
import pytest

from perfproof.core.doctor import Row
from perfproof.core.schema import schema_text
from perfproof.triage.evidence import Evidence
from perfproof.triage.steps import permissions
from perfproof.triage.steps.identity import pretty_name, uptime
from perfproof.triage.steps.processor import telling_options
from perfproof.triage.steps.sixty_seconds import news
from perfproof.triage.steps.software import packages, telling_variables


def test_the_distribution_is_named():
    assert (
        pretty_name('NAME="Debian"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n') == "Debian GNU/Linux 12 (bookworm)"
    )
    assert pretty_name("PRETTY_NAME=Alpine\n") == "Alpine"
    assert pretty_name(None).startswith("unknown: ") and pretty_name("\0").startswith("unknown: ")


def test_uptime_is_seconds_or_unknown():
    assert uptime("23456.78 40000.00") == 23456.78
    assert str(uptime(None)).startswith("unknown: ") and str(uptime("soon")).startswith("unknown: ")


def test_of_the_boot_options_only_those_that_move_performance_are_kept():
    text = "BOOT_IMAGE=/vmlinuz root=UUID=1234 ro mitigations=off isolcpus=2-7 password=x hugepages=64"
    assert telling_options(text) == ["hugepages=64", "isolcpus=2-7", "mitigations=off"]
    assert str(telling_options(None)).startswith("unknown: ")


def test_of_the_environment_only_known_variables_are_kept():
    environment = {"NCCL_DEBUG": "INFO", "AWS_SECRET_ACCESS_KEY": "x", "HOME": "/home/ann", "OMP_NUM_THREADS": "4"}
    assert telling_variables(environment) == {"NCCL_DEBUG": "INFO", "OMP_NUM_THREADS": "4"}


def test_of_the_kernels_log_only_faults_are_kept():
    log = (
        "[    0.000000] Linux version 6.1.0 (builder@host)\n"
        "[    0.108649] thermal_sys: Registered thermal governor 'step_wise'\n"
        "[    3.300000] NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  580.95.05\n"
        "[ 1234.5] NVRM: Xid (PCI:0000:01:00): 79, pid=1234, GPU has fallen off the bus.\n"
        "[ 1300.1] Out of memory: Killed process 999 (python)\n"
    )
    assert [line.partition("] ")[2][:8] for line in news(log)] == ["NVRM: Xi", "Out of m"]
    assert news("") == []


def test_packages_are_listed_by_name():
    assert "psutil" in packages()


@pytest.mark.parametrize("hangs", [False, True])
def test_what_can_be_used_here_is_a_document_even_if_a_probe_does_not_come_back(hangs, monkeypatch, tmp_path):
    def probe():
        if hangs:
            raise TimeoutError("as if the step were ended here")
        return [Row(name="perf", state="works", group="counters", needed=False)]

    monkeypatch.setattr(permissions, "probe_all", probe)
    if hangs:
        with pytest.raises(TimeoutError):
            permissions.collect(Evidence("permissions", tmp_path))
    else:
        permissions.collect(Evidence("permissions", tmp_path))
    found = json.loads((tmp_path / "parsed/can.json").read_text())
    jsonschema.validate(found, json.loads(schema_text("triage-can")))
    assert (found["fit"], len(found["rows"])) == ((None, 0) if hangs else (True, 1))
