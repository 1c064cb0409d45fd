"""The GPU's clock and power while a probe works: read from the driver fifty times a second by a thread."""

import statistics
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from perfproof.machine import facts
from perfproof.machine.gpus import EVENT_REASONS

INTERVAL_SECONDS = 0.02
POWER_INSTANT = 186  # NVML's field of the power now; the plain reading is an average over a second on many GPUs


@dataclass(frozen=True)
class Reading:
    at: float  # time.perf_counter
    sm_mhz: float
    watts: float
    celsius: float
    reasons: tuple[str, ...]


class Sampler:
    """Use it as a context around the work; `summary` says what was seen, or why nothing was."""

    def __init__(self, device: str) -> None:
        self.readings: list[Reading] = []
        self.why_not = ""
        self._ended = threading.Event()
        self._number = int(device.partition(":")[2] or 0)
        self._thread: threading.Thread | None = None

    def __enter__(self) -> "Sampler":
        try:
            import pynvml

            pynvml.nvmlInit()
            handle = pynvml.nvmlDeviceGetHandleByUUID(facts.usable_gpus()[0][self._number].uuid)
        except Exception as error:  # no driver, no such GPU: the work is measured all the same
            self.why_not = f"{type(error).__name__}: {error}"
            return self
        self._thread = threading.Thread(target=self._run, args=(pynvml, handle), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        if self._thread is not None:
            self._thread.join(5)

    def summary(self, windows: Sequence[tuple[float, float]] = ()) -> dict[str, Any]:
        """Over everything, or only over the times when the device was at work."""
        seen = [one for one in self.readings if not windows or any(start <= one.at <= end for start, end in windows)]
        if not seen:
            return {"clocks": f"unknown: {self.why_not or 'the work was over before the first reading'}"}
        clocks, power = [one.sm_mhz for one in seen], [one.watts for one in seen]
        reasons = Counter(name for one in seen for name in one.reasons)
        return {
            "sm_mhz": statistics.median(clocks),
            "sm_mhz_lowest": min(clocks),
            "sm_mhz_highest": max(clocks),
            "watts": round(statistics.median(power), 1),
            "watts_highest": round(max(power), 1),
            "celsius_highest": max(one.celsius for one in seen),
            "readings": len(seen),
            "held_back_by": {name: round(times / len(seen), 2) for name, times in reasons.items()},
        }

    def _run(self, nvml: Any, handle: Any) -> None:
        while not self._ended.is_set():
            try:
                self._read(nvml, handle)
            except nvml.NVMLError as error:
                self.why_not = str(error)
            self._ended.wait(INTERVAL_SECONDS)
        nvml.nvmlShutdown()

    def _read(self, nvml: Any, handle: Any) -> None:
        read = getattr(nvml, "nvmlDeviceGetCurrentClocksEventReasons", None)
        mask = (read or nvml.nvmlDeviceGetCurrentClocksThrottleReasons)(handle)
        self.readings.append(
            Reading(
                time.perf_counter(),
                float(nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_SM)),
                watts(nvml, handle),
                float(nvml.nvmlDeviceGetTemperature(handle, nvml.NVML_TEMPERATURE_GPU)),
                tuple(name for bit, name in EVENT_REASONS.items() if mask & bit and name != "idle"),
            )
        )


def watts(nvml: Any, handle: Any) -> float:
    """The power now where the driver tells it, else its average over the last second."""
    try:
        (field,) = nvml.nvmlDeviceGetFieldValues(handle, [POWER_INSTANT])
        if field.nvmlReturn == nvml.NVML_SUCCESS and field.value.uiVal > 0:
            return field.value.uiVal / 1000
    except (nvml.NVMLError, AttributeError, ValueError):
        pass
    return nvml.nvmlDeviceGetPowerUsage(handle) / 1000
