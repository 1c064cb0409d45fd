"""What each probe makes of what it was told: working, limited, denied, absent, or not known."""

import pytest

from perfproof.core.child import Answer
from perfproof.machine import asking, gpus
from perfproof.machine.probes import (
    clock,
    compute_sanitizer,
    cutlass_dsl,
    cutlass_headers,
    dmesg,
    gloo,
    governor,
    gpu_counters,
    huge_pages,
    kernel_symbols,
    limits,
    memray,
    mig,
    nccl,
    nccl_all_gpus,
    nsight_compute,
    nsight_systems,
    numa_balancing,
    nvcc,
    nvml,
    nvrtc,
    perf,
    persistence,
    proton,
    ptrace,
    py_spy,
    rapl,
    torch_itself,
    torch_profiler_cpu,
    torch_profiler_cuda,
    triton,
    virtual_machine,
    workers,
)
from tests.machine import replay

LATE = Answer(why="ncu did not answer within 8 s")
NO_ANSWER = {"ok": None, "why": "torch ended before it answered: Segmentation fault"}


def told(name):
    text = replay.recorded(name)
    return Answer(0, text, text)


@pytest.mark.parametrize(
    ("found", "state"),
    [
        (nsight_compute.judge(told("ncu_works.txt")), "works"),
        (nsight_compute.judge(told("ncu_denied.txt")), "denied"),
        (nsight_compute.judge(Answer(0, "==PROF== Profilage terminé")), "unknown"),
        (nsight_compute.judge(LATE), "unknown"),
        (nsight_systems.judge(told("nsys_status_works.txt")), "works"),
        (nsight_systems.judge(told("nsys_status_denied.txt")), "limited"),
        (nsight_systems.judge(Answer(0, "Umgebung: in Ordnung")), "unknown"),
        (compute_sanitizer.judge(told("compute_sanitizer_works.txt")), "works"),
        (compute_sanitizer.judge(Answer(1, "", "Error: device not supported")), "denied"),
        (compute_sanitizer.judge(Answer(0, "========= ERROR SUMMARY")), "unknown"),
        (perf.judge(told("perf_stat_vm.txt"), 2), "limited"),
        (perf.judge(told("perf_stat_metal.txt"), 1), "works"),
        (perf.judge(told("perf_stat_denied.txt"), 4), "denied"),
        (perf.judge(Answer(0, "", "nichts"), 2), "unknown"),
        (gpu_counters.judge(True, False, False), "denied"),
        (gpu_counters.judge(True, True, False), "works"),
        (gpu_counters.judge(False, False, False), "works"),
        (gpu_counters.judge("unknown: x", True, False), "unknown"),
        (ptrace.judge(None, None), "works"),
        (ptrace.judge("1", False), "limited"),
        (ptrace.judge("1", True), "works"),
        (ptrace.judge("2", False), "denied"),
        (ptrace.judge("3", True), "denied"),
        (ptrace.judge("7", False), "unknown"),
        (py_spy.judge(ptrace.judge("2", False)), "denied"),
        (kernel_symbols.judge("0", False), "works"),
        (kernel_symbols.judge("1", True), "works"),
        (kernel_symbols.judge("2", True), "limited"),
        (kernel_symbols.judge("x", True), "unknown"),
        (rapl.judge([], True), "absent"),
        (rapl.judge([5, None], False), "denied"),
        (rapl.judge([5, 6], False), "works"),
        (huge_pages.judge("madvise", 0, 2**21), "works"),
        (huge_pages.judge("never", 0, 2**21), "limited"),
        (huge_pages.judge("never", 16, 2**21), "works"),
        (huge_pages.judge("unknown: x", "unknown: y", "unknown: z"), "unknown"),
        (virtual_machine.judge(False), "works"),
        (virtual_machine.judge("KVM"), "limited"),
        (virtual_machine.judge("unknown: x"), "unknown"),
        (clock.judge(True, 50e-9, "tsc", "tsc hpet"), "works"),
        (clock.judge(True, 50e-9, "hpet", "tsc hpet"), "limited"),
        (clock.judge(True, 4e-3, None, None), "limited"),
        (clock.judge(False, 50e-9, "tsc", "tsc"), "denied"),
        (workers.judge(Answer(0)), "works"),
        (workers.judge(Answer(1, "", "BlockingIOError: Resource temporarily unavailable")), "denied"),
        (dmesg.judge(Answer(1, "", "dmesg: read kernel buffer failed: Operation not permitted")), "denied"),
        (dmesg.judge(Answer(0, "[0.0] Linux")), "works"),
        (memray.judge(Answer(0), True), "works"),
        (memray.judge(Answer(0), False), "denied"),
        (proton.judge(False, "", ""), "absent"),
        (proton.judge(True, "3.7.0", "torch is a CPU build"), "limited"),
        (proton.judge(True, "3.7.0", ""), "works"),
        (torch_itself.judge({"ok": True, "version": "2.13", "cuda": None}), "works"),
        (torch_itself.judge({"ok": False, "why": "ModuleNotFoundError: No module named 'torch'"}), "absent"),
        (torch_itself.judge({"ok": False, "why": "ImportError: libcudart.so.13"}), "denied"),
        (torch_itself.judge(NO_ANSWER), "unknown"),
        (torch_profiler_cpu.judge({"ok": False, "why": "no CPU event was recorded"}), "limited"),
        (torch_profiler_cuda.judge({"ok": True, "events": 3}, ""), "works"),
        (torch_profiler_cuda.judge({"ok": False, "why": "no CUDA event was recorded"}, ""), "denied"),
        (torch_profiler_cuda.judge(NO_ANSWER, "torch is a CPU build"), "absent"),
        (gloo.judge({"ok": False, "why": "unable to resolve hostname"}), "denied"),
        (gloo.judge({"ok": False, "absent": True, "why": "no gloo"}), "absent"),
        (nccl.judge({"ok": True, "version": "2.27.7"}), "works"),
        (nccl.judge(NO_ANSWER), "unknown"),
        (triton.judge(Answer(0, '{"ok": true}'), True), "works"),
        (triton.judge(Answer(0, 'chatter\n{"ok": true}'), False), "limited"),
        (triton.judge(Answer(1, "", "ImportError: x"), True), "denied"),
        (nvrtc.judge(Answer(0, '{"ok": true}')), "works"),
        (nvrtc.judge(Answer(0, "")), "denied"),
        (nvcc.judge("13.0.88"), "works"),
        (governor.judge("performance"), "works"),
        (governor.judge("powersave"), "limited"),
        (governor.judge("unknown: the kernel shows no cpufreq"), "absent"),
        (numa_balancing.judge("1", 1), "works"),
        (numa_balancing.judge("1", 2), "limited"),
        (numa_balancing.judge("0", 2), "works"),
        (numa_balancing.judge(None, 2), "unknown"),
        (numa_balancing.judge("on", 2), "unknown"),
        (limits.judge(8 << 20, (1024, 1 << 20), infiniband=False), "works"),
        (limits.judge(8 << 20, (1024, 1 << 20), infiniband=True), "limited"),
        (limits.judge(limits.UNLIMITED, (1024, limits.UNLIMITED), infiniband=True), "works"),
        (limits.judge(limits.UNLIMITED, (1024, 4096), infiniband=False), "limited"),
        (nccl_all_gpus.judge(Answer(0, 'chatter\n{"ok": true, "ranks": 8, "unreachable": []}')), "works"),
        (nccl_all_gpus.judge(Answer(0, '{"ok": true, "ranks": 2, "unreachable": [[0, 1], [1, 0]]}')), "limited"),
        (nccl_all_gpus.judge(Answer(0, '{"ok": false, "ranks": 2, "why": "rank 1: x", "unreachable": []}')), "denied"),
        (nccl_all_gpus.judge(Answer(1, "", "Segmentation fault")), "unknown"),
        (nccl_all_gpus.judge(Answer(0, "null")), "unknown"),
        (nccl_all_gpus.judge(LATE), "unknown"),
        (cutlass_headers.judge({}), "absent"),
        (cutlass_headers.judge({"nvidia-cutlass-dsl": "4.2.1"}), "absent"),
        (cutlass_headers.judge({"headers in CUTLASS_PATH": "4.2.1"}), "works"),
        (cutlass_headers.judge({"headers in CUTLASS_PATH": "unknown: x"}), "unknown"),
        (cutlass_dsl.judge(Answer(0, 'perfproof sum 5\n{"ok": true}')), "works"),
        (cutlass_dsl.judge(Answer(0, '{"ok": true}')), "denied"),
        (cutlass_dsl.judge(Answer(1, "", "ImportError: libcuda.so.1")), "denied"),
        (cutlass_dsl.judge(LATE), "unknown"),
        (nvcc.judge("unknown: the tool's version is in a form that is not known"), "unknown"),
    ],
)
def test_a_source_is_judged_by_what_it_said(found, state):
    assert found.state == state
    assert found.why and "\n" not in found.why
    assert "\n" not in found.fix


