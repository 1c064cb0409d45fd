"""NVML: clocks, power and temperature of the GPUs."""

from perfproof.core.doctor import Finding
from perfproof.machine import gpus

GROUP, FOR_GPUS = "counters", True
NAME = "NVML"
TOLD = ("clock_sm_mhz", "power_watts", "temperature_celsius", "event_reasons", "compute_processes")
FIXES = {
    "nvidia-ml-py": "pip install nvidia-ml-py",
    "permission": "sudo chmod a+rw /dev/nvidiactl /dev/nvidia[0-9]*",
    "mismatch": "sudo reboot",  # the driver's library was updated, its kernel module was not
}


def probe() -> Finding:
    return judge(gpus.read_gpus())


def judge(seen: gpus.Gpus) -> Finding:
    if not seen.found:
        loaded = "does not answer" in seen.why_none
        fix = next((line for mark, line in FIXES.items() if mark in seen.why_none.lower()), "")
        return Finding(name=NAME, state="denied" if loaded else "absent", why=seen.why_none, fix=fix)
    version = f"driver {seen.driver}" if seen.driver else ""
    lost = [str(gpu.index) for gpu in seen.found if gpu.is_lost]
    if lost:
        why = f"GPU {', '.join(lost)} of {len(seen.found)} does not answer; look for Xid in the kernel's log"
        return Finding(name=NAME, state="limited", why=why, version=version)
    missing = [name for name in TOLD if str(seen.found[0].details[name]).startswith("unknown")]
    if missing:
        why = f"not told: {', '.join(name.replace('_', ' ') for name in missing)}"
        return Finding(name=NAME, state="limited", why=why, version=version)
    count = f"{len(seen.found)} GPU{'' if len(seen.found) == 1 else 's'}"
    return Finding(name=NAME, state="works", why=count, version=version)
