"""Time and memory per nn.Module, from a trace with stacks (`with_stack=True`): torch marks each module's forward call.

The backward pass runs outside of the modules: its time is in none of them.
"""

from collections import defaultdict
from dataclasses import dataclass

from perfproof.core.events import DEVICE_WORK, Events, Kind
from perfproof.profile.launches import launch_of_work

MARK = "nn.Module: "


@dataclass
class Module:
    """All calls of one module. Host and device time hold those of the modules inside it; `own_ns` does not."""

    name: str  # Linear_0: torch numbers the modules of a class
    calls: int = 0
    host_ns: int = 0
    own_ns: int = 0
    device_ns: int | None = None  # of the work that it launched; None: the trace has no device
    kept_bytes: int | None = None  # allocated in it and alive after it; None: no allocations were recorded


def modules_of(events: Events) -> list[Module]:
    """The longest first; by device time if there is any."""
    names = {place: name for place, name in enumerate(events.names) if name.startswith(MARK)}
    rows = [row for row in events.where(Kind.PYTHON) if events.name_id[row] in names]
    work = events.where(*DEVICE_WORK) if rows else []
    launched_by = launch_of_work(events, work)
    allocations = events.where(Kind.ALLOCATION) if rows else []
    found: dict[str, Module] = {}
    lanes = _lanes(events, rows, [(launched_by[row], row) for row in work if row in launched_by], allocations)
    for marks in lanes.values():
        _walk(events, marks, names, found, bool(work), bool(allocations))
    return sorted(found.values(), key=lambda one: (-(one.device_ns or 0), -one.host_ns, one.name))


Mark = tuple[int, int, int, str, int]  # start, -end, order, what, row


def _lanes(
    events: Events, modules: list[int], launched: list[tuple[int, int]], allocations: list[int]
) -> dict[tuple[int, int], list[Mark]]:
    """What happens on each thread, by time: a module before what begins with it."""
    lanes: dict[tuple[int, int], list[Mark]] = defaultdict(list)
    listed = [(row, "module", row) for row in modules]
    listed += [(call, "work", row) for call, row in launched] + [(row, "memory", row) for row in allocations]
    for place, what, row in listed:
        end = events.end_ns[place] if what == "module" else events.start_ns[place]
        order = 0 if what == "module" else 1
        lanes[events.rank[place], events.thread[place]].append((events.start_ns[place], -end, order, what, row))
    return {lane: sorted(marks) for lane, marks in lanes.items()}


def _walk(
    events: Events, marks: list[Mark], names: dict[int, str], found: dict[str, Module], device: bool, memory: bool
) -> None:
    begun: list[tuple[Module, int]] = []  # module, end
    for start, negative_end, _, what, row in marks:
        while begun and begun[-1][1] <= start:
            begun.pop()
        if what == "module":
            name = names[events.name_id[row]].removeprefix(MARK)
            one = found.setdefault(name, Module(name, 0, 0, 0, 0 if device else None, 0 if memory else None))
            length = min(-negative_end, begun[-1][1]) - start if begun else -negative_end - start
            one.calls += 1
            one.own_ns += length
            if begun:
                begun[-1][0].own_ns -= length
            if all(open_one is not one for open_one, _ in begun):  # a module inside itself counts once
                one.host_ns += length
            begun.append((one, start + length))
        for one, end in {id(one): (one, end) for one, end in begun}.values() if what != "module" else ():
            if what == "work":
                one.device_ns = (one.device_ns or 0) + events.end_ns[row] - events.start_ns[row]
            elif events.end_ns[row] > end:
                one.kept_bytes = (one.kept_bytes or 0) + max(events.bytes[row], 0)
