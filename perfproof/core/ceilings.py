"""What a machine can really do: measured ceilings with their spread, as they are stored and reused by every run.

Names are paths: `memory/copy`, `memory/read`, `memory/write`, `memory/triad`, `l2/read`, `shared/read`, `cache/1MiB`,
`gemm/bf16/burst`, `gemm/bf16/sustained`, `host-to-device/pinned`, `launch/latency`, `allreduce/bus`, `disk/direct`, ...
"""

from typing import Any, ClassVar, Literal

from pydantic import Field

from perfproof.core.documents import Document

Unit = Literal["bytes/s", "flop/s", "op/s", "s"]
UNSTEADY = "unsteady"  # a finding: the repeats lie far apart


class Ceiling(Document):
    """One limit. A rate's best is its highest value, a time's its lowest."""

    name: str
    value: float = Field(description="median over repeats, in `unit`")
    unit: Unit
    low: float = Field(description="lowest of the repeats")
    high: float = Field(description="highest of the repeats")
    repeats: int
    counted: str = Field("", description="how bytes or operations were counted")
    sizes: dict[str, Any] = Field(default_factory=dict)
    context: dict[str, Any] = Field(default_factory=dict, description="clocks, power, threads: what explains the value")
    best_ever: float | None = Field(None, description="the best of all measurements on this machine, this one included")
    sheet: float | None = Field(None, description="the data sheet's value, where there is one")
    finding: str = Field("", description="what is wrong with the value, if something is")

    @property
    def best(self) -> float:
        own = self.low if self.unit == "s" else self.high
        return own if self.best_ever is None else (min if self.unit == "s" else max)(own, self.best_ever)


class Ceilings(Document):
    schema_name: ClassVar[str] = "ceilings"

    schema_version: int = 1
    perfproof_version: str
    fingerprint: str = Field(description="of the machine: ceilings are reused where it is the same")
    kind: str
    device: str
    measured: str = Field(description="when, in UTC")
    command: list[str] = Field(default_factory=list)
    quick: bool = False
    software: dict[str, Any] = Field(default_factory=dict)
    ceilings: list[Ceiling] = Field(default_factory=list)
    not_measured: dict[str, str] = Field(default_factory=dict, description="name -> why")

    def get(self, name: str) -> Ceiling | None:
        return next((ceiling for ceiling in self.ceilings if ceiling.name == name), None)
