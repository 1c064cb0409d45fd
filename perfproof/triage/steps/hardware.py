"""Write the machine down as `perfproof hw` does: what its health is judged by."""

from perfproof.machine.hardware import read_hardware
from perfproof.triage.evidence import Evidence

DEADLINE = 12


def collect(evidence: Evidence) -> None:
    evidence.save("hardware", read_hardware().model_dump(mode="json"))
