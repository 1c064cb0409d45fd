"""What single steps make of files and tools, as real machines have them."""

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
        "[ 1234.5] NVRM: Xid (PCI:0000:01:00): 79, pid=1234, GPU has fallen off the bus.\n"
        "[ 1300.1] Out of memory: Killed process 999 (python)\n"
    )
    assert [line.partition("] ")[2][:8] for line in news(log)] == ["NVRM: Xi", "Out of m"]
    assert news("") == []


def test_packages_are_listed_by_name():
    assert "psutil" in packages()
