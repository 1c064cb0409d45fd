"""The fault lies in the machine: after a second the GPU is too hot, and the hardware halves its clocks.

Generated, not recorded: a machine cannot be overheated at will. The file is what the sampler writes.
"""

import json
from pathlib import Path

from recording import main

HZ, SECONDS, HOT_AFTER = 20, 6, 1
THERMAL, BUSY = 0x40, 0x0  # bits of NVML's clock event reasons
COLUMNS = [
    {"name": "sm_mhz", "kind": "gauge", "unit": "MHz"},
    {"name": "event_reasons", "kind": "mask"},
    {"name": "temperature_celsius", "kind": "gauge", "unit": "°C"},
]


def record(folder: Path) -> None:
    header = {"schema_version": 1, "clock": "perf_counter", "start_ns": 0, "started": "2026-01-01T00:00:00Z", "hz": HZ}
    header |= {"gpus": [], "groups": [{"source": "gpu0", "columns": COLUMNS}], "unknown": {}}
    rows = [[0, round(tick * 1e6 / HZ), *_reading(tick / HZ)] for tick in range(HZ * SECONDS)]
    text = "".join(json.dumps(line) + "\n" for line in (header, *rows))
    (folder / "telemetry.jsonl").write_text(text)


def _reading(seconds: float) -> tuple[int, int, int]:
    hot = seconds >= HOT_AFTER
    return (990, THERMAL, 92) if hot else (1980, BUSY, 80 + round(10 * seconds))


if __name__ == "__main__":
    main(record)
