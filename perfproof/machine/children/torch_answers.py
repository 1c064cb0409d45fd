"""Import torch and try what measuring and profiling need of it, one JSON line an answer: {"gloo": {"ok": true}}.

A process of its own, because the command line never loads torch, and because a broken CUDA library crashes whoever
tries it. Lines are written as they come: after a crash, what was answered before stands.
"""

import importlib
import json
import sys
from collections.abc import Callable
from typing import Any

torch: Any = None


def main() -> int:
    global torch
    try:
        torch = importlib.import_module("torch")
    except BaseException as error:
        say("torch", {"ok": False, "why": f"{type(error).__name__}: {error}"})
        return 0
    say("torch", {"ok": True, "version": torch.__version__, "cuda": torch.version.cuda})
    if torch.version.cuda:
        answer("targets", lambda: {"ok": True, "built_for": torch.cuda.get_arch_list()})
    answer("profiler_cpu", lambda: profile("CPU", "cpu"))
    answer("gloo", lambda: reduce("gloo", "cpu"))
    if torch.cuda.is_available():
        answer("profiler_cuda", lambda: profile("CUDA", "cuda"))
        answer("nccl", lambda: reduce("nccl", "cuda"))
    return 0


def say(name: str, found: dict[str, Any]) -> None:
    print(json.dumps({name: found}), flush=True)


def answer(name: str, attempt: Callable[[], dict[str, Any]]) -> None:
    try:
        say(name, attempt())
    except Exception as error:
        say(name, {"ok": False, "why": f"{type(error).__name__}: {error}"})


def profile(activity: str, device: str) -> dict[str, Any]:
    """Does the profiler see the work it was shown? Events of the device itself, not only of the calls to it."""
    kinds = [getattr(torch.profiler.ProfilerActivity, name) for name in {"CPU", activity}]
    data = torch.ones(64, 64, device=device)
    with torch.profiler.profile(activities=kinds) as seen:
        data = data @ data
        if device == "cuda":
            torch.cuda.synchronize()
    wanted = getattr(torch.autograd.DeviceType, activity)
    events = sum(event.device_type == wanted for event in seen.events())
    return {"ok": events > 0, "events": events, "why": "" if events else f"no {activity} event was recorded"}


def reduce(backend: str, device: str) -> dict[str, Any]:
    """A group of one: it loads the library, finds a network device and makes a communicator."""
    group = importlib.import_module("torch.distributed")
    if not group.is_available() or not getattr(group, f"is_{backend}_available")():
        return {"ok": False, "absent": True, "why": f"this build of torch has no {backend}"}
    group.init_process_group(backend, store=group.HashStore(), rank=0, world_size=1)
    try:
        data = torch.ones(4, device=device)
        group.all_reduce(data)
        return {"ok": bool((data == 1).all()), "version": version_of_nccl() if backend == "nccl" else ""}
    finally:
        group.destroy_process_group()


def version_of_nccl() -> str:
    return ".".join(map(str, torch.cuda.nccl.version()))


if __name__ == "__main__":
    sys.exit(main())
