"""Memory of LoRA and QLoRA: frozen weights, small adapters, and what full fine-tuning would need.

adapters   r·(in + out) parameters per matrix: attention q, k, v, o; with --targets all the MLP (experts included) too
frozen     the weights in --dtype: bf16 for LoRA, nf4 or nf4-double for QLoRA; embeddings, head, norms in 16 bits
trained    16 bytes per adapter parameter: weight 2, gradient 2, fp32 copy 4, two moments 8
full       16 bytes per parameter of the model
activations as in calc training, not smaller: gradients still pass through the frozen layers

r rank. Dequantising a layer of QLoRA needs its largest matrix in 16 bits besides: the workspace.
"""

from collections.abc import Iterator
from typing import Annotated

from perfproof.calc.accelerator import Accelerator
from perfproof.calc.answer import Answer, Flag, Value
from perfproof.calc.calculators.training import Ranks, activations
from perfproof.calc.model_shape import FULL, SLIDING, Layer, Shape
from perfproof.calc.weighed_model import weigh
from perfproof.core.errors import UsageError

TRAINED = 16.0  # bytes per parameter: weight 2, gradient 2, fp32 copy 4, Adam's moments 8
TARGETS = ("attention", "all")


def calculate(
    shape: Shape,
    gpu: Accelerator | None,
    rank: Annotated[int, Flag("LoRA rank of the adapters.", "R", least=1)] = 16,
    targets: Annotated[str, Flag("Matrices with an adapter: attention or all.", "NAME")] = "all",
    dtype: Annotated[str, Flag("Data type of the frozen weights: bf16, nf4, nf4-double, int8.", "NAME")] = "bf16",
    sequence: Annotated[int, Flag("Sequence length, in tokens.", "S", least=1)] = 2048,
    micro_batch: Annotated[int, Flag("Number of sequences per forward pass (micro-batch).", "B", least=1)] = 1,
    recompute: Annotated[bool, Flag("Recompute all activations in the backward pass.")] = False,
) -> Answer:
    if targets not in TARGETS:
        raise UsageError(f"--targets {targets!r} is unknown: choose {' or '.join(TARGETS)}")
    model = weigh(shape, dtype)
    trained = sum(rank * (into + out) for layer in shape.layers for into, out in matrices(shape, layer, targets))
    frozen, state = model.bytes.stored, TRAINED * trained
    kept = activations(shape, sequence, micro_batch, Ranks(1, 1, 1), recompute)
    workspace = (
        2.0 * max(into * out for into, out in matrices(shape, shape.layers[0], "all")) if dtype != "bf16" else 0.0
    )
    total = frozen + state + kept + workspace
    full = TRAINED * model.parameters.total + kept
    values = (
        Value("adapter_parameters", trained, "", f"rank {rank}, {targets}"),
        Value("adapter_share", trained / model.parameters.total, "share", "of the model's parameters"),
        Value("frozen_bytes", frozen, "B", model.formats.matrices),
        Value("trained_bytes", state, "B", "adapters with gradients and optimiser"),
        Value("activation_bytes", kept, "B", "estimate"),
        Value("workspace_bytes", workspace, "B", "one matrix, dequantised" if workspace else "nothing to dequantise"),
        Value("memory", total, "B", _fits(total, gpu)),
        Value("full_fine_tuning", full, "B", _fits(full, gpu)),
        Value("adapter_file", 2.0 * trained, "B", "saved in 16 bits"),
    )
    headline = (
        f"{shape.name}: {total / 1e9:.1f} GB with adapters of rank {rank}, {full / 1e9:.0f} GB for full fine-tuning"
    )
    return Answer(headline, values, (), tuple(shape.warnings))


def matrices(shape: Shape, layer: Layer, targets: str) -> Iterator[tuple[int, int]]:
    """Inputs and outputs of every matrix that gets an adapter."""
    if shape.latent or layer.attention not in (FULL, SLIDING):
        raise UsageError(f"{shape.name}: only softmax attention with keys and values of its own is counted here")
    queries, keys = shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim
    yield from ((shape.hidden, queries), (shape.hidden, keys), (shape.hidden, keys), (queries, shape.hidden))
    if targets != "all":
        return
    experts = shape.experts if layer.has_experts else None
    widths = (
        [experts.width] * experts.count + ([experts.shared_width] if experts.shared_width else [])
        if experts
        else [shape.ffn]
    )
    for width in widths:
        if shape.traits.gated:
            yield shape.hidden, width
        yield from ((shape.hidden, width), (width, shape.hidden))


def _fits(need: float, gpu: Accelerator | None) -> str:
    if gpu is None or not gpu.memory:
        return "without the CUDA context and fragmentation"
    return f"{'fits' if need <= gpu.memory else 'does not fit'} in {gpu.memory / 1e9:.0f} GB of {gpu.name}"
