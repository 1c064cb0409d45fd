"""What does the sampler itself cost, and how often does it really read?

    python benchmarks/sampler_cost.py                    20 Hz for 30 s, every GPU; the limit is 1 % of a core
    python benchmarks/sampler_cost.py --gpus 0 --hz 100  one GPU, faster
    python benchmarks/sampler_cost.py --calls            what each call of NVML costs on the first GPU

CPU time is the kernel's own account of the sampling process after its start: /proc/PID/schedstat in nanoseconds, or
the ticks of /proc/PID/stat where the kernel keeps none. Ends with 1 where the limit is exceeded.
"""

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from statistics import median

from perfproof.machine.sampler import Sampler, read
from perfproof.machine.telemetry.recording import Telemetry

LIMIT = 0.01
SETTLE_SECONDS = 1.0
CALLS = 20
HELD_BACK = (74, 75, 76, 269, 270, 271)  # fields: nanoseconds that power, heat, sync boost, ... held clocks back


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hz", type=float, default=20)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--gpus", help="numbers in the driver's order, 0,1; all by default")
    parser.add_argument("--calls", action="store_true", help="time NVML's calls one by one, and nothing else")
    options = parser.parse_args()
    if options.calls:
        return time_calls()
    gpus = None if options.gpus is None else [int(index) for index in options.gpus.split(",") if index]
    with tempfile.TemporaryDirectory() as folder:
        share, seconds, path = measure(Path(folder) / "telemetry.jsonl", options.hz, options.seconds, gpus)
        telemetry = read(path)
        size = path.stat().st_size
    print(f"CPU time      {100 * share:.2f} % of a core over {seconds:.1f} s (limit {100 * LIMIT:.0f} %)")
    print(f"file          {size / (seconds + SETTLE_SECONDS) / 1000:.1f} kB/s")
    print("\n".join(rates(telemetry)))
    return int(share > LIMIT)


def measure(path: Path, hz: float, seconds: float, gpus: list[int] | None) -> tuple[float, float, Path]:
    """Share of a core, seconds it was watched, and the file."""
    with Sampler(path, hz, gpus) as sampler:
        if not sampler.wait_ready(30):
            sys.exit(f"the sampler did not start: {sampler.why or 'no rows after 30 s'}")
        time.sleep(SETTLE_SECONDS)
        began, before = time.perf_counter(), cpu_seconds(sampler.pid)
        time.sleep(seconds)
        used, took = cpu_seconds(sampler.pid) - before, time.perf_counter() - began
    return used / took, took, path


def time_calls() -> int:
    """CPU and wall time of single calls, 20 times a second as the sampler makes them."""
    import pynvml as nvml

    nvml.nvmlInit()
    gpu = nvml.nvmlDeviceGetHandleByIndex(0)
    for name, call in calls_of(nvml, gpu).items():
        cpu, wall = [], []
        try:
            for _ in range(CALLS):
                time.sleep(1 / 20)
                began, used = time.perf_counter(), time.thread_time()
                answer = call()
                cpu.append(time.thread_time() - used)
                wall.append(time.perf_counter() - began)
        except (nvml.NVMLError, AttributeError, TypeError) as error:
            print(f"{name:42} unknown: {error}")
            continue
        print(f"{name:42} {1e6 * median(cpu):8.0f} µs CPU {1e6 * median(wall):8.0f} µs wall   {str(answer)[:60]}")
    return 0


def calls_of(nvml, gpu) -> dict:
    """What a sampler could ask for, and in which company."""

    def fields(*numbers: int):
        return lambda: [(one.nvmlReturn, one.value.ullVal) for one in nvml.nvmlDeviceGetFieldValues(gpu, list(numbers))]

    def samples(kind: int):
        return lambda: len(nvml.nvmlDeviceGetSamples(gpu, kind, int(1e6 * (time.time() - 1)))[1])

    reasons = (
        getattr(nvml, "nvmlDeviceGetCurrentClocksEventReasons", None) or nvml.nvmlDeviceGetCurrentClocksThrottleReasons
    )
    return {
        "SM clock": lambda: nvml.nvmlDeviceGetClockInfo(gpu, nvml.NVML_CLOCK_SM),
        "memory clock": lambda: nvml.nvmlDeviceGetClockInfo(gpu, nvml.NVML_CLOCK_MEM),
        "clock event reasons": lambda: reasons(gpu),
        "power": lambda: nvml.nvmlDeviceGetPowerUsage(gpu),
        "energy": lambda: nvml.nvmlDeviceGetTotalEnergyConsumption(gpu),
        "field: energy (83)": fields(83),
        "field: power of now (186)": fields(186),
        "fields: power and energy": fields(186, 83),
        "field: time held back by power (74)": fields(74),
        "fields: time held back, all causes": fields(*HELD_BACK),
        "fields: power, energy, time held back": fields(186, 83, *HELD_BACK),
        "temperature": lambda: nvml.nvmlDeviceGetTemperature(gpu, nvml.NVML_TEMPERATURE_GPU),
        "utilisation": lambda: nvml.nvmlDeviceGetUtilizationRates(gpu).gpu,
        "memory in use": lambda: nvml.nvmlDeviceGetMemoryInfo(gpu).used,
        "samples of a second: power": samples(nvml.NVML_TOTAL_POWER_SAMPLES),
        "samples of a second: SM clock": samples(nvml.NVML_PROCESSOR_CLK_SAMPLES),
        "time held back by power": lambda: nvml.nvmlDeviceGetViolationStatus(gpu, 0).violationTime,
        "PCIe sent": lambda: nvml.nvmlDeviceGetPcieThroughput(gpu, 0),
    }


def cpu_seconds(pid: int | None) -> float:
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) * 1e-9
    except OSError:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def rates(telemetry: Telemetry) -> list[str]:
    """How often each series was read: columns of one group share a line."""
    spacing = {
        name: median(after - before for before, after in zip(series.times_ns, series.times_ns[1:], strict=False)) * 1e-9
        for name, series in telemetry.series.items()
        if len(series.times_ns) > 1
    }
    found = Counter((name.partition(".")[0], round(1 / gap, 1)) for name, gap in spacing.items())
    lines = [f"{source:13} {count} readings at {hz:.1f} Hz" for (source, hz), count in found.items()]
    return [*lines, *(f"{name:13} unknown: {why}" for name, why in telemetry.header.unknown.items())]


if __name__ == "__main__":
    sys.exit(main())
