"""What stands above every table of evidence: date, machine, versions, and the command that made it."""

import datetime
import json
import platform
import sys
from pathlib import Path

from perfproof.machine.snapshot import snapshot


def heading(device: str = "cpu") -> list[str]:
    seen = snapshot(device if device == "cpu" else "cuda:0")
    names = ("python", "torch", "torch_cuda", "triton", "numpy")
    software = {name: seen["software"].get(name) for name in names if seen["software"].get(name)}
    where = f"{seen['kind']}, {seen['cpu'].get('model')}, Linux {platform.release().split('-')[0]}, virtual machine"
    if device != "cpu":
        where = f"one {seen['gpus'][seen['gpu']]['name']}, driver {seen['driver']}"
    arguments = ["FILE" if "/" in argument else argument for argument in sys.argv[1:]]  # where a table was written to
    return [
        f"Date: {datetime.date.today()}. Machine: {where}.",
        f"Versions: {json.dumps(software)}.",
        f"Command: python benchmarks/{Path(sys.argv[0]).name} {' '.join(arguments)}".rstrip(),
    ]
