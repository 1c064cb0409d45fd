"""The dual roofline: is it the tensor cores that limit a kernel, or what feeds them?

A tensor kernel has a second roof beside memory: on Hopper the shared memory that `wgmma` reads its operands from, on
Blackwell the tensor memory (TMEM) that holds accumulators and operands. Each resource has a share u of its own peak:

    SM compute            cycles in which the tensor pipe was active / cycles
    shared-memory feed    wavefronts of wgmma operands / SM cycles: one wavefront of 128 bytes a cycle
    TMEM                  cycles in which tensor memory was active / cycles (no access width is needed)
    DRAM                  DRAM throughput / its peak

The resource with the highest share binds if that share is at least BOUND and LEAD above the next one. Otherwise nothing
leads and the answer is "undetermined": latency, or a resource that was not counted.

On the picture x = u_compute / u_feed, the intensity relative to the ridge of the two, and y = u_compute; the roofs are
y = x (the feed is full) and y = 1 (the tensor cores are).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from perfproof.calc.roofline import PIPES
from perfproof.core.roofline import Kernel, Roof

BOUND = 0.60  # of its own peak: below, a resource leaves room and something else is waited for
LEAD = 0.10  # points: closer than this, counters of separate passes cannot tell two resources apart
IMPOSSIBLE = 1.05  # of its own peak: passes of a replay differ by a few per cent, not by more
COMPUTE = "SM compute"
DRAM = "DRAM"
FEEDS = {"9": "shared-memory feed", "10": "TMEM"}  # by major compute capability
SHARED_BYTES_A_CLOCK = 128  # 32 banks of 4 bytes: CUDA C++ Programming Guide, shared memory of every SM since 5.0
UNDETERMINED = "undetermined"


@dataclass(frozen=True)
class Binding:
    resource: str  # one of the shares' names, or UNDETERMINED
    why: str


def feed_of(capability: str) -> str | None:
    """What feeds the tensor cores of this architecture; None where no counter tells (Ampere, Ada, RTX Blackwell)."""
    return FEEDS.get(capability.partition(".")[0])


def judge(kernel: Kernel, roofs: Sequence[Roof]) -> Kernel:
    """The kernel with the shares of its resources and the one that binds; as it was where its feed is not known."""
    shares = shares_of(kernel, roofs)
    if shares is None:
        return kernel
    found = binding(shares)
    return kernel.model_copy(update={"shares": shares, "binding": found.resource, "binding_why": found.why})


def shares_of(kernel: Kernel, roofs: Sequence[Roof]) -> dict[str, float] | None:
    """Counters of the resource itself come first; without them, achieved over roof."""
    feed = feed_of(kernel.capability)
    if feed is None or not kernel.seconds:
        return None
    by_roof = {limit.roof: limit.share for limit in kernel.limits}
    tensor = [by_roof[name] for name in kernel.work if name in by_roof and name not in PIPES]
    feed_roof = next((roof.value for roof in roofs if roof.name == feed and roof.unit == "bytes/s"), None)
    shares = dict(kernel.used)
    if COMPUTE not in shares and tensor:
        shares[COMPUTE] = max(tensor)
    if feed not in shares and kernel.feed_bytes is not None and feed_roof:
        shares[feed] = kernel.feed_bytes / kernel.seconds / feed_roof
    if DRAM not in shares and DRAM in by_roof:
        shares[DRAM] = by_roof[DRAM]
    return shares if feed in shares and COMPUTE in shares else None


def hopper_feed(measured: Sequence[Roof], sms: int | None, clock_hz: float | None) -> Roof | None:
    """The roof of wgmma's operands: shared memory as measured, else bytes a clock x SMs x highest clock."""
    for roof in measured:
        if roof.name == "shared memory":
            return roof.model_copy(update={"name": FEEDS["9"], "kind": "feed"})
    if not sms or not clock_hz:
        return None
    source = f"{SHARED_BYTES_A_CLOCK} bytes/clock x {sms} SMs x {clock_hz / 1e9:.2f} GHz"
    value = SHARED_BYTES_A_CLOCK * sms * clock_hz
    return Roof(name=FEEDS["9"], kind="feed", value=value, unit="bytes/s", basis="derived", source=source)


def binding(shares: Mapping[str, float]) -> Binding:
    """The resource that limits the kernel, by the rule above."""
    ranked = sorted(shares.items(), key=lambda item: (-item[1], item[0]))
    impossible = [f"{name} at {_percent(share)}" for name, share in ranked if share > IMPOSSIBLE]
    if impossible:
        return Binding(UNDETERMINED, f"{', '.join(impossible)} of its peak is a counting error")
    if len(ranked) < 2:
        return Binding(UNDETERMINED, "fewer than two resources were counted")
    (first, most), (second, next_most) = ranked[:2]
    if most < BOUND:
        return Binding(
            UNDETERMINED, f"the busiest, {first}, is at {_percent(most)}: latency, or a resource that was not counted"
        )
    if most - next_most < LEAD - 1e-9:
        return Binding(
            UNDETERMINED, f"{first} at {_percent(most)} and {second} at {_percent(next_most)}: neither leads"
        )
    return Binding(first, f"{first} at {_percent(most)} leads {second} at {_percent(next_most)}")


def shared_memory_bytes_s(sm_cycles: float, seconds: float) -> float:
    """What the shared memories of all SMs can deliver: 128 bytes for every cycle of every SM."""
    return SHARED_BYTES_A_CLOCK * sm_cycles / seconds


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
