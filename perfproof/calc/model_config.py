"""Read a config.json in the style of Hugging Face: from its names to a shape, with a word on whatever was assumed."""

from dataclasses import replace
from typing import Any

from perfproof.calc.architectures import ALWAYS_MHA, LLAMA_4, traits_of
from perfproof.calc.layer_types import layers_of
from perfproof.calc.model_shape import LINEAR, MAMBA, SLIDING, Experts, Latent, Recurrent, Shape, StateSpace
from perfproof.calc.stored_format import stored_format
from perfproof.core.errors import UsageError

NAMES = {  # ours: theirs, the most usual first
    "hidden": ("hidden_size", "n_embd", "n_embed", "d_model"),
    "layers": ("num_hidden_layers", "n_layer", "num_layers", "n_layers"),
    "heads": ("num_attention_heads", "n_head", "num_heads", "n_heads"),
    "kv_heads": ("num_key_value_heads", "num_kv_heads", "n_head_kv", "multi_query_group_num", "kv_n_heads"),
    "ffn": ("intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size"),
    "experts": ("n_routed_experts", "num_local_experts", "num_experts", "moe_num_experts"),
    "active": ("num_experts_per_tok", "experts_per_token", "moe_top_k", "top_k"),
}


def shape_of(config: Any, name: str, where: str) -> Shape:
    """The shape; UsageError with the missing name where the file does not hold what every model has."""
    if not isinstance(config, dict):
        raise UsageError(f"{where} is no config.json: it must hold a JSON object")
    try:
        return _shape(config, name, where)
    except (TypeError, ValueError, KeyError, AttributeError, ZeroDivisionError) as error:
        raise UsageError(f"{where} holds a value of a strange kind: {type(error).__name__}: {error}") from None


def _shape(config: dict[str, Any], name: str, where: str) -> Shape:
    parts = (config.get(part) for part in ("text_config", "attn_config", "ffn_config"))  # the last two: DBRX, MPT
    text = {name: value for part in (config, *parts) if isinstance(part, dict) for name, value in part.items()}
    hidden, count, heads = (_needed(text, ours, where) for ours in ("hidden", "layers", "heads"))
    layers = layers_of(text, count, where)
    traits, of_family = traits_of(text)
    kv_heads, of_heads = _kv_heads(text, heads)
    experts = _experts(text)
    shape = Shape(
        name=name,
        hidden=hidden,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=_head_dim(text, hidden, heads, where),
        layers=layers if experts else tuple(replace(layer, has_experts=False) for layer in layers),
        vocab=int(text.get("padded_vocab_size") or text.get("vocab_size") or 0),
        ffn=int(text.get("intermediate_size_mlp") or _found(text, "ffn") or 4 * hidden),
        window=_window(text) if any(layer.attention == SLIDING for layer in layers) else None,
        tied=bool(text.get("tie_word_embeddings", traits.tied)),
        experts=experts,
        latent=_latent(text),
        recurrent=_recurrent(text, heads) if any(layer.attention == LINEAR for layer in layers) else None,
        state_space=_state_space(text, hidden, where) if any(one.attention == MAMBA for one in layers) else None,
        traits=traits,
    )
    stored = stored_format({**text, **{name: value for name, value in config.items() if value is not None}})
    unknown = [f"the format of the weights is not known: {stored.why}"] if stored.why else []
    return replace(
        shape,
        weight_dtype=stored.matrices,
        expert_dtype=stored.experts,
        weights_unknown=stored.why,
        warnings=(*of_heads, *of_family, *_of_embedding(text, hidden), *unknown),
    )


def _found(config: dict[str, Any], ours: str) -> Any:
    return next((config[name] for name in NAMES[ours] if config.get(name) is not None), None)


def _needed(config: dict[str, Any], ours: str, where: str) -> int:
    value = _found(config, ours)
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise UsageError(
            f"{where} has no usable {NAMES[ours][0]} ({value!r}): is it the config.json of a language model?"
        )
    return value


