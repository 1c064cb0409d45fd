"""Parameter counts: every shipped shape against what its makers published, and classes by hand."""

import pytest

from perfproof.calc.kv_bytes import Cache, per_sequence
from perfproof.calc.model_config import shape_of
from perfproof.calc.parameters import count
from perfproof.calc.shipped_shapes import shipped_names, shipped_shape
from perfproof.calc.weighed_model import weigh
from perfproof.core.errors import UsageError


@pytest.mark.parametrize("name", shipped_names())
def test_a_shipped_shape_has_its_published_number_of_parameters(name):
    shape = shipped_shape(name)
    assert shape.published and shape.source
    assert count(shape).total == pytest.approx(shape.published, rel=0.01)
    assert weigh(shape, "bf16").bytes.stored == pytest.approx(2 * shape.published, rel=0.01)


@pytest.mark.parametrize("name", shipped_names())
def test_where_the_published_count_is_exact_ours_is_the_same(name):
    shape = shipped_shape(name)
    if isinstance(shape.published, int):  # from a checkpoint; a float is a rounded figure of a report
        assert count(shape).total == shape.published


def test_most_shapes_are_held_against_an_exact_count():
    assert sum(isinstance(shipped_shape(name).published, int) for name in shipped_names()) >= 20


@pytest.mark.parametrize("name", [name for name in shipped_names() if shipped_shape(name).published_active])
def test_active_parameters_agree_with_what_is_published(name):
    """Published figures are rounded to a billion, and some count the input embedding: ours lie around them."""
    shape, found = shipped_shape(name), count(shipped_shape(name))
    without, with_embedding = found.active, found.active + found.embedding
    assert without <= shape.published_active * 1.2 and with_embedding >= shape.published_active * 0.98


def test_the_classes_of_llama_by_hand():
    found = count(shipped_shape("llama-3.1-8b"))
    assert found.embedding == found.head == 128_256 * 4096
    assert found.attention == 32 * (4096 * 4096 * 2 + 2 * 4096 * 1024)
    assert found.dense == 32 * 3 * 4096 * 14_336
    assert found.norms == 65 * 4096
    assert found.experts == found.routers == 0


def test_a_tied_head_is_multiplied_but_not_stored_twice():
    found = count(shipped_shape("llama-3.2-1b"))
    assert found.total == found.active  # the embedding that is looked up is the head that is multiplied
    assert found.head == found.embedding


def test_experts_are_counted_once_a_layer_and_the_active_ones_apart():
    found = count(shipped_shape("mixtral-8x7b"))
    one = 3 * 4096 * 14_336
    assert (found.one_expert, found.experts) == (one, 32 * 8 * one)
    assert found.active == found.always + 32 * 2 * one


def test_the_first_layers_of_deepseek_are_dense():
    found = count(shipped_shape("deepseek-v3"))
    assert found.expert_layers == 58
    assert found.dense == 3 * (3 * 7168 * 18_432) + 58 * (3 * 7168 * 2048)


def test_layers_whose_parameters_no_formula_knows_are_refused_not_guessed():
    config = dict(hidden_size=64, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, vocab_size=100)
    shape = shape_of({**config, "layer_types": ["mamba", "attention"], "mamba_d_state": 16}, "m", "x")
    with pytest.raises(UsageError, match="mamba layers are unknown to this formula"):
        count(shape)
    assert per_sequence(shape, Cache(), 10) == (128 * 16 * 4 + 3 * 128 * 2) + 10 * 2 * 2 * 16 * 2


def latent(h, layers, heads, experts, shared, width, dense, vocab, bias):
    """DeepSeek's kind: ranks 1536 and 512, heads of 128 + 64 and 128, one dense layer; `bias`: a number per expert."""
    attention = h * 1536 + 1536 + 1536 * heads * 192 + h * 576 + 512 + 512 * heads * 256 + heads * 128 * h
    expert_layer = (experts + shared) * 3 * h * width + experts * h + bias * experts
    return 2 * vocab * h + layers * (attention + 2 * h) + 3 * h * dense + (layers - 1) * expert_layer + h


