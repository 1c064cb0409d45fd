"""A model on two ranks gives the tokens of one, and what cannot be split is refused."""

import pytest
import torch
import torch.distributed as dist
import torch.multiprocessing as processes

from perfproof.core.errors import UsageError
from perfproof.engine.engine import Engine
from perfproof.engine.tensor_parallel import split_model
from perfproof.engine.weights import quantise_weights
from tests.engine.tiny_models import expected, finish_all, greedy, model, prompts, small


def answers(rank, place, folder):
    """In a process of its own: the answers of three families on two ranks, and of one whose sums are left out."""
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{place}", rank=rank, world_size=2)
    found = {}
    for family in ("llama", "qwen2", "qwen3"):
        own, weights = split_model(*model(family), rank, 2)
        found[family] = run(own, weights)
    own, weights = split_model(*model(), rank, 2)
    weights.ranks = 1
    found["no sums"] = run(own, weights)
    torch.save(found, f"{folder}/{rank}")


def run(own, weights):
    requests = [greedy(str(number), prompt, 6) for number, prompt in enumerate(prompts(4))]
    finish_all(Engine(own, weights, small(blocks=15)), requests)
    return [request.answer for request in requests]


def test_two_ranks_give_the_tokens_of_one_for_every_dense_family(tmp_path):
    processes.start_processes(answers, (str(tmp_path / "ranks"), str(tmp_path)), nprocs=2, start_method="fork")
    both = [torch.load(tmp_path / str(rank)) for rank in range(2)]
    for family in ("llama", "qwen2", "qwen3"):
        wanted = [expected(family, tuple(one), 6) for one in prompts(4)]
        assert [found[family] for found in both] == [wanted, wanted]
    assert both[0]["no sums"] != both[0]["llama"]


def test_a_rank_holds_half_of_the_layers_and_of_the_cache():
    whole, weights = model()
    own, share = split_model(whole, weights, 1, 2)
    for name in ("qkv", "out", "gate_up", "down"):
        assert getattr(share.layers[0], name).numel() * 2 == getattr(weights.layers[0], name).numel()
    caches = [Engine(*one, small()).runner.cache.layers[0].keys for one in ((whole, weights), (own, share))]
    assert caches[0].numel() == 2 * caches[1].numel()


def test_the_shares_of_all_ranks_are_the_whole():
    whole, weights = model()
    shares = [split_model(whole, weights, rank, 2)[1].layers[0] for rank in range(2)]
    layer = weights.layers[0]
    assert torch.equal(torch.cat([share.down for share in shares], -1), layer.down)
    assert torch.equal(torch.cat([share.gate_up.chunk(2)[1] for share in shares]), layer.gate_up.chunk(2)[1])


@pytest.mark.parametrize(
    "made, ranks, word",
    [
        (lambda: model("mixtral"), 2, "experts"),
        (lambda: model(), 3, "key-value heads"),
        (lambda: (model()[0], quantise_weights(model()[1], 8, 16)), 2, "quantise"),
    ],
)
def test_what_cannot_be_split_is_refused(made, ranks, word):
    with pytest.raises(UsageError, match=word):
        split_model(*made(), 0, ranks)
