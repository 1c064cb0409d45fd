"""What is wrong with a form, and where: one line for each, with the line and column of the value."""

from dataclasses import dataclass
from typing import Literal

Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Problem:
    """`error`: the form cannot be used as it is; `doubt`: it can, but somebody should look."""

    path: Path
    text: str
    severity: Literal["error", "doubt"] = "error"
    line: int = 1
    column: int = 1

    @property
    def field(self) -> str:
        return ".".join(map(str, self.path)) or "the form"

    def __str__(self) -> str:
        return f"{self.line}:{self.column}: {self.field}: {self.text}"
