"""What families of models have and their config.json does not say: biases, norms, tied embeddings. Data, by model_type.

A family that is not here gets plain Llama-like traits, which is right to a fraction of a per cent for most.
"""

from perfproof.calc.model_shape import Traits

TRAITS: dict[str, Traits] = {
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
    "deepseek_v3": Traits(router_bias=True),
    "kimi_k2": Traits(router_bias=True),
    "falcon": Traits(gated=False, norms=1, norm_bias=True, tied=True),
    "gpt2": Traits(gated=False, qkv_bias=True, out_bias=True, mlp_bias=True, norm_bias=True, tied=True),
}
GATED_BY_DEFAULT = Traits()
# Gemma 3's files of the time before `layer_types`: five sliding layers, then a full one.
SLIDING_PATTERN = {"gemma2": 2, "gemma3": 6, "gemma3_text": 6, "gpt_oss": 2}


def traits_of(model_type: str) -> Traits:
    return TRAITS.get(model_type, GATED_BY_DEFAULT)
