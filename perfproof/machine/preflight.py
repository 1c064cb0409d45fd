"""Is this machine fit to measure? Warnings for what widens or shifts results; a refusal where measuring cannot work.

A claim is made with `--effort final`, and a claim from an unfit machine is refused: each reason has to be allowed by
name, and stands in the run's document beside its result.
"""

from collections.abc import Sequence
from typing import Any

from perfproof.core.documents import Warning
from perfproof.core.errors import UnfitError, UsageError
from perfproof.core.units import GiB, binary_bytes, percent
from perfproof.core.warnings import warn

REASONS = {  # the word for --allow, and the warning it stands for
    "load": "W107",
    "virtual": "W108",
    "governor": "W117",
    "shared": "W122",
    "throttled": "W123",
    "quota": "W124",
    "cores": "W125",
    "memory": "W131",
    "swap": "W132",
    "battery": "W133",
    "heat": "W134",
}
BUSY_SHARE = 0.25  # of all cores together
BUSY_GPU_PERCENT = 5
LITTLE_MEMORY, LITTLE_SHARE = GiB, 0.1
PRESSURE = 0.01  # of ten seconds in which some task waited for memory
HELD_BACK = {
    "hardware slowdown",
    "software thermal slowdown",
    "hardware thermal slowdown",
    "hardware power brake",
}


def preflight(snapshot: dict[str, Any], shared: bool = False) -> list[Warning]:
    """Warnings about the machine; UnfitError if others compute on the GPU, unless `shared` accepts them."""
    return [*_cpu_warnings(snapshot["cpu"]), *_memory_warnings(snapshot), *_gpu_warnings(snapshot, shared)]


def parse_allowed(words: Sequence[str]) -> tuple[str, ...]:
    """The codes that `--allow` names: "load" and "W107" are the same, "all" is every one."""
    codes: set[str] = set()
    for word in words:
        written = word.strip()
        if written.lower() == "all":
            codes.update(REASONS.values())
        elif written.lower() in REASONS:
            codes.add(REASONS[written.lower()])
        elif written.upper() in REASONS.values():
            codes.add(written.upper())
        else:
            raise UsageError(f"--allow {word!r} is no reason: write all, a code, or one of {', '.join(REASONS)}")
    return tuple(sorted(codes))


def refuse_claim(found: Sequence[Warning], allowed: Sequence[str]) -> None:
    """UnfitError with everything that is in the way of a claim and is not allowed, and how to allow it."""
    words = {code: word for word, code in REASONS.items()}
    left = [warning for warning in found if warning.code not in allowed]
    if left:
        what = "; ".join(f"{warning.code} {warning.text}" for warning in left)
        how = " ".join(f"--allow {words[warning.code]}" for warning in left)
        raise UnfitError(f"this machine is not fit for --effort final: {what}; mend it, or accept it with {how}")


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


def _memory_warnings(snapshot: dict[str, Any]) -> list[Warning]:
    memory, moment, found = snapshot["memory"], snapshot["moment"], []
    sizes = [size for size in (memory["total_bytes"], memory["cgroup_limit_bytes"]) if size]
    total = min(sizes, default=0)
    free = total if memory["available_bytes"] is None else min(memory["available_bytes"], total)
    if total and free < max(LITTLE_MEMORY, LITTLE_SHARE * total):
        found.append(warn("W131", f"{binary_bytes(free)} of {binary_bytes(total)} memory is free"))
    if moment["swapped_pages"]:
        found.append(warn("W132", f"{moment['swapped_pages']} pages were swapped while the machine was looked at"))
    elif moment["memory_pressure"] is not None and moment["memory_pressure"] > PRESSURE:
        found.append(warn("W132", f"tasks waited for memory during {percent(moment['memory_pressure'])} of 10 s"))
    if moment["on_battery"]:
        found.append(warn("W133", "the machine runs on its battery"))
    if moment["throttled"]:
        found.append(warn("W134", "heat slowed a core while the machine was looked at"))
    return found


def _gpu_warnings(snapshot: dict[str, Any], shared: bool) -> list[Warning]:
    if snapshot["gpu"] is None:
        return []
    gpu, found = snapshot["gpus"][snapshot["gpu"]], []
    others, busy = gpu["compute_processes"], gpu["utilisation_percent"]
    if isinstance(others, list) and others:
        text = f"{len(others)} other process(es) compute on {snapshot['device']} (pid {', '.join(_pids(others))})"
        if not shared:
            raise UnfitError(f"{text}; wait, choose another GPU with --device, or accept the noise with --shared")
        found.append(warn("W122", text))
    elif isinstance(busy, int) and busy > BUSY_GPU_PERCENT:  # a container sees the work of others, not their processes
        found.append(warn("W122", f"{snapshot['device']} is {busy} % busy, with no process of another to be seen"))
    reasons = sorted(HELD_BACK & set(gpu["event_reasons"])) if isinstance(gpu["event_reasons"], list) else []
    if reasons:
        found.append(warn("W123", f"{snapshot['device']} is held back by {', '.join(reasons)}"))
    return found


def _pids(processes: list[dict[str, Any]]) -> list[str]:
    return [str(process["pid"]) for process in processes]
