"""The linter's data: options.toml, what the tools take; rules.toml, what is wrong in lines that circulate."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


@cache
def known_options() -> dict[str, Any]:
    return tomllib.loads((FOLDER / "options.toml").read_text())


@cache
def rules() -> dict[str, Any]:
    return tomllib.loads((FOLDER / "rules.toml").read_text())
