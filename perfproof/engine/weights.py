"""The weights of a model on a device: read from safetensors files, or random in the same shape.

Query, key and value are one matrix, and so are gate and up: one kernel reads each pair or triple in one pass. Matrices
are stored as (outputs, inputs), as in the files.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from perfproof.core.errors import DocumentError, UsageError
from perfproof.engine.architecture import Architecture
from perfproof.engine.quantised import Quantised, quantise

Matrix = Tensor | Quantised
EXPERT_NAMES = {"mixtral": ("block_sparse_moe", "w1", "w3", "w2")}
DEFAULT_EXPERT_NAMES = ("mlp", "gate_proj", "up_proj", "down_proj")


@dataclass
class Layer:
    attention_norm: Tensor
    qkv: Matrix
    out: Matrix
    mlp_norm: Tensor
    gate_up: Matrix  # with experts: (experts, 2 x width, hidden)
    down: Matrix
    qkv_bias: Tensor | None = None
    query_norm: Tensor | None = None
    key_norm: Tensor | None = None
    router: Tensor | None = None


@dataclass
class Weights:
    embedding: Tensor
    layers: list[Layer]
    norm: Tensor
    head: Matrix
    ranks: int = 1  # the layers are a share of a model on so many ranks

    @property
    def device(self) -> torch.device:
        return self.embedding.device

    @property
    def dtype(self) -> torch.dtype:
        return self.embedding.dtype

    def to(self, dtype: torch.dtype, device: torch.device | str | None = None) -> "Weights":
        """The same numbers elsewhere or in another format; quantised integers stay, their scales change."""

        def moved(part: Any) -> Any:
            if isinstance(part, Quantised):
                return replace(part, packed=part.packed.to(device), scales=part.scales.to(device, dtype))
            return part.to(device, dtype)

        layers = [
            replace(one, **{name: moved(part) for name, part in vars(one).items() if part is not None})
            for one in self.layers
        ]
        embedding = moved(self.embedding)
        head = embedding if self.head is self.embedding else moved(self.head)
        return Weights(embedding, layers, moved(self.norm), head, self.ranks)


def random_weights(model: Architecture, dtype: torch.dtype, device: str = "cpu", seed: int = 0) -> Weights:
    """Scaled so that activations keep their size through the layers, as those of a trained model do."""
    shape, generator = model.shape, torch.Generator(device).manual_seed(seed)
    queries, keys = shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim
    thin = (2 * len(shape.layers)) ** -0.5

    def matrix(*size: int, scale: float = 1.0) -> Tensor:
        empty = torch.empty(size, dtype=dtype, device=device)
        return empty.normal_(0.0, scale * size[-1] ** -0.5, generator=generator)

    def ones(width: int) -> Tensor:
        return torch.ones(width, dtype=dtype, device=device)

    experts = (shape.experts.count,) if shape.experts else ()
    width = shape.experts.width if shape.experts else shape.ffn
    layers = [
        Layer(
            attention_norm=ones(shape.hidden),
            qkv=matrix(queries + 2 * keys, shape.hidden),
            out=matrix(shape.hidden, queries, scale=thin),
            mlp_norm=ones(shape.hidden),
            gate_up=matrix(*experts, 2 * width, shape.hidden),
            down=matrix(*experts, shape.hidden, width, scale=thin),
            qkv_bias=matrix(1, queries + 2 * keys)[0] if shape.traits.qkv_bias else None,
            query_norm=ones(shape.head_dim) if shape.traits.qk_norm else None,
            key_norm=ones(shape.head_dim) if shape.traits.qk_norm else None,
            router=matrix(shape.experts.count, shape.hidden) if shape.experts else None,
        )
        for _ in shape.layers
    ]
    embedding = matrix(shape.vocab, shape.hidden, scale=shape.hidden**0.5)
    head = embedding if shape.tied else matrix(shape.vocab, shape.hidden)
    return Weights(embedding, layers, ones(shape.hidden), head)


def read_weights(folder: Path, model: Architecture, dtype: torch.dtype, device: str = "cpu") -> Weights:
    """From the *.safetensors of a folder; DocumentError with the name of whatever is missing or misshapen."""
    with ExitStack() as stack:
        tensors = _Tensors(folder, stack, dtype, device)
        shape = model.shape
        embedding = tensors.get("model.embed_tokens.weight", shape.vocab, shape.hidden)
        head = embedding if shape.tied else tensors.get("lm_head.weight", shape.vocab, shape.hidden)
        layers = [_read_layer(tensors, number, model) for number in range(len(shape.layers))]
        return Weights(embedding, layers, tensors.get("model.norm.weight", shape.hidden), head)


def _read_layer(tensors: "_Tensors", number: int, model: Architecture) -> Layer:
    shape, prefix = model.shape, f"model.layers.{number}"
    queries, keys, hidden = shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim, shape.hidden
    parts = (("q", queries), ("k", keys), ("v", keys))
    attention = f"{prefix}.self_attn"
    gate_up, down = _read_experts(tensors, prefix, model) if shape.experts else _read_mlp(tensors, prefix, model)
    block = EXPERT_NAMES.get(model.family, DEFAULT_EXPERT_NAMES)[0]
    norms = shape.traits.qk_norm
    return Layer(
        attention_norm=tensors.get(f"{prefix}.input_layernorm.weight", hidden),
        qkv=torch.cat([tensors.get(f"{attention}.{one}_proj.weight", rows, hidden) for one, rows in parts]),
        out=tensors.get(f"{attention}.o_proj.weight", hidden, queries),
        mlp_norm=tensors.get(f"{prefix}.post_attention_layernorm.weight", hidden),
        gate_up=gate_up,
        down=down,
        qkv_bias=torch.cat([tensors.get(f"{attention}.{one}_proj.bias", rows) for one, rows in parts])
        if shape.traits.qkv_bias
        else None,
        query_norm=tensors.get(f"{attention}.q_norm.weight", shape.head_dim) if norms else None,
        key_norm=tensors.get(f"{attention}.k_norm.weight", shape.head_dim) if norms else None,
        router=tensors.get(f"{prefix}.{block}.gate.weight", shape.experts.count, hidden) if shape.experts else None,
    )


def _read_mlp(tensors: "_Tensors", prefix: str, model: Architecture) -> tuple[Tensor, Tensor]:
    hidden, width = model.shape.hidden, model.shape.ffn
    gate, up = (tensors.get(f"{prefix}.mlp.{one}_proj.weight", width, hidden) for one in ("gate", "up"))
    return torch.cat([gate, up]), tensors.get(f"{prefix}.mlp.down_proj.weight", hidden, width)


def _read_experts(tensors: "_Tensors", prefix: str, model: Architecture) -> tuple[Tensor, Tensor]:
    assert model.shape.experts is not None
    hidden, width = model.shape.hidden, model.shape.experts.width
    block, gate, up, down = EXPERT_NAMES.get(model.family, DEFAULT_EXPERT_NAMES)
    gate_ups, downs = [], []
    for expert in range(model.shape.experts.count):
        own = f"{prefix}.{block}.experts.{expert}"
        gate_ups.append(torch.cat([tensors.get(f"{own}.{one}.weight", width, hidden) for one in (gate, up)]))
        downs.append(tensors.get(f"{own}.{down}.weight", hidden, width))
    return torch.stack(gate_ups), torch.stack(downs)


class _Tensors:
    """Tensors by name out of one or more files; a file is mapped, and only what is asked for is read."""

    def __init__(self, folder: Path, stack: ExitStack, dtype: torch.dtype, device: str) -> None:
        try:
            from safetensors import SafetensorError, safe_open
        except ImportError:
            raise UsageError("reading weights needs the package safetensors: pip install 'perfproof[serve]'") from None
        self.folder, self.dtype, self.device = folder, dtype, device
        self.files: dict[str, Any] = {}
        for path in self._paths():
            try:
                opened = stack.enter_context(safe_open(path, framework="pt"))
            except (SafetensorError, OSError) as error:
                raise DocumentError(f"{path} cannot be read: {error}; download the file again") from None
            self.files |= dict.fromkeys(opened.keys(), opened)

    def _paths(self) -> list[Path]:
        index = self.folder / "model.safetensors.index.json"
        if index.exists():
            named = json.loads(index.read_text())["weight_map"].values()
            return [self.folder / name for name in sorted(set(named))]
        found = sorted(self.folder.glob("*.safetensors"))
        if not found:
            raise DocumentError(f"{self.folder} holds no *.safetensors; --random serves this shape with random weights")
        return found

    def get(self, name: str, *size: int) -> Tensor:
        if name not in self.files:
            raise DocumentError(f"{self.folder}: no tensor {name}; config.json and the weights do not belong together")
        tensor = self.files[name].get_tensor(name)
        if tuple(tensor.shape) != size:
            raise DocumentError(
                f"{self.folder}: {name} is {tuple(tensor.shape)}, and config.json says {size}; "
                "config.json and the weights do not belong together"
            )
        return tensor.to(self.device, self.dtype)


def quantise_weights(weights: Weights, bits: int, group: int = 128) -> Weights:
    """All large matrices of the layers, and the output head; embedding, norms and router keep their format."""
    return _changed(weights, lambda one: quantise(one, bits, group) if isinstance(one, Tensor) else one)


def dequantise_weights(weights: Weights) -> Weights:
    """The numbers that quantised weights stand for, as whole matrices."""
    return _changed(weights, lambda one: one.dequantise() if isinstance(one, Quantised) else one)


def _changed(weights: Weights, change: Callable[[Matrix], Matrix]) -> Weights:
    layers = [
        replace(one, qkv=change(one.qkv), out=change(one.out), gate_up=change(one.gate_up), down=change(one.down))
        for one in weights.layers
    ]
    return replace(weights, layers=layers, head=change(weights.head))


def stored_bytes(weights: Weights) -> int:
    """Bytes that a decode step reads: the embedding counts only if it is the output head as well."""
    parts = [weights.norm, weights.head]
    parts += [part for layer in weights.layers for part in matrices(layer)]
    return sum(part.numel() * part.element_size() if isinstance(part, Tensor) else part.nbytes for part in parts)


def matrices(layer: Layer) -> Iterator[Any]:
    return (value for field in fields(layer) if (value := getattr(layer, field.name)) is not None)
