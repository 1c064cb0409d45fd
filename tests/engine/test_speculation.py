"""Guesses: where they come from, and that accepting them changes no distribution."""

from collections import Counter

import numpy
import pytest
from scipy.special import chdtrc

from perfproof.engine.engine import Engine
from perfproof.engine.request import Request, Sampling
from perfproof.engine.speculation import NgramSpeculator, accepted, followers
from tests.engine.tiny_models import finish_all, model, small


@pytest.mark.parametrize(
    "drafts, sampled, kept",
    [
        ([1, 2, 3], [1, 2, 3, 4], [1, 2, 3, 4]),
        ([1, 2, 3], [1, 9, 3, 4], [1, 9]),
        ([1, 2, 3], [7, 2, 3, 4], [7]),
        ([], [5], [5]),
    ],
)
def test_guesses_are_kept_up_to_the_first_wrong_one(drafts, sampled, kept):
    assert accepted(drafts, sampled) == kept


def test_what_followed_the_same_tokens_is_guessed_from_the_latest_place():
    assert followers([1, 2, 3, 9, 1, 2, 4, 8, 1, 2], 2) == [4, 8]
    assert followers([5, 6, 7, 8, 1, 5, 6, 7, 8], 3) == [1, 5, 6]
    assert followers([1, 2, 3], 3) == [] and followers([], 3) == []


class Adversary:
    """Always guesses the same token: right now and then, and never because of the noise."""

    count = 2

    def guess(self, requests):
        return {request.id: [3, 3] for request in requests}

    def forget(self, request):
        pass


@pytest.mark.parametrize("speculator", [Adversary, lambda: NgramSpeculator(2)])
def test_the_distribution_of_an_answer_is_the_same_with_guesses(speculator):
    """200 seeds each, other seeds on the two sides: the tokens of the second and third place are compared."""

    def tokens(guesses, first_seed):
        engine = Engine(*model(), small(blocks=200, most_running=40, token_budget=400), guesses)
        asked = [
            Request(str(n), [3, 3, 4, 3, 3], Sampling(0.7, top_k=5, max_tokens=3, seed=first_seed + n))
            for n in range(200)
        ]
        finish_all(engine, asked)
        return Counter(token for request in asked for token in request.answer[1:])

    plain, guessed = tokens(None, 0), tokens(speculator(), 1000)
    common = [token for token in plain | guessed if plain[token] + guessed[token] >= 16]
    rows = [
        [side[token] for token in common] + [sum(side.values()) - sum(side[t] for t in common)]
        for side in (plain, guessed)
    ]
    assert len(common) >= 3
    counts = numpy.array(rows) + 1
    wanted = counts.sum(1, keepdims=True) * counts.sum(0) / counts.sum()
    assert chdtrc(len(common), ((counts - wanted) ** 2 / wanted).sum()) > 1e-4
