"""The clock: fine enough for samples of a quarter of a millisecond, and cheap to read?"""

import time

from perfproof.core.doctor import Finding
from perfproof.machine import kernel_files

GROUP, NEEDED = "measuring", True
SOURCE = "/sys/devices/system/clocksource/clocksource0"
FINE_SECONDS = 1e-6  # 0.4 % of the shortest sample
SLOW_SOURCES = ("hpet", "acpi_pm", "jiffies", "pit", "refined-jiffies")


def probe() -> Finding:
    steps = [_step() for _ in range(100)]
    monotonic = time.get_clock_info("perf_counter").monotonic
    return judge(
        monotonic,
        min(steps),
        kernel_files.read_text(f"{SOURCE}/current_clocksource"),
        kernel_files.read_text(f"{SOURCE}/available_clocksource"),
    )


def judge(monotonic: bool, step: float, source: str | None, available: str | None) -> Finding:
    named = f"{source or 'source unknown'}, smallest step seen {step * 1e9:.0f} ns"
    better = next((one for one in ("tsc", "kvm-clock") if one in (available or "").split()), None)
    fix = f"echo {better} | sudo tee {SOURCE}/current_clocksource" if better else ""
    if not monotonic:
        return Finding(name="monotonic clock", state="denied", why="the clock can be set back", fix=fix)
    if step > FINE_SECONDS or source in SLOW_SOURCES:
        why = f"{named}: reading it costs more than it should"
        return Finding(name="monotonic clock", state="limited", why=why, fix=fix)
    return Finding(name="monotonic clock", state="works", why=named)


def _step() -> float:
    """The time from one value of the clock to the next."""
    start = now = time.perf_counter_ns()
    while now == start:
        now = time.perf_counter_ns()
    return (now - start) / 1e9
