"""A file of another tool, as it is kept: `import.json` beside the file itself, which stays what it was."""

from typing import ClassVar, Literal

from pydantic import Field

from perfproof.core.documents import Document


class ImportedFile(Document):
    schema_name: ClassVar[str] = "import"

    schema_version: int = 1
    tool: str = Field(description="that wrote the file: pyperf, hyperfine, ...")
    file: str = Field(description="the name that the file had")
    sha256: str = Field(description="of the file")
    started: str = Field(description="when it was measured; when the file was written, where it does not say")
    zone: Literal["UTC", "unknown"] = Field(
        "UTC", description="of `started`; unknown: the file has a local time and does not say of where"
    )
    machine: str | None = Field(None, description="on which it was measured, as --machine named it")
    commit: str | None = Field(None, description="that was measured, where it is known")
    tags: list[str] = Field(default_factory=list)
