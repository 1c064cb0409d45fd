"""The table [tool.perfproof] of the nearest pyproject.toml."""

import tomllib
from pathlib import Path
from typing import Any

from perfproof.core.errors import UsageError


def read_settings(folder: Path) -> tuple[Path | None, dict[str, Any]]:
    """The file and its table; no file is found above a folder without one."""
    for candidate in (folder, *folder.parents):
        path = candidate / "pyproject.toml"
        if path.is_file():
            try:
                return path, tomllib.loads(path.read_text()).get("tool", {}).get("perfproof", {})
            except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
                raise UsageError(f"{path}: cannot be read: {error}") from None
    return None, {}
