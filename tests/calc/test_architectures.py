"""Families: counts against published ones, exact where the makers' checkpoint is, else as they round."""

import pytest

from perfproof.calc.architectures import TRAITS
from perfproof.calc.kv_bytes import Cache, per_sequence
from perfproof.calc.model_config import shape_of
from perfproof.calc.parameters import count
from perfproof.core.errors import UsageError


def config(family, hidden, layers, heads, vocab, **more):
    named = dict(model_type=family, hidden_size=hidden, num_hidden_layers=layers, num_attention_heads=heads)
    return named | dict(vocab_size=vocab) | more


OPT = config("opt", 4096, 32, 32, 50_272, ffn_dim=16_384, max_position_embeddings=2048, word_embed_proj_dim=4096)
NEOX = config("gpt_neox", 6144, 44, 64, 50_432, intermediate_size=24_576, tie_word_embeddings=False)
STARCODER2 = config("starcoder2", 4608, 32, 36, 49_152, num_key_value_heads=4, intermediate_size=18_432, use_bias=True)
GPTJ = dict(model_type="gptj", n_embd=4096, n_layer=28, n_head=16, n_inner=None, n_positions=2048, vocab_size=50_400)
PHI_2 = config("phi", 2560, 32, 32, 51_200, intermediate_size=10_240, tie_word_embeddings=False)
BLOOM = dict(model_type="bloom", n_embed=14_336, n_layer=70, num_attention_heads=112, vocab_size=250_880)
STARCODER = dict(model_type="gpt_bigcode", n_embd=6144, n_layer=40, n_head=48, n_inner=24_576, multi_query=True)
STARCODER |= dict(vocab_size=49_152, n_positions=8192)
LLAMA_4 = config("llama4_text", 5120, 48, 40, 202_048, num_key_value_heads=8, head_dim=128, num_experts_per_tok=1)
LLAMA_4 |= dict(intermediate_size=8192, intermediate_size_mlp=16_384, tie_word_embeddings=False)
SCOUT = LLAMA_4 | dict(num_local_experts=16, interleave_moe_layer_step=1)
MAVERICK = LLAMA_4 | dict(num_local_experts=128, interleave_moe_layer_step=2)


@pytest.mark.parametrize(
    ("fields", "published"),
    [(OPT, 6.66e9), (NEOX, 20.6e9), (STARCODER2, 7.17e9), (STARCODER, 15.5e9)],
    ids=lambda value: value.get("model_type") if isinstance(value, dict) else "",
)
def test_a_family_without_a_gate_has_its_published_number_of_parameters(fields, published):
    shape = shape_of(fields, "m", "x")
    assert count(shape).total == pytest.approx(published, rel=0.005) and shape.warnings == ()


@pytest.mark.parametrize(("fields", "exact"), [(GPTJ, 6_050_882_784), (PHI_2, 2_779_683_840), (BLOOM, 176_247_271_424)])
def test_and_to_the_last_one_where_the_count_is_exact(fields, exact):
    assert count(shape_of(fields, "m", "x")).total == exact


@pytest.mark.parametrize(("fields", "total"), [(SCOUT, 109e9), (MAVERICK, 400e9)])
def test_llama_4_has_a_shared_expert_and_wider_dense_layers(fields, total):
    """17 billion active, the input embedding included; the published totals hold a part for vision besides."""
    found = count(shape_of(fields, "m", "x"))
    assert found.total == pytest.approx(total, rel=0.015)
    assert found.active + found.embedding == pytest.approx(17e9, rel=0.02)


def test_llama_4_looks_at_chunks_in_three_layers_of_four():
    kinds = [layer.attention for layer in _chunked(no_rope_layers=[]).layers]
    assert kinds[:4] == ["sliding", "sliding", "sliding", "full"] and kinds.count("full") == 12
    assert per_sequence(_chunked(no_rope_layers=[]), Cache(), 100_000) == 4096 * (12 * 100_000 + 36 * 8192)
    assert (
        _chunked().layers == _chunked(no_rope_layers=None).layers == _chunked(no_rope_layers=[1, 1, 1, 0] * 12).layers
    )
    assert {layer.attention for layer in _chunked(no_rope_layers=[0] * 48).layers} == {"full"}
    with pytest.raises(UsageError, match="48 layers, but the list of their kinds holds 2"):
        _chunked(no_rope_layers=[0, 1])


