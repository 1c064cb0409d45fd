"""What is read from config.json, and what is refused."""

import pytest

from perfproof.core.errors import DocumentError, NothingMatched, UsageError
from perfproof.engine.architecture import Rope, architecture_of, find_architecture
from tests.engine.tiny_models import BASE


def config(**other):
    return {"model_type": "llama", **BASE, **other}


@pytest.mark.parametrize(
    "other, word",
    [
        ({"model_type": "gpt2"}, "gpt2"),
        ({"model_type": "gemma2", "sliding_window": 4}, "gemma2"),
        ({"rope_scaling": {"rope_type": "yarn", "factor": 4}}, "yarn"),
        ({"hidden_act": "gelu"}, "gelu"),
        ({"attention_bias": True}, "bias"),
        ({"quantization_config": {"quant_method": "gptq", "bits": 4}}, "quantised"),
        ({"num_attention_heads": 4, "num_key_value_heads": 3}, "3 key-value heads"),
    ],
)
def test_what_would_be_computed_wrong_is_refused(other, word):
    with pytest.raises(UsageError, match=word):
        architecture_of(config(**other))


def test_one_window_for_all_layers_limits_the_context():
    assert architecture_of(config(model_type="mistral", sliding_window=64)).longest == 64
    assert architecture_of(config(model_type="mistral", sliding_window=None)).longest == 160


def test_new_and_old_files_say_the_same_about_positions():
    old = config(rope_theta=5e5, rope_scaling={"type": "linear", "factor": 2.0})
    new = config(rope_parameters={"rope_type": "linear", "rope_theta": 5e5, "factor": 2.0})
    assert architecture_of(old).rope == architecture_of(new).rope == Rope(5e5, "linear", 2.0)


def test_llama3_scaling_keeps_fast_turns_and_stretches_slow_ones():
    plain = Rope(5e5).frequencies(128)
    scaled = Rope(5e5, "llama3", 8.0, 1.0, 4.0, 8192).frequencies(128)
    assert scaled[0] == plain[0] and scaled[-1] == pytest.approx(plain[-1] / 8)
    assert all(one / 8 <= two <= one for one, two in zip(plain, scaled, strict=True))


def test_a_shipped_name_is_a_shape_and_an_unknown_one_lists_them():
    assert find_architecture("llama-3.2-1b").shape.hidden == 2048
    with pytest.raises(NothingMatched, match=r"llama-3\.2-1b"):
        find_architecture("no-such-model")


def test_a_broken_file_is_one_line(tmp_path):
    (tmp_path / "config.json").write_text('{"model_type": ')
    with pytest.raises(DocumentError, match="not JSON"):
        find_architecture(str(tmp_path))
    (tmp_path / "config.json").unlink()
    with pytest.raises(DocumentError, match=r"config\.json"):
        find_architecture(str(tmp_path))