@pytest.mark.parametrize(
    ("found", "fix"),
    [
        (nsight_compute.judge(told("ncu_denied.txt")), "NVreg_RestrictProfilingToAdminUsers=0"),
        (gpu_counters.judge(True, False, False), "NVreg_RestrictProfilingToAdminUsers=0"),
        (gpu_counters.judge(True, False, True), "--cap-add=SYS_ADMIN"),
        (perf.judge(told("perf_stat_denied.txt"), 4), "sudo sysctl kernel.perf_event_paranoid=1"),
        (rapl.judge([None], False), "sudo chmod a+r"),
        (ptrace.judge("1", False), "sudo sysctl kernel.yama.ptrace_scope=0"),
        (clock.judge(True, 1e-9, "hpet", "tsc hpet"), "echo tsc | sudo tee"),
        (governor.judge("powersave"), "echo performance | sudo tee"),
        (numa_balancing.judge("1", 2), "sudo sysctl kernel.numa_balancing=0"),
        (limits.judge(8 << 20, (1024, 1 << 20), infiniband=True), "* soft memlock unlimited"),
        (limits.judge(limits.UNLIMITED, (1024, 4096), infiniband=False), "* hard nofile"),
        (cutlass_headers.judge({}), "pip install nvidia-cutlass"),
        (cutlass_dsl.judge(Answer(1, "", "ImportError: x")), "nvidia-cutlass-dsl"),
    ],
)
def test_what_is_refused_comes_with_the_line_that_fixes_it(found, fix):
    assert fix in found.fix