def _chunked(**more):
    return shape_of({**SCOUT, "attention_chunk_size": 8192, **more}, "m", "x")


@pytest.mark.parametrize(
    ("family", "said"), [("hyena-9", "the family 'hyena-9'"), (None, "no model_type"), ("", "no model_type")]
)
def test_a_family_that_is_not_known_is_said(family, said):
    shape = shape_of({**STARCODER2, "model_type": family}, "m", "x")
    assert len(shape.warnings) == 1 and said in shape.warnings[0] and "Llama-like" in shape.warnings[0]


@pytest.mark.parametrize("family", sorted(TRAITS))
def test_a_family_that_is_known_is_not_warned_of(family):
    assert shape_of({**STARCODER2, "model_type": family}, "m", "x").warnings == ()


def test_what_the_file_says_about_biases_goes_before_the_family():
    plain = shape_of({**STARCODER2, "use_bias": False}, "m", "x").traits
    assert not (plain.qkv_bias or plain.out_bias or plain.mlp_bias)
    assert shape_of({**NEOX, "attention_bias": False}, "m", "x").traits.qkv_bias is False
    assert shape_of({**NEOX, "model_type": "stablelm", "use_qkv_bias": True}, "m", "x").traits.qkv_bias


def test_embeddings_of_another_width_are_said():
    (warning,) = shape_of({**OPT, "word_embed_proj_dim": 512}, "m", "x").warnings
    assert "512 wide" in warning


def test_a_pattern_of_mixed_layers_is_refused_and_not_taken_for_a_transformer():
    with pytest.raises(UsageError, match=r"^x: hybrid_override_pattern has layers .* too large$"):
        shape_of({**PHI_2, "model_type": "nemotron_h", "hybrid_override_pattern": "M-M-M*-" * 4}, "m", "x")


FALCON = config("falcon", 8192, 60, 128, 65_024, new_decoder_architecture=True, multi_query=True, num_kv_heads=8)
CHATGLM = dict(model_type="chatglm", hidden_size=4096, num_layers=28, num_attention_heads=32, kv_channels=128)
CHATGLM |= dict(multi_query_attention=True, multi_query_group_num=2, ffn_hidden_size=13_696, padded_vocab_size=65_024)
CHATGLM |= dict(add_qkv_bias=True, tie_word_embeddings=False)


def test_falcon_40b_normalises_attention_and_mlp_apart():
    """60 layers · (8192·9216 + 8192² + 8·8192² + 2 norms of 2·8192) + a last norm + 65,024·8192."""
    by_hand = 60 * (8192 * 9216 + 8192**2 + 8 * 8192**2 + 2 * 2 * 8192) + 2 * 8192 + 65_024 * 8192
    assert count(shape_of(FALCON, "m", "x")).total == by_hand == 41_303_293_952


def test_falcon_7b_and_a_file_that_says_one_norm_have_one():
    one = count(shape_of({**FALCON, "num_ln_in_parallel_attn": 1}, "m", "x")).total
    assert one == 41_303_293_952 - 983_040
    old = {**FALCON, "new_decoder_architecture": False}
    assert shape_of(old, "m", "x").traits.norms == 1
    assert shape_of({**old, "parallel_attn": False, "bias": True}, "m", "x").traits.norms == 2


def test_chatglm_groups_its_keys_and_values():
    shape = shape_of(CHATGLM, "m", "x")
    assert (shape.kv_heads, shape.warnings, count(shape).total) == (2, (), 6_243_584_000)
    assert shape_of({**CHATGLM, "multi_query_attention": False}, "m", "x").kv_heads == 32


