"""Is this machine fit to measure? Warnings for what widens or shifts results; a refusal where measuring cannot work."""

from typing import Any

from perfproof.core.documents import Warning
from perfproof.core.errors import UnfitError
from perfproof.core.warnings import warn

BUSY_SHARE = 0.25  # of all cores together
HELD_BACK = {
    "hardware slowdown",
    "software thermal slowdown",
    "hardware thermal slowdown",
    "hardware power brake",
}


def preflight(snapshot: dict[str, Any], shared: bool = False) -> list[Warning]:
    """Warnings about the machine; UnfitError if others compute on the GPU, unless `shared` accepts them."""
    return [*_cpu_warnings(snapshot["cpu"]), *_gpu_warnings(snapshot, shared)]


def _cpu_warnings(cpu: dict[str, Any]) -> list[Warning]:
    found = []
    cores, load, busy = cpu["cores_allowed"], cpu["load_average"], cpu["busy_share"]
    if _is_busy(cpu):
        now = "" if busy is None else f", {100 * busy:.0f} % of the CPU time in use"
        found.append(warn("W107", f"load average {load[0]:.2f} on {cpu['cores_logical']} CPUs{now}"))
    if cores < 2:
        found.append(warn("W125", "this process may use one core only"))
    if cpu["quota_cpus"] is not None and cpu["quota_cpus"] < cores:
        found.append(warn("W124", f"the control group allows {cpu['quota_cpus']:.1f} CPUs of {cores} cores"))
    if cpu["governor"] in ("powersave", "conservative", "ondemand"):
        found.append(warn("W117", f"the frequency governor is {cpu['governor']}"))
    if cpu["virtual_machine"] and not str(cpu["virtual_machine"]).startswith("unknown"):
        name = "" if cpu["virtual_machine"] is True else f" ({cpu['virtual_machine']})"
        found.append(warn("W108", f"this is a virtual machine{name}: times are noisy"))
    return found


def _is_busy(cpu: dict[str, Any]) -> bool:
    """Busy now and over the last minute: the average alone also counts the run that has just ended."""
    if cpu["load_average"] is None:
        return False
    loaded = cpu["load_average"][0] > max(0.5, BUSY_SHARE * cpu["cores_logical"])
    return loaded and (cpu["busy_share"] is None or cpu["busy_share"] > BUSY_SHARE)


def _gpu_warnings(snapshot: dict[str, Any], shared: bool) -> list[Warning]:
    if snapshot["gpu"] is None:
        return []
    gpu, found = snapshot["gpus"][snapshot["gpu"]], []
    others = gpu["compute_processes"]
    if isinstance(others, list) and others:
        text = f"{len(others)} other process(es) compute on {snapshot['device']} (pid {', '.join(_pids(others))})"
        if not shared:
            raise UnfitError(f"{text}; wait, choose another GPU with --device, or accept the noise with --shared")
        found.append(warn("W122", text))
    reasons = sorted(HELD_BACK & set(gpu["event_reasons"])) if isinstance(gpu["event_reasons"], list) else []
    if reasons:
        found.append(warn("W123", f"{snapshot['device']} is held back by {', '.join(reasons)}"))
    return found


def _pids(processes: list[dict[str, Any]]) -> list[str]:
    return [str(process["pid"]) for process in processes]
