"""Hold a machine against what its kind should show: a sick node is called sick before anyone optimises it."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from perfproof.core.ceilings import Ceilings
from perfproof.core.hardware import Gpu, Hardware

FOLDER = Path(__file__).parent
Severity = Literal["sick", "watch"]
SICK_REASONS = ("thermal", "slowdown", "brake")  # in the driver's words for why clocks are low
POWER_SHARE = 0.95  # of the sheet's limit: a lower one was set by somebody


@dataclass(frozen=True)
class Symptom:
    """One thing that is not as it should be, and what to do about it."""

    part: str  # GPU 0, host
    name: str
    severity: Severity
    seen: str
    expected: str
    advice: str

    def __str__(self) -> str:
        return f"{self.part}: {self.name} is {self.seen}, expected {self.expected}; {self.advice}"


@dataclass(frozen=True)
class Expectation:
    """One check: pass, fail, or not-run with the reason in `seen`."""

    result: Literal["pass", "fail", "not-run"]
    symptom: Symptom


def sick(hardware: Hardware, ceilings: Ceilings | None = None) -> list[Symptom]:
    """What is wrong, the worst first. Nothing is said about what could not be read: see `examine`."""
    failed = [one.symptom for one in examine(hardware, ceilings) if one.result == "fail"]
    return sorted(failed, key=lambda symptom: symptom.severity != "sick")


def examine(hardware: Hardware, ceilings: Ceilings | None = None) -> list[Expectation]:
    found = [*_host_checks(hardware, _kinds()["any CPU"]["cpu"])]
    for gpu in hardware.gpus:
        kind = kind_of(gpu.name)
        found += _event_checks(gpu)
        if kind is not None:
            found += _gpu_checks(gpu, kind["gpu"], len(hardware.gpus))
        elif isinstance(gpu.pcie_width_max, int | float):  # of a card that nobody described, what it says of itself
            advice = "fewer lanes than the card has: look at the riser and the slot"
            found.append(_least(f"GPU {gpu.index}", "PCIe width", gpu.pcie_width, gpu.pcie_width_max, "watch", advice))
    if ceilings is not None and hardware.gpus and ceilings.device.startswith("cuda"):
        found += _floor_checks(ceilings, kind_of(hardware.gpus[0].name))
    return found


def kind_of(gpu_name: str) -> dict[str, Any] | None:
    """The expectations of a card by the driver's name for it; None for an unknown card and for a slice of one."""
    if re.search(r"\bMIG\b", gpu_name):
        return None
    cards = (kind for kind in _kinds().values() if "gpu" in kind)
    return next((kind for kind in cards if re.search(kind["match"], gpu_name, re.IGNORECASE)), None)


@cache
def _kinds() -> dict[str, dict[str, Any]]:
    kinds = (tomllib.loads(path.read_text()) for path in sorted(FOLDER.glob("*.toml")))
    return {kind["name"]: kind for kind in kinds}


def _gpu_checks(gpu: Gpu, expected: dict[str, Any], gpus: int) -> Iterator[Expectation]:
    part = f"GPU {gpu.index}"
    width, generation = expected["pcie_width"], expected["pcie_generation_max"]
    yield _least(part, "PCIe width", gpu.pcie_width, width, "sick", "reseat the card or look at the riser and the slot")
    yield _least(
        part, "PCIe generation at most", gpu.pcie_generation_max, generation, "sick", "look at the slot and the BIOS"
    )
    if expected["nvlink_active"] and gpus > 1:  # a GPU alone has nobody to be linked with
        advice = "look at `nvidia-smi nvlink -s` and at Fabric Manager"
        yield _least(part, "active NVLinks", gpu.nvlink.active, expected["nvlink_active"], "sick", advice)
    if "clock_sm_max_mhz" in expected:
        advice = "the highest clock was lowered: `nvidia-smi -q -d CLOCK` shows it"
        yield _least(part, "highest SM clock (MHz)", gpu.clock_sm_max_mhz, expected["clock_sm_max_mhz"], "sick", advice)
    if "power_limit_watts" in expected:
        limit = expected["power_limit_watts"]
        advice = f"a full one is {limit} W: heavy work will run at lower clocks"
        yield _least(part, "power limit (W)", gpu.power_limit_watts, POWER_SHARE * limit, "watch", advice)
    if "ecc" in expected:
        advice = "memory errors go unseen: `nvidia-smi -e 1`, then a restart"
        seen = gpu.ecc if isinstance(gpu.ecc, str) else int(gpu.ecc)
        yield _least(part, "ECC (1 is on)", seen, int(expected["ecc"]), "watch", advice)


