"""Try every source that a measurement or a profile may use. A probe is a file in probes/ with `GROUP` and `probe()`.

Probes run beside each other: most answer at once, a few start a program and wait. One that fails says so in its row.
"""

import importlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, get_args

from perfproof.core.doctor import Finding, Group, Row
from perfproof.machine import probes


def probe_files() -> list[str]:
    """The names of all probes: the folder is the list."""
    return sorted(path.stem for folder in probes.__path__ for path in Path(folder).glob("[a-z]*.py"))


def probe_all() -> list[Row]:
    """A row for every probe, by group."""
    names = probe_files()
    modules = [importlib.import_module(f"{probes.__name__}.{name}") for name in names]
    with ThreadPoolExecutor(max_workers=len(modules)) as together:
        rows = list(together.map(_row, modules))
    order = get_args(Group)
    return sorted(rows, key=lambda row: (order.index(row.group), not row.needed, row.name))


def measuring_works(rows: list[Row]) -> bool:
    return all(row.state in ("works", "limited") for row in rows if row.needed)


def _row(module: Any) -> Row:
    try:
        found = module.probe()
    except Exception as error:
        name = module.__name__.rpartition(".")[2].replace("_", " ")
        found = Finding(name=name, state="unknown", why=f"the probe failed: {type(error).__name__}: {error}")
    needed, for_gpus = getattr(module, "NEEDED", False), getattr(module, "FOR_GPUS", False)
    return Row(**found.model_dump(), group=module.GROUP, needed=needed, for_gpus=for_gpus)
