"""The probes that lie in probes/: one file is one probe, found by itself and read without being imported.

A probe file declares, as literals, `devices` ("cpu", "cuda"), `measures` (the names it gives, or globs) and `timeout`
(seconds), and defines `probe(plan)`, which yields ceilings and reasons why there is none.
"""

import ast
from dataclasses import dataclass
from pathlib import Path

from perfproof.peak.plan import may_match

FOLDER = Path(__file__).parent / "probes"
FIELDS = ("devices", "measures", "timeout")


@dataclass(frozen=True)
class Probe:
    name: str
    purpose: str  # the first line of the docstring
    devices: tuple[str, ...]
    measures: tuple[str, ...]
    timeout: float


def probes(device: str, only: tuple[str, ...] = (), folder: Path = FOLDER) -> list[Probe]:
    """Those of this device that may give a name that is asked for, in order of their names."""
    kind = device.partition(":")[0]
    found = [read_probe(path) for path in sorted(folder.glob("[a-z]*.py"))]
    return [one for one in found if kind in one.devices and any(may_match(name, only) for name in one.measures)]


def read_probe(path: Path) -> Probe:
    tree = ast.parse(path.read_text())
    declared = {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id in FIELDS
    }
    purpose = (ast.get_docstring(tree) or "").partition("\n")[0]
    return Probe(path.stem, purpose, declared["devices"], declared["measures"], float(declared["timeout"]))