def _event_checks(gpu: Gpu) -> Iterator[Expectation]:
    part, advice = f"GPU {gpu.index}", "look at cooling and power supply before measuring"
    if isinstance(gpu.event_reasons, str):
        yield _not_run(part, "clock event reasons", gpu.event_reasons)
        return
    bad = [reason for reason in gpu.event_reasons if any(word in reason.lower() for word in SICK_REASONS)]
    seen = ", ".join(bad) or "none of them"
    symptom = Symptom(part, "clock event reasons", "sick", seen, "no thermal and no hardware slowdown", advice)
    yield Expectation("fail" if bad else "pass", symptom)


def _floor_checks(ceilings: Ceilings, kind: dict[str, Any] | None) -> Iterator[Expectation]:
    for name, floor in (kind or {}).get("floors", {}).items():
        measured = ceilings.get(name)
        if measured is None:
            yield _not_run(ceilings.device, name, ceilings.not_measured.get(name, "not measured"))
            continue
        result: Literal["pass", "fail"] = "fail" if measured.high < floor else "pass"
        advice = "nobody else on it? then the memory, the link or the clocks are at fault"
        seen, least = f"{measured.high / 1e9:,.1f} GB/s", f"at least {floor / 1e9:,.1f} GB/s"
        yield Expectation(result, Symptom(ceilings.device, name, "sick", seen, least, advice))


def _host_checks(hardware: Hardware, expected: dict[str, Any]) -> Iterator[Expectation]:
    governor, memory = hardware.cpu.governor, hardware.memory
    if governor.startswith("unknown"):
        yield _not_run("host", "CPU governor", governor)
    else:
        allowed = expected["governors"]
        symptom = Symptom("host", "CPU governor", "watch", governor, " or ".join(allowed), "clocks may stay low")
        yield Expectation("pass" if governor in allowed else "fail", symptom)
    yield _share("swap in use", memory.swap_bytes, memory.swap_free_bytes, expected["swap_used_share"])
    total, free = memory.total_bytes, memory.available_bytes
    if isinstance(total, str) or isinstance(free, str) or not total:
        yield _not_run("host", "available memory", str(free))
    else:
        least = expected["memory_available_share"]
        yield _least("host", "share of memory available", round(free / total, 3), least, "watch", "something fills it")


def _share(name: str, total: int | str, free: int | str, most: float) -> Expectation:
    if isinstance(total, str) or isinstance(free, str):
        return _not_run("host", name, str(total))
    used = (total - free) / total if total else 0.0
    symptom = Symptom("host", name, "watch", f"{used:.0%}", f"at most {most:.0%}", "memory was too small at some time")
    return Expectation("fail" if used > most else "pass", symptom)


def _least(part: str, name: str, seen: float | str, least: float, severity: Severity, advice: str) -> Expectation:
    if isinstance(seen, str):
        return _not_run(part, name, seen)
    symptom = Symptom(part, name, severity, f"{seen:g}", f"{least:g}", advice)
    return Expectation("fail" if seen < least else "pass", symptom)


def _not_run(part: str, name: str, why: str) -> Expectation:
    return Expectation("not-run", Symptom(part, name, "watch", why, "a value", "it could not be read"))