LATENT = {
    "q_lora_rank": 1536, "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
    "first_k_dense_replace": 1, "moe_layer_freq": 1, "tie_word_embeddings": False,
}  # fmt: skip
LLAMA_4 = {
    "hidden_size": 5120, "num_hidden_layers": 48, "num_attention_heads": 40, "num_key_value_heads": 8, "head_dim": 128,
    "intermediate_size": 8192, "intermediate_size_mlp": 16384, "num_experts_per_tok": 1, "attention_chunk_size": 8192,
    "vocab_size": 202048, "no_rope_layers": [1, 1, 1, 0] * 12, "tie_word_embeddings": False,
}  # fmt: skip
LLAMA_4_LAYER = 2 * 5120 * 40 * 128 + 2 * 5120 * 8 * 128 + 2 * 5120  # attention and two norms
LLAMA_4_EXPERT = 3 * 5120 * 8192
PUBLIC = [  # the public configuration of a model that is not shipped, and its count by hand
    (  # DeepSeek-V2
        {"model_type": "deepseek_v2", "hidden_size": 5120, "num_hidden_layers": 60, "num_attention_heads": 128,
         "num_key_value_heads": 128, "n_routed_experts": 160, "n_shared_experts": 2, "num_experts_per_tok": 6,
         "moe_intermediate_size": 1536, "intermediate_size": 12288, "vocab_size": 102400, **LATENT},
        latent(5120, 60, 128, 160, 2, 1536, 12288, 102400, bias=False),
    ),
    (  # Kimi K2
        {"model_type": "deepseek_v3", "hidden_size": 7168, "num_hidden_layers": 61, "num_attention_heads": 64,
         "num_key_value_heads": 64, "n_routed_experts": 384, "n_shared_experts": 1, "num_experts_per_tok": 8,
         "moe_intermediate_size": 2048, "intermediate_size": 18432, "vocab_size": 163840, "topk_method": "noaux_tc",
         **LATENT},
        latent(7168, 61, 64, 384, 1, 2048, 18432, 163840, bias=True),
    ),
    (  # OLMoE: its norms of queries and keys are as wide as all heads
        {"model_type": "olmoe", "hidden_size": 2048, "num_hidden_layers": 16, "num_attention_heads": 16,
         "num_key_value_heads": 16, "intermediate_size": 1024, "num_experts": 64, "num_experts_per_tok": 8,
         "vocab_size": 50304, "tie_word_embeddings": False},
        2 * 50304 * 2048 + 16 * (4 * 2048**2 + 4 * 2048 + 64 * 2048 + 64 * 3 * 2048 * 1024) + 2048,
    ),
    (  # Llama 4 Scout: the norm of queries and keys has no weights, whatever its file says
        {"model_type": "llama4_text", "num_local_experts": 16, "interleave_moe_layer_step": 1, "use_qk_norm": True,
         **LLAMA_4},
        2 * 202048 * 5120 + 48 * (LLAMA_4_LAYER + 17 * LLAMA_4_EXPERT + 16 * 5120) + 5120,
    ),
    (  # Llama 4 Maverick: every second layer is dense, of twice the width
        {"model_type": "llama4_text", "num_local_experts": 128, "interleave_moe_layer_step": 2, "use_qk_norm": False,
         **LLAMA_4},
        2 * 202048 * 5120 + 48 * LLAMA_4_LAYER + 24 * (129 * LLAMA_4_EXPERT + 128 * 5120 + 2 * LLAMA_4_EXPERT) + 5120,
    ),
    (  # Command R+: 103,810,674,688; norms of queries and keys have a weight per head and position in it
        {"model_type": "cohere", "hidden_size": 12288, "num_hidden_layers": 64, "num_attention_heads": 96,
         "num_key_value_heads": 8, "intermediate_size": 33792, "vocab_size": 256000, "use_qk_norm": True},
        256000 * 12288
        + 64 * (2 * 12288**2 + 2 * 12288 * 1024 + 3 * 12288 * 33792 + 12288 + (96 + 8) * 128)
        + 12288,
    ),
]  # fmt: skip


@pytest.mark.parametrize(("config", "by_hand"), PUBLIC)
def test_the_count_of_a_model_that_is_not_shipped_agrees_with_its_derivation(config, by_hand):
    assert count(shape_of(config, "x", "x")).total == by_hand


def test_of_llama_4_three_of_four_layers_keep_a_chunk():
    config = {"model_type": "llama4_text", "num_local_experts": 16, "interleave_moe_layer_step": 1, **LLAMA_4}
    a_token = 2 * 8 * 128 * 2  # keys and values of 8 heads of 128, bf16
    assert per_sequence(shape_of(config, "x", "x"), Cache(), 32768) == (12 * 32768 + 36 * 8192) * a_token