def test_command_r7b_looks_through_a_window_in_24_of_32_layers():
    cohere = config("cohere2", 4096, 32, 32, 256_000, num_key_value_heads=8, sliding_window=4096)
    for file in (cohere, {**cohere, "sliding_window_pattern": 4}, {**cohere, "sliding_window_pattern": "LLLG"}):
        shape = shape_of(file, "m", "x")
        kinds = [layer.attention for layer in shape.layers]
        assert kinds.count("sliding") == 24 and kinds[3] == "full"
        assert per_sequence(shape, Cache(), 100_000) == 4096 * (8 * 100_000 + 24 * 4096)


def test_a_pattern_of_letters_that_are_not_known_is_refused():
    exaone = config("exaone4", 5120, 64, 40, 102_400, num_key_value_heads=8, sliding_window=4096)
    assert [one.attention for one in shape_of({**exaone, "sliding_window_pattern": "lg"}, "m", "x").layers][:2] == [
        "sliding",
        "full",
    ]
    with pytest.raises(UsageError, match="sliding_window_pattern 'LLXG'"):
        shape_of({**exaone, "sliding_window_pattern": "LLXG"}, "m", "x")


def _counted(config):
    return count(shape_of({"torch_dtype": "bfloat16", "tie_word_embeddings": False, **config}, "it", "it"))


def test_olmoe_norms_all_channels_of_its_queries_and_keys():
    """OLMoE-1B-7B as published: 6,919,161,856 parameters, 1.28 billion of them active with the embedding."""
    found = _counted({
        "model_type": "olmoe", "hidden_size": 2048, "num_hidden_layers": 16, "num_attention_heads": 16,
        "num_key_value_heads": 16, "intermediate_size": 1024, "num_experts": 64, "num_experts_per_tok": 8,
        "vocab_size": 50304,
    })  # fmt: skip
    layer = 4 * 2048**2 + 2 * 2048 + 64 * 2048 + 64 * 3 * 2048 * 1024 + 2 * 2048
    assert found.total == 16 * layer + 2 * 50304 * 2048 + 2048 == 6_919_161_856
    assert found.active + found.embedding == 6_919_161_856 - 16 * (64 - 8) * 3 * 2048 * 1024


def test_dbrx_names_its_sizes_in_parts():
    """DBRX as published: 131,596,523,520 parameters; 4 of 16 experts run."""
    found = _counted({
        "model_type": "dbrx", "d_model": 6144, "n_layers": 40, "n_heads": 48, "vocab_size": 100352,
        "attn_config": {"kv_n_heads": 8},
        "ffn_config": {"ffn_hidden_size": 10752, "moe_num_experts": 16, "moe_top_k": 4},
    })  # fmt: skip
    layer = 6144 * (6144 + 2 * 8 * 128) + 6144**2 + 16 * 3 * 6144 * 10752 + 16 * 6144 + 2 * 6144
    assert found.total == 40 * layer + 2 * 100352 * 6144 + 6144 == 131_596_523_520
    assert found.active_experts == 4


def test_glm_has_no_bias_behind_attention_and_norms_of_one_head():
    """GLM-4.5: attention_bias is of queries, keys and values; use_qk_norm adds 128 weights for each of the two."""
    size = {
        "model_type": "glm4_moe", "hidden_size": 5120, "num_hidden_layers": 92, "num_attention_heads": 96,
        "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 12288, "moe_intermediate_size": 1536,
        "n_routed_experts": 160, "n_shared_experts": 1, "num_experts_per_tok": 8, "first_k_dense_replace": 3,
        "vocab_size": 151552, "attention_bias": True, "use_qk_norm": True,
    }  # fmt: skip
    queries, keys = 96 * 128, 8 * 128
    assert _counted(size).attention == 92 * (5120 * (2 * queries + 2 * keys) + queries + 2 * keys + 2 * 128)
    assert _counted({**size, "model_type": "llama"}).attention == _counted(size).attention + 92 * 5120  # Llama has one
