"""What the engine needs to know of a model: its shape, positions, norms and special tokens, from its config.json.

Supported families: Llama, Mistral, Qwen2, Qwen3, Mixtral and Qwen3-MoE. A file that asks for something else (a sliding
window in some layers, YaRN, biases elsewhere, quantised weights) is refused: a model that is computed almost right is
wrong.
"""

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from perfproof.calc.model_config import shape_of
from perfproof.calc.model_shape import FULL, SLIDING, Shape
from perfproof.calc.shipped_shapes import FOLDER, shipped_names
from perfproof.core.errors import DocumentError, NothingMatched, UsageError

FAMILIES = ("llama", "mistral", "qwen2", "qwen3", "mixtral", "qwen3_moe")
DEFAULT_LONGEST = 8192  # if the file names no max_position_embeddings


@dataclass(frozen=True)
class Rope:
    """Rotary positions: the base, and how it is stretched for contexts longer than those of the training."""

    theta: float = 10_000.0
    kind: str = "default"
    factor: float = 1.0
    low: float = 1.0
    high: float = 4.0
    original: int = 8192

    def frequencies(self, width: int) -> list[float]:
        plain = [self.theta ** (-pair / width) for pair in range(0, width, 2)]
        if self.kind == "linear":
            return [one / self.factor for one in plain]
        return [self._llama3(one) for one in plain] if self.kind == "llama3" else plain

    def _llama3(self, frequency: float) -> float:
        """Short wavelengths stay, long ones are divided by the factor, and those between are mixed."""
        turns = self.original * frequency / (2 * math.pi)
        share = min(1.0, max(0.0, (turns - self.low) / (self.high - self.low)))
        return frequency * (share + (1 - share) / self.factor)


@dataclass(frozen=True)
class Architecture:
    shape: Shape
    family: str
    rope: Rope = Rope()
    eps: float = 1e-6
    longest: int = DEFAULT_LONGEST  # tokens of prompt and answer together
    eos: tuple[int, ...] = ()
    normalise_experts: bool = True  # the weights of the chosen experts sum to 1

    @property
    def group(self) -> int:
        """Query heads per key-value head."""
        return self.shape.heads // self.shape.kv_heads


def find_architecture(model: str) -> Architecture:
    """From a folder with a config.json, from such a file, or by the name of a shape that comes with perfproof."""
    place = Path(model)
    if place.is_dir():
        return read_architecture(place / "config.json")
    if place.is_file():
        return read_architecture(place)
    if model.lower() in shipped_names():
        return read_architecture(FOLDER / f"{model.lower()}.json")
    raise NothingMatched(
        f"--model {model}: no folder, no file and no shipped shape; shipped are {', '.join(shipped_names())}"
    )


def read_architecture(path: Path) -> Architecture:
    try:
        config = json.loads(path.read_text())
    except OSError as error:
        raise DocumentError(f"{path}: {error.strerror or error}; a model folder needs a config.json") from None
    except ValueError as error:
        raise DocumentError(f"{path} is not JSON: {error}; download the file again") from None
    return architecture_of(config, str(path))


def architecture_of(config: dict[str, Any], where: str = "config.json") -> Architecture:
    shape = shape_of(config, str(config.get("_name_or_path") or "model"), where)
    family = str(config.get("model_type"))
    _refuse_unsupported(config, shape, family, where)
    longest = int(config.get("max_position_embeddings") or DEFAULT_LONGEST)
    return Architecture(
        shape=shape,
        family=family,
        rope=_rope(config, where),
        eps=float(config.get("rms_norm_eps", 1e-6)),
        longest=min(longest, shape.window) if shape.window else longest,
        eos=_token_ids(config.get("eos_token_id")),
        normalise_experts=bool(config.get("norm_topk_prob", False)) if family == "qwen3_moe" else True,
    )


def _refuse_unsupported(config: dict[str, Any], shape: Shape, family: str, where: str) -> None:
    kinds = {layer.attention for layer in shape.layers}
    mixed = kinds - {FULL} if kinds != {SLIDING} else set()  # one window for all layers only limits the context
    experts = {layer.has_experts for layer in shape.layers}
    for is_unsupported, what in (
        (family not in FAMILIES, f"model_type {family!r}"),
        (bool(mixed), f"layers of the kind {', '.join(sorted(mixed))}"),
        (len(experts) > 1, "experts in some layers only"),
        (shape.traits.out_bias or shape.traits.mlp_bias, "a bias in the output projection or the MLP"),
        (config.get("hidden_act", "silu") != "silu", f"hidden_act {config.get('hidden_act')!r}"),
        (bool(config.get("quantization_config")), "weights that are stored quantised"),
        (shape.head_dim % 2 == 1, f"an odd head_dim, {shape.head_dim}"),
        (shape.heads % shape.kv_heads != 0, f"{shape.heads} heads on {shape.kv_heads} key-value heads"),
        (not shape.vocab, "no vocab_size"),
    ):
        if is_unsupported:
            raise UsageError(f"{where}: {what} is not supported by the engine; it serves {', '.join(FAMILIES)}")


def _rope(config: dict[str, Any], where: str) -> Rope:
    """Old files have rope_theta and rope_scaling, new ones one table rope_parameters."""
    table = config.get("rope_parameters") or config.get("rope_scaling") or {}
    kind = str(table.get("rope_type") or table.get("type") or "default")
    if kind not in ("default", "linear", "llama3"):
        raise UsageError(f"{where}: rotary scaling {kind!r} is not supported; known are linear and llama3")
    return Rope(
        theta=float(table.get("rope_theta") or config.get("rope_theta") or 10_000.0),
        kind=kind,
        factor=float(table.get("factor") or 1.0),
        low=float(table.get("low_freq_factor") or 1.0),
        high=float(table.get("high_freq_factor") or 4.0),
        original=int(table.get("original_max_position_embeddings") or 8192),
    )


def _token_ids(value: Any) -> tuple[int, ...]:
    return tuple(value) if isinstance(value, list) else () if value is None else (int(value),)
