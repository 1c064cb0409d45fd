"""Context parallel: one sequence over C GPUs, keys and values in a ring; memory, and whether the ring is hidden.

local tokens  s = S/C; cache and activations per GPU shrink by C, weights do not
ring step     attention 4·s²·a·d operations forward, half of them under a balanced causal mask: 2·s²·a·d/F seconds;
              meanwhile 2·s·g·d·b bytes of keys and values travel: 2·s·g·d·b/β seconds
hidden        if s >= F·g·b/(a·β): more kv heads or a slower link need more tokens per GPU
prefill       2·P_act·s/F + L·C·max(attention, ring) per GPU: at the speed of light

S tokens of the sequence, a query heads, g kv heads, d their width, b bytes per element, β bytes per second of the link,
F operations per second, L layers. Without a balanced order of the tokens (zig-zag) a causal mask doubles the attention.
"""

from typing import Annotated

from perfproof.calc.accelerator import Accelerator
from perfproof.calc.answer import Answer, Flag, Table, Value
from perfproof.calc.kv_bytes import Cache, per_sequence
from perfproof.calc.model_shape import FULL, Shape
from perfproof.calc.number_formats import bytes_per_element
from perfproof.calc.weighed_model import Model, weigh
from perfproof.core.errors import UsageError


def calculate(
    shape: Shape,
    gpu: Accelerator,
    tokens: Annotated[int, Flag("Sequence length S, in tokens.", "S", least=1)] = 131_072,
    cp: Annotated[int, Flag("Number of GPUs that share the sequence.", "C", least=1)] = 8,
    dtype: Annotated[str, Flag("Data type of the weights. [default: that of MODEL]", "NAME")] = "",
    kv_dtype: Annotated[str, Flag("Data type of the KV cache.", "NAME")] = "bf16",
) -> Answer:
    if shape.latent or any(layer.attention != FULL for layer in shape.layers):
        raise UsageError(f"{shape.name}: only full softmax attention in every layer is counted here")
    if not gpu.link and cp > 1:
        raise UsageError(f"{gpu.name}: the rate of its link is unknown; give --link-gb-s")
    model = weigh(shape, dtype, kv_dtype)
    local = tokens / cp
    attention, ring = attention_seconds(model, gpu, local), ring_seconds(model, gpu, local) if cp > 1 else 0.0
    least = least_tokens(model, gpu) if cp > 1 else 0.0
    cache = per_sequence(shape, Cache(model.formats.kv), tokens)
    hidden = ring <= attention
    values = (
        Value("local_tokens", local, "tok", f"of {tokens:,} on {cp} GPUs"),
        Value("cache_per_gpu", cache / cp, "B", f"of {cache / 1e9:.1f} GB"),
        Value("attention_per_ring_step", attention, "s", "one layer, balanced causal mask"),
        Value("transfer_per_ring_step", ring, "s", "keys and values of one block"),
        Value("ring_is_hidden", hidden, "", "the transfer is shorter" if hidden else "the transfer is longer"),
        Value("least_local_tokens", least, "tok", "F·g·b/(a·β): from there the ring is hidden"),
        Value("prefill", prefill(model, gpu, tokens, cp), "s", "at the speed of light"),
    )
    counts = [count for count in (1, 2, 4, 8, 16, 32) if tokens // count]
    rows = tuple((n, tokens / n, cache / n, prefill(model, gpu, tokens, n)) for n in counts if n == 1 or gpu.link)
    columns = (("GPUs", ""), ("local", "tok"), ("cache", "B"), ("prefill", "s"))
    uneven = () if tokens % (2 * cp) == 0 else (f"{tokens} tokens are no multiple of 2·{cp}: engines pad them",)
    word = "hidden" if hidden else "not hidden"
    headline = f"{shape.name}: {local:,.0f} tokens on each of {cp} GPUs, the ring is {word} behind attention"
    return Answer(headline, values, (Table("by GPUs", columns, rows),), (*shape.warnings, *uneven))


def attention_seconds(model: Model, gpu: Accelerator, local: float) -> float:
    """One block of queries against one block of keys, half of it masked; attention is computed in 16 bits."""
    return 2 * local * local * model.shape.heads * model.shape.head_dim / gpu.rate("bf16")[0]


def ring_seconds(model: Model, gpu: Accelerator, local: float) -> float:
    width = 2 * model.shape.kv_heads * model.shape.head_dim * bytes_per_element(model.formats.kv)
    return local * width / (gpu.link or 1.0) + gpu.link_latency


def least_tokens(model: Model, gpu: Accelerator) -> float:
    shape = model.shape
    return (
        gpu.rate("bf16")[0] * shape.kv_heads * bytes_per_element(model.formats.kv) / (shape.heads * (gpu.link or 1.0))
    )


def prefill(model: Model, gpu: Accelerator, tokens: int, cp: int) -> float:
    local = tokens / cp
    ring = ring_seconds(model, gpu, local) if cp > 1 else 0.0
    body = 2.0 * (model.parameters.active - model.parameters.head) * local / gpu.rate(model.formats.matrices)[0]
    return body + len(model.shape.layers) * cp * max(attention_seconds(model, gpu, local), ring)
