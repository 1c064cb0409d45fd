"""config.json of many spellings, and broken ones."""

import pytest

from perfproof.calc.layer_types import attention_kinds, expert_layers
from perfproof.calc.model_config import shape_of
from perfproof.core.errors import UsageError

PLAIN = dict(hidden_size=64, num_hidden_layers=6, num_attention_heads=4, num_key_value_heads=2, vocab_size=100)
PLAIN |= dict(model_type="llama")


def read(**more):
    return shape_of({**PLAIN, **more}, "m", "config.json")


def kinds(**more):
    return "".join(layer.attention[0] for layer in read(**more).layers)  # f, s, l, m


def test_the_plain_names():
    shape = read(intermediate_size=256)
    assert (shape.hidden, len(shape.layers), shape.heads, shape.kv_heads, shape.head_dim) == (64, 6, 4, 2, 16)
    assert (shape.ffn, shape.attention_kind, shape.warnings) == (256, "GQA", ())


def test_head_dim_of_the_file_goes_before_hidden_over_heads():
    assert read(head_dim=32).head_dim == 32


def test_a_file_without_kv_heads_is_mha_and_says_so():
    shape = read(num_key_value_heads=None)
    assert shape.kv_heads == 4 and "num_key_value_heads" in shape.warnings[0]


def test_the_language_part_of_a_model_with_vision_is_taken():
    shape = shape_of({"model_type": "gemma3", "text_config": PLAIN, "vision_config": {"hidden_size": 9}}, "m", "x")
    assert shape.hidden == 64


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({}, "ffffff"),
        (dict(layer_types=["sliding_attention", "full_attention"] * 3, sliding_window=8), "sfsfsf"),
        (dict(sliding_window=8), "ssssss"),
        (dict(sliding_window=8, use_sliding_window=False), "ffffff"),
        (dict(sliding_window=8, sliding_window_pattern=3), "ssfssf"),
        (dict(sliding_window=8, model_type="gemma2"), "sfsfsf"),
        (dict(sliding_window=8, use_sliding_window=True, max_window_layers=4), "ffffss"),
        (
            dict(
                full_attention_interval=3,
                linear_num_value_heads=2,
                linear_num_key_heads=1,
                linear_key_head_dim=8,
                linear_value_head_dim=8,
            ),
            "llfllf",
        ),
        (dict(attn_type_list=[0, 1, 0, 1, 0, 1]), "lflflf"),
        (dict(attn_layer_period=3, attn_layer_offset=1, mamba_d_state=16), "mfmmfm"),
    ],
)
def test_the_kinds_of_layers_in_all_their_spellings(config, expected):
    assert kinds(**config) == expected


def test_layers_that_share_a_cache_are_marked():
    assert [layer.shares_cache for layer in read(num_kv_shared_layers=2).layers] == [False] * 4 + [True] * 2


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({}, {0, 1, 2, 3, 4, 5}),
        (dict(first_k_dense_replace=2, moe_layer_freq=1), {2, 3, 4, 5}),
        (dict(first_k_dense_replace=0, moe_layer_freq=2), {0, 2, 4}),
        (dict(moe_layer_freq=[0, 1, 1, 0, 0, 1]), {1, 2, 5}),
        (dict(decoder_sparse_step=2), {1, 3, 5}),
        (dict(mlp_only_layers=[0, 5]), {1, 2, 3, 4}),
        (dict(interleave_moe_layer_step=3), {2, 5}),
    ],
)
def test_which_layers_hold_experts(config, expected):
    assert expert_layers(config, 6) == expected


@pytest.mark.parametrize(
    ("quantised", "formats"),
    [
        (dict(quant_method="fp8", weight_block_size=[128, 128]), ("fp8-block", "")),
        (dict(quant_method="fp8"), ("fp8", "")),
        (dict(quant_method="mxfp4"), ("bf16", "mxfp4")),
        (dict(quant_method="gptq", bits=4), ("int4-zero", "")),
        (dict(quant_method="awq", bits=4), ("int4-zero", "")),
        (None, ("bf16", "")),
    ],
)
def test_the_stored_format_is_read(quantised, formats):
    shape = read(quantization_config=quantised, torch_dtype="bfloat16")
    assert (shape.weight_dtype, shape.expert_dtype) == formats


@pytest.mark.parametrize(
    ("config", "text"),
    [
        ([], "must hold a JSON object"),
        ({}, "no usable hidden_size"),
        ({**PLAIN, "num_hidden_layers": "many"}, "no usable num_hidden_layers"),
        ({**PLAIN, "num_attention_heads": 0}, "no usable num_attention_heads"),
        ({**PLAIN, "num_attention_heads": 5}, "no multiple of 5 heads"),
        ({**PLAIN, "layer_types": ["full_attention"]}, "6 layers, but the list of their kinds holds 1"),
        ({**PLAIN, "layer_types": ["hyena"] * 6}, "hyena are not known"),
        ({**PLAIN, "vocab_size": "x"}, "strange kind"),
        ({**PLAIN, "attn_layer_period": 2}, "no mamba_d_state"),
    ],
)
def test_a_broken_file_is_refused_in_one_line_with_its_name(config, text):
    with pytest.raises(UsageError, match=text) as refused:
        shape_of(config, "m", "some/config.json")
    assert str(refused.value).startswith("some/config.json") and "\n" not in str(refused.value)


def test_kinds_are_read_without_the_rest():
    assert attention_kinds({}, 2, "x") == ["full", "full"]
