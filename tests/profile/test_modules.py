"""Time and memory per nn.Module, with figures that can be worked out on paper; rows as torch 2.13 wrote them."""

from perfproof.core.events import Events, Kind
from perfproof.profile.modules import modules_of


def a_trace(device=True, memory=True):
    """Sequential (100 µs) holds Linear_0 (30 µs) and Linear_1 (50 µs)."""
    events = Events("kineto")
    for name, start, end in (("Sequential_0", 0, 100), ("Linear_0", 10, 40), ("Linear_1", 40, 90)):
        events.add(Kind.PYTHON, f"nn.Module: {name}", start, end, thread=1)
    events.add(Kind.PYTHON, "train.py(3): step", 0, 200, thread=1)
    for number, launched in enumerate((15, 45, 150), start=1):  # the last one after the modules
        events.add(Kind.RUNTIME, "cudaLaunchKernel", launched, launched + 2, thread=1, correlation=number)
        if device:
            events.add(Kind.KERNEL, "gemm", 100 * number, 100 * number + 7 * number, device=0, correlation=number)
    if memory:
        events.add(Kind.ALLOCATION, "kept", 12, 190, thread=1, bytes=64)
        events.add(Kind.ALLOCATION, "scratch", 13, 20, thread=1, bytes=4096)
        events.add(Kind.ALLOCATION, "of another thread", 12, 190, thread=2, bytes=512)
    return events


def test_time_of_host_and_device_and_kept_memory_are_those_of_the_module():
    found = {one.name: one for one in modules_of(a_trace())}
    outer, first, second = (found[name] for name in ("Sequential_0", "Linear_0", "Linear_1"))
    assert (outer.host_ns, outer.own_ns, outer.device_ns, outer.kept_bytes) == (100, 20, 21, 64)
    assert (first.host_ns, first.own_ns, first.device_ns, first.kept_bytes) == (30, 30, 7, 64)
    assert (second.host_ns, second.device_ns, second.kept_bytes) == (50, 14, 0)


def test_what_was_not_recorded_is_unknown_and_not_zero():
    one = modules_of(a_trace(device=False, memory=False))[0]
    assert one.device_ns is None and one.kept_bytes is None


def test_a_module_inside_itself_counts_its_time_once():
    events = Events("kineto")
    events.add(Kind.PYTHON, "nn.Module: Tree_0", 0, 100, thread=1)
    events.add(Kind.PYTHON, "nn.Module: Tree_0", 20, 60, thread=1)
    (one,) = modules_of(events)
    assert (one.calls, one.host_ns, one.own_ns) == (2, 100, 100)


def test_a_trace_without_modules_has_none():
    events = Events("kineto")
    events.add(Kind.PYTHON, "train.py(3): step", 0, 200, thread=1)
    assert modules_of(events) == []
