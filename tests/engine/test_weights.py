"""Weights from files: the logits that transformers gives for the same files, and clear words for broken ones."""

import json
import math
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from perfproof.core.errors import DocumentError
from perfproof.engine.architecture import architecture_of
from perfproof.engine.plain_decoder import logits_of
from perfproof.engine.weights import quantise_weights, random_weights, read_weights, stored_bytes
from tests.engine.tiny_models import model

RECORDED = json.loads((Path(__file__).parent / "recorded_logits.json").read_text())  # by transformers 5.22.2


def filled(name: str, size: tuple[int, ...]) -> torch.Tensor:
    """Values that need no random generator; the recording has the same."""
    start = sum(ord(letter) * (place + 1) for place, letter in enumerate(name)) % 1009
    wave = torch.sin(torch.arange(math.prod(size), dtype=torch.float64) * 0.7390851 + start).view(size)
    return 1 + 0.1 * wave if "norm" in name else wave * (1.5 / size[-1] ** 0.5)


def write(folder: Path, sizes: dict[str, list[int]]) -> None:
    save_file({name: filled(name, tuple(size)) for name, size in sizes.items()}, folder / "model.safetensors")


@pytest.mark.parametrize("family", RECORDED)
def test_a_model_from_files_gives_the_logits_of_transformers(family, tmp_path):
    recorded = RECORDED[family]
    write(tmp_path, recorded["tensors"])
    made = architecture_of(recorded["config"])
    weights = read_weights(tmp_path, made, torch.float64)
    logits = logits_of(made, weights, torch.tensor([recorded["tokens"]]))[0, -1]
    wanted = torch.tensor(recorded["logits"], dtype=torch.float64)
    torch.testing.assert_close(logits[: len(wanted)], wanted, rtol=1e-6, atol=1e-6)
    assert int(logits.argmax()) == recorded["best"]


def test_files_of_several_parts_are_found_by_their_index(tmp_path):
    sizes = RECORDED["llama"]["tensors"]
    names = list(sizes)
    parts = {"a.safetensors": names[::2], "b.safetensors": names[1::2]}
    for file, own in parts.items():
        save_file({name: filled(name, tuple(sizes[name])) for name in own}, tmp_path / file)
    index = {"weight_map": {name: file for file, own in parts.items() for name in own}}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index))
    weights = read_weights(tmp_path, architecture_of(RECORDED["llama"]["config"]), torch.float64)
    assert torch.equal(weights.norm, filled("model.norm.weight", (32,)))


def without(name):
    return lambda folder, sizes: write(folder, {one: size for one, size in sizes.items() if one != name})


def misshapen(folder, sizes):
    write(folder, sizes | {"model.norm.weight": [31]})


def cut_off(folder, sizes):
    write(folder, sizes)
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-100])


@pytest.mark.parametrize(
    "damage, word",
    [
        (without("model.norm.weight"), "model.norm.weight"),
        (misshapen, "(31,)"),
        (cut_off, "cannot be read"),
        (lambda folder, sizes: (folder / "model.safetensors").write_bytes(b"not a file"), "cannot be read"),
        (lambda folder, sizes: None, "--random"),
    ],
)
def test_a_broken_file_is_one_line_with_its_name(damage, word, tmp_path):
    damage(tmp_path, RECORDED["llama"]["tensors"])
    with pytest.raises(DocumentError) as raised:
        read_weights(tmp_path, architecture_of(RECORDED["llama"]["config"]), torch.float64)
    assert word in str(raised.value) and str(tmp_path) in str(raised.value) and "\n" not in str(raised.value)


def test_random_weights_keep_activations_at_their_size():
    made, weights = model("llama", num_hidden_layers=6)
    logits = logits_of(made, weights, torch.arange(40)[None])
    assert 0.3 < float(logits.std()) / (weights.head.std() * 32**0.5) < 3


def test_the_same_seed_gives_the_same_weights_and_another_one_others():
    made, weights = model()
    again, other = (random_weights(made, torch.float64, seed=seed) for seed in (7, 8))
    assert torch.equal(weights.layers[1].qkv, again.layers[1].qkv)
    assert not torch.equal(weights.layers[1].qkv, other.layers[1].qkv)


def test_bytes_of_a_step_fall_with_the_bits():
    weights = random_weights(model()[0], torch.float32)
    full, eight, four = stored_bytes(weights), *(stored_bytes(quantise_weights(weights, bits, 32)) for bits in (8, 4))
    assert 0.25 < eight / full < 0.32 and 0.12 < four / full < 0.2
