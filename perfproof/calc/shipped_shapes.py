"""The shapes that come with perfproof: files of shapes/, each a config.json with its published parameter count."""

import json
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from perfproof.calc.model_config import shape_of
from perfproof.calc.model_shape import Shape
from perfproof.core.errors import NothingMatched

FOLDER = Path(__file__).parent / "shapes"


def shipped_names() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.json"))


def shipped_shape(name: str) -> Shape:
    """The shape of that name; NothingMatched with the nearest names where there is none."""
    wanted = name.lower().rpartition("/")[2]
    if wanted not in shipped_names():
        near = get_close_matches(wanted, shipped_names(), n=3) or shipped_names()
        raise NothingMatched(
            f"no file and no shipped shape {name!r}: give the path of a config.json, or one of {', '.join(near)}"
        )
    config: dict[str, Any] = json.loads((FOLDER / f"{wanted}.json").read_text())
    facts = config.pop("perfproof")
    shape = shape_of(config, wanted, wanted)
    return replace(
        shape, published=facts["parameters"], published_active=facts.get("active_parameters"), source=facts["source"]
    )