def test_the_counters_of_a_driver_that_keeps_them(machine):
    from perfproof.machine import counter_permission

    machine("/proc/driver/nvidia/params", replay.recorded("nvidia_params_denied.txt"))
    assert counter_permission.admin_only() is True


def test_nvml_tells_what_a_driver_does_not_give(recorded_driver):
    recorded_driver("nvml_h200.json")
    assert nvml.probe().state == "works"
    recorded_driver("nvml_denied.json")
    found = nvml.probe()
    assert found.state == "limited" and "power watts" in found.why
    assert (
        nvml.judge(gpus.Gpus(why_none="the NVIDIA driver does not answer (Insufficient Permissions)")).state == "denied"
    )


def test_a_gpu_in_slices_is_limited(recorded_driver):
    recorded_driver("nvml_mig.json")
    found = mig.probe()
    assert found.state == "limited" and "GPU 0 is in slices" in found.why
    recorded_driver("nvml_h200.json")
    assert mig.probe().state == "works"


def test_a_gpu_without_persistence_mode_is_limited(driver, recorded_driver):
    recorded_driver("nvml_h200.json")
    assert persistence.probe().state in ("works", "limited")
    driver({})
    assert persistence.probe().state == "works"
    off = [gpus.Gpu(0, "", 9.0, {"persistence": False}), gpus.Gpu(1, "", 9.0, {"persistence": True})]
    found = persistence.judge(gpus.Gpus(found=tuple(off)))
    assert found.state == "limited" and "GPU 0" in found.why and found.fix == "sudo nvidia-smi -pm 1"
    silent = gpus.Gpu(0, "", 9.0, {"persistence": "unknown: Not Supported"})
    assert persistence.judge(gpus.Gpus(found=(silent,))).state == "unknown"


def test_ranks_on_every_device_add_up():
    """The child that asks NCCL, with gloo in its place."""
    child = [*asking.child("all_gpus"), "gloo", "2"]
    assert nccl_all_gpus.judge(asking.ask(child, 60)).state == "works"
