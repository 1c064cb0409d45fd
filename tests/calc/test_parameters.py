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
