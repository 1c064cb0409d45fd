"""What families of models have and their config.json does not say: biases, norms, tied embeddings. Data, by model_type.

A family that is not here gets plain Llama-like traits, and whoever asks is told: one without a gate in its MLP would be
counted a third too large.
"""

from dataclasses import replace
from typing import Any

from perfproof.calc.model_shape import Traits

LLAMA_LIKE = Traits()
EVERYWHERE_BIASED = Traits(gated=False, qkv_bias=True, out_bias=True, mlp_bias=True, norm_bias=True)
LLAMA_4 = ("llama4", "llama4_text")  # a shared expert as wide as a routed one, and chunks: its file does not say it
TRAITS: dict[str, Traits] = {
    **dict.fromkeys(
        ("llama", "mistral", "ministral", "mixtral", "phi3", "deepseek_v2", "granite", "smollm3"), LLAMA_LIKE
    ),
    **dict.fromkeys((*LLAMA_4, "jamba", "minimax", "minimax_text_01"), LLAMA_LIKE),
    "qwen2": Traits(qkv_bias=True),
    "qwen2_moe": Traits(qkv_bias=True, shared_gate=True),
    "qwen3": Traits(qk_norm=True),
    "qwen3_moe": Traits(qk_norm=True),
    "qwen3_next": Traits(qk_norm=True, output_gate=True, shared_gate=True),
    "gemma": Traits(tied=True),
    "gemma2": Traits(norms=4, tied=True),
    "gemma3": Traits(norms=4, qk_norm=True, tied=True),
    "gemma3_text": Traits(norms=4, qk_norm=True, tied=True),
    "gpt_oss": Traits(qkv_bias=True, out_bias=True, sinks=True, router_bias=True),
    "olmoe": Traits(wide_qk_norm=True),
    "olmo2": Traits(wide_qk_norm=True),
    "dbrx": LLAMA_LIKE,
    "glm4": Traits(norms=4),
    "glm4_moe": Traits(router_bias=True),
    "deepseek_v3": Traits(router_bias=True),
    "kimi_k2": Traits(router_bias=True),
    "cohere": Traits(norms=1, tied=True),
    "cohere2": Traits(norms=1, tied=True),
    "stablelm": Traits(norm_bias=True),
    "falcon": Traits(gated=False, norms=1, norm_bias=True, tied=True),
    "chatglm": Traits(qkv_bias=True),
    "nemotron": Traits(gated=False, norm_bias=True),
    "gptj": Traits(gated=False, mlp_bias=True, norms=1, norm_bias=True, head_bias=True),
    "phi": replace(EVERYWHERE_BIASED, norms=1, head_bias=True),
    "gpt_neox": EVERYWHERE_BIASED,
    "gpt2": replace(EVERYWHERE_BIASED, tied=True),
    "gpt_bigcode": replace(EVERYWHERE_BIASED, tied=True),
    "opt": replace(EVERYWHERE_BIASED, tied=True),
    "starcoder2": replace(EVERYWHERE_BIASED, tied=True),
    "bloom": replace(EVERYWHERE_BIASED, tied=True, outer_norms=2),
}
# Families that know no other attention than MHA: a file without num_key_value_heads means it.
ALWAYS_MHA = {"gpt2", "falcon", "opt", "gpt_neox", "gptj", "phi", "bloom", "gpt_bigcode"}
# Learned position embeddings: the field of the file, and rows besides.
POSITIONS = {
    "gpt2": ("n_positions", 0),
    "gpt_bigcode": ("n_positions", 0),
    "opt": ("max_position_embeddings", 2),
}
NO_OUT_BIAS = ("glm", "glm4", "glm4_moe")  # attention_bias is of queries, keys and values alone
# Files older than `layer_types`: every n-th layer sees everything. Gemma 3: five sliding layers, then a full one;
# Cohere 2 (Command R7B): three, then a full one.
SLIDING_PATTERN = {"gemma2": 2, "gemma3": 6, "gemma3_text": 6, "gpt_oss": 2, "cohere2": 4}


def traits_of(config: dict[str, Any]) -> tuple[Traits, list[str]]:
    """What the family has, as far as the file does not say otherwise; and a word where the family is not known."""
    family = str(config.get("model_type") or "")
    traits = TRAITS.get(family, LLAMA_LIKE)
    if "attention_bias" in config:
        has_bias = bool(config["attention_bias"])
        traits = replace(traits, qkv_bias=has_bias, out_bias=has_bias and family not in NO_OUT_BIAS)
    if "use_qk_norm" in config and family not in LLAMA_4:  # of Llama 4 it has no weights
        normed = bool(config["use_qk_norm"])  # Cohere: a weight per head and position in it
        traits = replace(traits, wide_qk_norm=normed) if family == "cohere" else replace(traits, qk_norm=normed)
    if "use_qkv_bias" in config:
        traits = replace(traits, qkv_bias=bool(config["use_qkv_bias"]))
    if "mlp_bias" in config:
        traits = replace(traits, mlp_bias=bool(config["mlp_bias"]))
    if config.get("use_bias") is False and family == "starcoder2":
        traits = replace(traits, qkv_bias=False, out_bias=False, mlp_bias=False)
    if family == "falcon":
        traits = _falcon(config, traits)
    if "add_qkv_bias" in config:
        traits = replace(traits, qkv_bias=bool(config["add_qkv_bias"]))
    if family in POSITIONS:
        field, besides = POSITIONS[family]
        traits = replace(traits, positions=int(config.get(field) or 0) + besides)
    return traits, [] if family in TRAITS else [_unknown(family)]


def _falcon(config: dict[str, Any], traits: Traits) -> Traits:
    """The new decoder (40B, 180B) has a norm each for attention and MLP; so has one that runs them in turn."""
    apart = bool(config.get("new_decoder_architecture")) and (config.get("num_ln_in_parallel_attn") or 2) == 2
    has_bias = bool(config.get("bias"))
    norms = 2 if apart or config.get("parallel_attn") is False else 1
    return replace(traits, norms=norms, qkv_bias=has_bias, out_bias=has_bias, mlp_bias=has_bias)


def _unknown(family: str) -> str:
    named = f"the family {family!r} (model_type) is not known" if family else "the file names no model_type"
    return f"{named}: taken as Llama-like, attention in every layer and a gated MLP; check the parameter count"
