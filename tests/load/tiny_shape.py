"""A model that `perfproof serve` starts within seconds: a shape of a few thousand random weights."""

import json
from pathlib import Path

SHAPE = {
    "model_type": "llama",
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 64,
    "vocab_size": 900,
    "max_position_embeddings": 2048,
}


def serve_tiny(folder: Path, more: str = "") -> str:
    """The serve command."""
    (folder / "tiny.json").write_text(json.dumps(SHAPE))
    return f"serve --model tiny.json --random --device cpu {more}".strip()
