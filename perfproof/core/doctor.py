"""Which profilers, counters and abilities work on a machine, as `perfproof doctor` stores and prints it."""

from typing import ClassVar, Literal

from pydantic import Field

from perfproof.core.documents import Document, Warning

State = Literal["works", "limited", "denied", "absent", "unknown"]
Group = Literal["measuring", "profilers", "counters", "compilers", "communication", "machine"]


class Finding(Document):
    """One source. `unknown` means that the probe itself did not come to an end: nothing is claimed."""

    name: str
    state: State
    why: str = ""
    fix: str = Field("", description="one command line; empty where nothing needs to be done, or nothing can be")
    version: str = ""
    script: str = Field(
        "", description="shell lines for --fix-script if one line is not enough; empty: the line in fix"
    )


class Row(Finding):
    group: Group
    needed: bool = Field(description="measuring does not work without it")
    for_gpus: bool = Field(False, description="of no use on a machine without an NVIDIA GPU")


class Doctor(Document):
    schema_name: ClassVar[str] = "doctor"

    schema_version: int = 1
    perfproof_version: str
    read: str = Field(description="when, in UTC")
    kind: str
    fit: bool = Field(description="measuring works here")
    nvidia_gpus: int = Field(0, description="NVIDIA GPUs on the PCI bus, with or without a driver")
    container: bool = Field(False, description="settings of the kernel and the driver belong to the host")
    rows: list[Row]
    warnings: list[Warning] = Field(default_factory=list, description="what the preflight of a run would say")
