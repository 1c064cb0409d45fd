"""Limits of containers, in both layouts that are in use."""

from perfproof.machine import cgroup


def test_version_2_says_quota_and_period_in_one_file(machine):
    machine("/proc/self/cgroup", "0::/job")
    machine("/sys/fs/cgroup/cgroup.controllers", "cpu memory")
    machine("/sys/fs/cgroup/job/cpu.max", "150000 100000")
    machine("/sys/fs/cgroup/job/memory.max", "1073741824")
    assert (cgroup.version(), cgroup.cpu_quota(), cgroup.memory_limit()) == ("v2", 1.5, 2**30)


def test_the_smallest_limit_on_the_way_up_holds(machine):
    machine("/proc/self/cgroup", "0::/pod/job")
    machine("/sys/fs/cgroup/pod/cpu.max", "200000 100000")
    machine("/sys/fs/cgroup/pod/job/cpu.max", "max 100000")
    machine("/sys/fs/cgroup/pod/memory.max", "1000")
    machine("/sys/fs/cgroup/pod/job/memory.max", "2000")
    assert (cgroup.cpu_quota(), cgroup.memory_limit()) == (2.0, 1000)


def test_version_1_writes_a_huge_number_for_no_limit(machine):
    machine("/proc/self/cgroup", "4:memory:/a\n3:cpu,cpuacct:/a")
    machine("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "9223372036854771712")
    machine("/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "-1")
    machine("/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000")
    assert (cgroup.version(), cgroup.cpu_quota(), cgroup.memory_limit()) == ("v1", None, None)


def test_version_1_limits_are_read_where_controllers_share_a_mount(machine):
    machine("/proc/self/cgroup", "3:cpu,cpuacct:/a")
    machine("/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "50000")
    machine("/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000")
    assert cgroup.cpu_quota() == 0.5


def test_inside_a_container_the_hosts_path_is_absent_and_the_root_is_read(machine):
    machine("/proc/self/cgroup", "0::/docker/0123abcd")
    machine("/sys/fs/cgroup/cpu.max", "100000 100000")
    assert cgroup.cpu_quota() == 1.0


def test_without_control_groups_there_is_no_limit(machine):
    assert (cgroup.version(), cgroup.cpu_quota(), cgroup.memory_limit()) == (None, None, None)


def test_what_is_left_of_a_limit_counts_files_as_free_and_the_tightest_level(machine):
    machine("/proc/self/cgroup", "0::/pod/job")
    machine("/sys/fs/cgroup/pod/memory.max", "1000")
    machine("/sys/fs/cgroup/pod/memory.current", "900")
    machine("/sys/fs/cgroup/pod/memory.stat", "anon 500\ninactive_file 300\n")
    machine("/sys/fs/cgroup/pod/job/memory.max", "5000")
    machine("/sys/fs/cgroup/pod/job/memory.current", "100")
    assert cgroup.memory_left() == 400


def test_without_a_limit_nothing_bounds_what_is_left(machine):
    assert cgroup.memory_left() == float("inf")
