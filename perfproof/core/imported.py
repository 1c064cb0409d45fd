"""A file of another tool, as it is kept: `import.json` beside the file itself, which stays what it was."""

from typing import ClassVar

from pydantic import Field

from perfproof.core.documents import Document


class ImportedFile(Document):
    schema_name: ClassVar[str] = "import"

    schema_version: int = 1
    tool: str = Field(description="that wrote the file: pyperf, hyperfine, ...")
    file: str = Field(description="the name that the file had")
    sha256: str = Field(description="of the file")
    started: str = Field(description="when it was measured, UTC; when the file was written, where it does not say")
    commit: str | None = Field(None, description="that was measured, where it is known")
    tags: list[str] = Field(default_factory=list)
