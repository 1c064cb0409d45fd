"""The CPU's description, from kernels that tell much and kernels that tell nothing."""

from perfproof.machine import cpu


def test_the_model_is_read_as_each_architecture_writes_it(machine):
    machine("/proc/cpuinfo", "processor : 0\nmodel name\t: AMD EPYC 9654 96-Core Processor\nflags\t\t: fpu")
    assert cpu.model() == "AMD EPYC 9654 96-Core Processor"
    machine("/proc/cpuinfo", "processor : 0\nCPU implementer : 0x41\nCPU part : 0xd40")
    assert cpu.model() == "Neoverse V1"
    machine(
        "/proc/cpuinfo",
        "processor : 0\nmodel name : ARMv7 Processor rev 4 (v7l)\nCPU implementer : 0x41\nCPU part : 0xd03",
    )
    assert cpu.model() == "Cortex-A53"
    machine("/proc/cpuinfo", "")
    assert "ARM" not in cpu.model().upper()
    machine("/proc/cpuinfo", "processor : 0\nmodel name\t:\ncpu MHz\t: 2400")
    assert "MHz" not in cpu.model()  # an empty name does not take the next line


def test_settings_are_read_and_not_invented(machine):
    machine.allow(0)
    assert all(str(read()).startswith("unknown: ") for read in (cpu.governor, cpu.turbo, cpu.smt))
    machine("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave")
    machine("/sys/devices/system/cpu/intel_pstate/no_turbo", "1")
    machine("/sys/devices/system/cpu/smt/active", "1")
    assert (cpu.governor(), cpu.turbo(), cpu.smt()) == ("powersave", False, True)


def test_busy_time_is_all_that_is_not_idle(monkeypatch):
    readings = iter([(100, 1000), (150, 1200)])
    monkeypatch.setattr(cpu, "_busy_and_total", lambda: next(readings))
    monkeypatch.setattr(cpu, "BUSY_WINDOW_SECONDS", 0)
    assert cpu.busy_share() == 0.25


def test_the_kernels_counters_are_read(machine):
    machine("/proc/stat", "cpu  10 5 15 60 10 1 2 3 99 0\ncpu0 1 2 3 4")
    assert cpu._busy_and_total() == (36, 106)
    machine("/proc/stat", "nothing")
    assert cpu._busy_and_total() is None
