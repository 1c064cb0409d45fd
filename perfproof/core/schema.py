"""The JSON Schemas of stored documents, from the classes: `python -m perfproof.core.schema` writes docs/schema.

A document that is published names itself: `schema_name: ClassVar[str] = "run"`, in a module of this package. JSON has
no NaN and no infinity; where a number may be one, the document holds its name as a string.
"""

import importlib
import json
import pkgutil
from pathlib import Path
from typing import Any

from perfproof import core
from perfproof.core.documents import Document

FOLDER = Path("docs/schema")
NOT_FINITE = ["NaN", "Infinity", "-Infinity"]


def published() -> dict[str, type[Document]]:
    """Every document with a published schema, by name."""
    found: dict[str, type[Document]] = {}
    for module in pkgutil.iter_modules(core.__path__):
        if module.name == "schema":
            continue
        for value in vars(importlib.import_module(f"{core.__name__}.{module.name}")).values():
            if isinstance(value, type) and issubclass(value, Document) and "schema_name" in vars(value):
                found[value.schema_name] = value  # type: ignore[attr-defined]
    return dict(sorted(found.items()))


def file_of(name: str) -> Path:
    return FOLDER / f"{name}.schema.json"


def schema_text(name: str) -> str:
    document = published()[name]
    schema: dict[str, Any] = _with_names(document.model_json_schema(mode="serialization"))
    version = document.model_fields["schema_version"].default
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = f"perfproof {name}, version {version}"
    return json.dumps(schema, indent=2, sort_keys=True) + "\n"


def _with_names(node: Any) -> Any:
    if isinstance(node, list):
        return [_with_names(one) for one in node]
    if not isinstance(node, dict):
        return node
    found = {key: _with_names(value) for key, value in node.items()}
    if found.get("type") != "number":
        return found
    del found["type"]
    return {"anyOf": [{"type": "number"}, {"enum": NOT_FINITE}], **found}


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for each in published():
        file_of(each).write_text(schema_text(each))
