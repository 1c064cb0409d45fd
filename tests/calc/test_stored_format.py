"""Formats of weights as checkpoints say them: the fields are those of published files, the bits worked by hand."""

import pytest

from perfproof.calc.model_config import shape_of
from perfproof.calc.number_formats import bits_per_element, compute_type, format_name
from perfproof.calc.stored_format import stored_format
from perfproof.calc.weighed_model import weigh
from perfproof.core.errors import UsageError

PLAIN = dict(
    model_type="llama",
    hidden_size=64,
    num_hidden_layers=6,
    num_attention_heads=4,
    num_key_value_heads=2,
    vocab_size=100,
    torch_dtype="bfloat16",
)


def compressed(**weights):
    group = dict(weights=weights, input_activations=None, targets=["Linear"])
    return dict(quant_method="compressed-tensors", format="pack-quantized", config_groups=dict(group_0=group))


@pytest.mark.parametrize(
    ("quantised", "name", "bits"),
    [
        (dict(quant_method="gptq", bits=4, group_size=128), "int4-zero", 4 + 20 / 128),
        (dict(quant_method="gptq", bits=4, group_size=32), "int4-g32-zero", 4 + 20 / 32),
        (dict(quant_method="gptq", bits=3, group_size=128), "int3-g128-zero", 3 + 19 / 128),
        (dict(quant_method="gptq", bits=8, group_size=-1), "int8-channel", 8),
        (dict(quant_method="awq", bits=4, group_size=64, zero_point=True), "int4-g64-zero", 4 + 20 / 64),
        (dict(quant_method="awq", w_bit=4, q_group_size=128, zero_point=False), "int4", 4 + 16 / 128),
        (dict(quant_method="fbgemm_fp8", activation_scale_ub=1200.0), "fp8", 8),
        (dict(quant_method="bitsandbytes", load_in_4bit=True), "nf4", 4.5),
        (dict(quant_method="bitsandbytes", _load_in_4bit=True, bnb_4bit_use_double_quant=True), "nf4-double", 4.127),
        (dict(quant_method="bitsandbytes", load_in_8bit=True, load_in_4bit=False), "int8", 8),
        (dict(quant_method="modelopt", quant_algo="FP8"), "fp8", 8),
        (dict(quant_method="modelopt", quant_algo="NVFP4", group_size=16), "nvfp4", 4.5),
        (compressed(num_bits=8, type="float", strategy="channel", symmetric=True), "fp8", 8),
        (compressed(num_bits=8, type="float", strategy="block", block_structure=[128, 128]), "fp8-block", 8.002),
        (compressed(num_bits=8, type="int", strategy="channel", symmetric=True), "int8", 8),
        (compressed(num_bits=4, type="int", strategy="group", group_size=128, symmetric=True), "int4", 4.125),
        (
            compressed(num_bits=4, type="int", strategy="group", group_size=32, symmetric=False),
            "int4-g32-zero",
            4 + 20 / 32,
        ),
        (compressed(num_bits=4, type="int", strategy="channel", group_size=None), "int4-channel", 4),
        (compressed(num_bits=4, type="float", strategy="tensor_group", group_size=16), "nvfp4", 4.5),
    ],
)
def test_what_a_checkpoint_says_becomes_a_format_with_its_scales(quantised, name, bits):
    found = stored_format(dict(torch_dtype="bfloat16", quantization_config=quantised))
    assert (found.matrices, found.experts, found.why) == (name, "", "")
    assert bits_per_element(name) == pytest.approx(bits, abs=5e-4)


def test_weights_of_integers_in_groups_are_widened_before_they_are_multiplied():
    assert compute_type("int8-g128-zero") == compute_type("nf4") == "bf16" and compute_type("int8") == "int8"


UNKNOWN = [
    (dict(quant_method="hqq"), "'hqq'"),
    (dict(bits=4), "'None'"),
    (dict(quant_method="gptq", bits=5), "'gptq' of a kind"),
    (dict(quant_method="bitsandbytes"), "'bitsandbytes' of a kind"),
    (dict(quant_method="modelopt", quant_algo="MIXED_PRECISION"), "'modelopt' of a kind"),
    (dict(quant_method="compressed-tensors"), "'compressed-tensors' of a kind"),
    (compressed(num_bits=4, type="float", strategy="group", group_size=7), "'compressed-tensors' of a kind"),
    (compressed(num_bits=8, type="float") | dict(sparsity_config=dict(format="sparse-24-bitmask")), "of a kind"),
]


@pytest.mark.parametrize(("quantised", "why"), UNKNOWN)
def test_an_unknown_method_is_not_taken_for_bf16(quantised, why):
    shape = shape_of({**PLAIN, "quantization_config": quantised}, "m", "config.json")
    assert len(shape.warnings) == 1 and why in shape.warnings[0]
    with pytest.raises(UsageError, match=r"^m: the format of its weights is not known.*say it with --dtype$"):
        weigh(shape)
    assert weigh(shape, "int4").formats.matrices == "int4"  # whoever knows it may say it


def test_groups_of_layers_that_are_stored_differently_are_unknown():
    both = compressed(num_bits=8, type="int", strategy="channel")
    both["config_groups"]["group_1"] = dict(weights=dict(num_bits=4, type="int", strategy="group", group_size=128))
    assert stored_format(dict(quantization_config=both)).matrices == ""


def test_an_unknown_torch_dtype_is_unknown_and_none_at_all_is_bf16():
    assert "'int5'" in stored_format(dict(torch_dtype="int5")).why
    assert stored_format({}).matrices == "bf16"


@pytest.mark.parametrize(
    "broken", [dict(quant_method="gptq", bits="many"), compressed() | dict(config_groups=dict(group_0=3))]
)
def test_a_broken_description_is_refused_in_one_line(broken):
    with pytest.raises(UsageError, match="strange kind"):
        shape_of({**PLAIN, "quantization_config": broken}, "m", "config.json")


def test_the_format_of_a_model_with_vision_may_lie_in_its_language_part():
    config = {"text_config": {**PLAIN, "torch_dtype": "float32"}, "torch_dtype": None}
    assert shape_of(config, "m", "x").weight_dtype == "fp32"


def test_a_format_of_ones_own_groups_can_be_asked_for():
    assert format_name("INT4-g64") == "int4-g64"
    for wrong in ("int5-g64", "int4-g0", "int4-g64-zeros"):
        with pytest.raises(UsageError, match="groups of your own"):
            format_name(wrong)
