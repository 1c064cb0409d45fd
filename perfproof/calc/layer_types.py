"""Which layers look at everything, which through a window, which keep a state; and which of them hold experts.

Files say it in many ways: `layer_types`, `sliding_window_pattern`, `full_attention_interval`, `attn_type_list`,
`attn_layer_period`, `no_rope_layers`, `num_kv_shared_layers`; `first_k_dense_replace`, `moe_layer_freq`,
`decoder_sparse_step`, `mlp_only_layers`, `interleave_moe_layer_step`.
"""

from typing import Any

from perfproof.calc.architectures import LLAMA_4, SLIDING_PATTERN
from perfproof.calc.model_shape import FULL, LINEAR, MAMBA, SLIDING, Layer
from perfproof.core.errors import UsageError

LETTERS = {"L": SLIDING, "G": FULL}
SPELLINGS = {
    "full_attention": FULL,
    "attention": FULL,
    "global_attention": FULL,
    "sliding_attention": SLIDING,
    "local_attention": SLIDING,
    "chunked_attention": SLIDING,
    "linear_attention": LINEAR,
    "mamba": MAMBA,
    "mamba2": MAMBA,
}


def layers_of(config: dict[str, Any], count: int, where: str) -> tuple[Layer, ...]:
    kinds = attention_kinds(config, count, where)
    sparse = expert_layers(config, count)
    own = count - int(config.get("num_kv_shared_layers") or 0)
    return tuple(
        Layer(kind, has_experts=number in sparse, shares_cache=number >= own) for number, kind in enumerate(kinds)
    )


def attention_kinds(config: dict[str, Any], count: int, where: str) -> list[str]:
    if config.get("hybrid_override_pattern"):
        raise UsageError(
            f"{where}: hybrid_override_pattern has layers of attention, of Mamba or of an MLP alone, and these are not "
            "counted here; taken for a transformer, its cache would come out many times too large"
        )
    listed = config.get("layer_types") or config.get("layers_block_type")
    if listed:
        return _named(listed, count, where)
    if config.get("attn_type_list"):  # 1 is softmax attention, 0 linear
        return [FULL if kind == 1 else LINEAR for kind in _counted(config["attn_type_list"], count, where)]
    if config.get("full_attention_interval"):
        every = int(config["full_attention_interval"])
        return [FULL if (number + 1) % every == 0 else LINEAR for number in range(count)]
    if config.get("attn_layer_period"):
        every, first = int(config["attn_layer_period"]), int(config.get("attn_layer_offset") or 0)
        return [FULL if number % every == first else MAMBA for number in range(count)]
    if config.get("attention_chunk_size") and config.get("model_type") in LLAMA_4:
        return _chunked(config, count, where)
    return _windowed(config, count, where)


def _chunked(config: dict[str, Any], count: int, where: str) -> list[str]:
    """Llama 4: layers with rotary positions (1) see a chunk, the others everything; an empty list: each fourth does."""
    every = int(config.get("no_rope_layer_interval") or 4)
    listed = config.get("no_rope_layers") or [int((number + 1) % every != 0) for number in range(count)]
    return [SLIDING if rotary else FULL for rotary in _counted(listed, count, where)]


def _windowed(config: dict[str, Any], count: int, where: str) -> list[str]:
    """A window for all layers, for the last ones, for all but each n-th, or as a word such as "LLLG" says."""
    if not config.get("sliding_window") or config.get("use_sliding_window") is False:
        return [FULL] * count
    pattern = config.get("sliding_window_pattern") or SLIDING_PATTERN.get(str(config.get("model_type")))
    if isinstance(pattern, int) and pattern > 1:
        return [FULL if (number + 1) % pattern == 0 else SLIDING for number in range(count)]
    if isinstance(pattern, str):
        return _lettered(pattern, count, where)
    if config.get("use_sliding_window") and config.get("max_window_layers") is not None:
        return [FULL if number < int(config["max_window_layers"]) else SLIDING for number in range(count)]
    return [SLIDING] * count


def _lettered(pattern: str, count: int, where: str) -> list[str]:
    """A letter for each layer, repeated: L is local (a window), G is global."""
    letters = pattern.upper()
    if not letters or set(letters) - set(LETTERS):
        raise UsageError(f"{where}: sliding_window_pattern {pattern[:40]!r} is not known; it may hold L and G only")
    return [LETTERS[letters[number % len(letters)]] for number in range(count)]


def _named(listed: Any, count: int, where: str) -> list[str]:
    kinds = _counted(listed, count, where)
    unknown = sorted({str(kind) for kind in kinds} - set(SPELLINGS))
    if unknown:
        raise UsageError(
            f"{where}: layers of the kind {', '.join(unknown)} are not known; their memory would be a guess"
        )
    return [SPELLINGS[str(kind)] for kind in kinds]


def _counted(listed: Any, count: int, where: str) -> list[Any]:
    if not isinstance(listed, list) or len(listed) != count:
        found = len(listed) if isinstance(listed, list) else type(listed).__name__
        raise UsageError(f"{where}: {count} layers, but the list of their kinds holds {found}; one of the two is wrong")
    return listed


def expert_layers(config: dict[str, Any], count: int) -> set[int]:
    """The numbers of the layers whose MLP is a mixture of experts, where the model has experts."""
    first = int(config.get("first_k_dense_replace") or 0)
    frequency = config.get("moe_layer_freq", 1)
    if isinstance(frequency, list):
        return {number for number, is_sparse in enumerate(frequency) if is_sparse}
    step = int(config.get("interleave_moe_layer_step") or config.get("decoder_sparse_step") or frequency or 1)
    shift = 0 if "moe_layer_freq" in config else 1
    dense = set(config.get("mlp_only_layers") or [])
    return {number for number in range(first, count) if (number + shift) % step == 0 and number not in dense}
