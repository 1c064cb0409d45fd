"""One line of JSON per step: what it computed, how full the cache was, how long it took."""

import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import TextIO

from perfproof.engine.engine import Step


class StepLog:
    def __init__(self, path: Path | None) -> None:
        self.file: TextIO | None = path.open("a", buffering=1) if path else None

    def add(self, step: Step) -> None:
        if self.file is not None and (step.tokens or step.sampled):
            rounded = {
                name: round(value, 7) if isinstance(value, float) else value for name, value in asdict(step).items()
            }
            self.file.write(json.dumps({"time": round(time.time(), 6), **rounded}) + "\n")

    def close(self) -> None:
        if self.file is not None:
            self.file.close()
