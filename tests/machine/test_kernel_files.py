"""What is not there is None, never 0."""

from perfproof.machine import kernel_files


def test_a_missing_file_is_none(machine):
    assert kernel_files.read_text("/proc/nothing") is None
    assert kernel_files.read_int("/proc/nothing") is None
    assert kernel_files.names("/proc/nothing", "*") == []


def test_what_is_no_number_is_none(machine):
    machine("/sys/limit", "max")
    assert kernel_files.read_int("/sys/limit") is None
    assert kernel_files.read_text("/sys/limit") == "max"


def test_lists_of_cpus_are_read_as_the_kernel_writes_them():
    assert kernel_files.parse_cpu_list("0-3,8") == {0, 1, 2, 3, 8}
    assert kernel_files.parse_cpu_list("5") == {5}
    assert kernel_files.parse_cpu_list("") == kernel_files.parse_cpu_list(None) == set()
