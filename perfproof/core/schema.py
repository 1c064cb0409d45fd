"""The JSON Schema of run.json, generated from the classes: `python -m perfproof.core.schema` writes docs/schema.

JSON has no NaN and no infinity; where a number may be one, the document holds its name as a string.
"""

import json
from pathlib import Path
from typing import Any

from perfproof.core.documents import SCHEMA_VERSION, Run

FILE = Path("docs/schema/run.schema.json")
NOT_FINITE = ["NaN", "Infinity", "-Infinity"]


def schema_text() -> str:
    schema: dict[str, Any] = _with_names(Run.model_json_schema(mode="serialization"))
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = f"perfproof run, version {SCHEMA_VERSION}"
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
    FILE.parent.mkdir(parents=True, exist_ok=True)
    FILE.write_text(schema_text())