def _kv_heads(config: dict[str, Any], heads: int) -> tuple[int, list[str]]:
    stated = _found(config, "kv_heads")
    if config.get("multi_query_attention") is False and "multi_query_group_num" in config:
        return heads, []  # chatglm names its groups even where it does not use them
    if stated is not None and not (config.get("multi_query") and not config.get("new_decoder_architecture")):
        return int(stated), []
    if config.get("multi_query"):
        return 1, []
    if config.get("kv_lora_rank") or config.get("model_type") in ALWAYS_MHA:
        return heads, []
    return heads, [f"the file names no num_key_value_heads: {heads} assumed, one a query head (MHA)"]


def _of_embedding(config: dict[str, Any], hidden: int) -> list[str]:
    width = config.get("word_embed_proj_dim") or hidden
    return (
        [] if width == hidden else [f"embeddings {width} wide are projected: counted as wide as hidden_size, {hidden}"]
    )


def _head_dim(config: dict[str, Any], hidden: int, heads: int, where: str) -> int:
    stated = config.get("head_dim") or config.get("kv_channels")
    if stated:
        return int(stated)
    if hidden % heads:
        raise UsageError(f"{where}: hidden_size {hidden} is no multiple of {heads} heads, and there is no head_dim")
    return hidden // heads


def _experts(config: dict[str, Any]) -> Experts | None:
    count = _found(config, "experts")
    if not count or count < 2:
        return None
    width = int(config.get("moe_intermediate_size") or _found(config, "ffn") or 0)
    count_shared = int(config.get("n_shared_experts") or 0) or config.get("model_type") in LLAMA_4
    shared = int(config.get("shared_expert_intermediate_size") or count_shared * width)
    return Experts(
        int(count), int(_found(config, "active") or 1), width, shared, bias=config.get("model_type") == "gpt_oss"
    )


def _latent(config: dict[str, Any]) -> Latent | None:
    if not config.get("kv_lora_rank"):
        return None
    return Latent(
        kv_rank=int(config["kv_lora_rank"]),
        q_rank=int(config["q_lora_rank"]) if config.get("q_lora_rank") else None,
        rope=int(config.get("qk_rope_head_dim") or 0),
        nope=int(config.get("qk_nope_head_dim") or 0),
        value=int(config.get("v_head_dim") or 0),
    )


def _window(config: dict[str, Any]) -> int | None:
    stated = config.get("sliding_window") or config.get("attention_chunk_size")
    return int(stated) if stated else None


def _recurrent(config: dict[str, Any], heads: int) -> Recurrent | None:
    if config.get("attn_type_list"):
        width = int(config.get("head_dim") or config["hidden_size"] // heads)
        return Recurrent(heads, width, heads, width, kernel=1, is_gated_delta=False)
    if not config.get("linear_num_value_heads"):
        return None
    return Recurrent(
        key_heads=int(config["linear_num_key_heads"]),
        key_dim=int(config["linear_key_head_dim"]),
        value_heads=int(config["linear_num_value_heads"]),
        value_dim=int(config["linear_value_head_dim"]),
        kernel=int(config.get("linear_conv_kernel_dim") or 1),
    )


def _state_space(config: dict[str, Any], hidden: int, where: str) -> StateSpace:
    state = config.get("mamba_d_state") or config.get("ssm_state_size")
    if not state:
        raise UsageError(f"{where} has Mamba layers but no mamba_d_state: the memory of their state is unknown")
    if config.get("mamba_n_heads") and config.get("mamba_d_head"):
        inner = int(config["mamba_n_heads"]) * int(config["mamba_d_head"])
    else:
        inner = int(config.get("mamba_expand") or 2) * hidden
    return StateSpace(inner, int(state), int(config.get("mamba_d_conv") or config.get("conv_kernel") or 4))
