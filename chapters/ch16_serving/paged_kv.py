"""Give a request blocks of the key-value cache as it grows, instead of reserving its longest possible length.

Nobody knows how long a text becomes, so a contiguous cache reserves the longest allowed length per request, and most of
that stays empty. With blocks of 16 tokens, less than one block per request stays empty. Both sides are the same
engine: a block as long as the longest text is such a reservation.
Predicts: memory falls from requests x longest to the tokens that are there.
No gain where: all texts have the full length. The table of blocks costs a little time on every step.
"""

import torch

from perfproof.engine.engine import Engine, Settings
from perfproof.engine.offline import answers, clear_prompts, llama_of, plain_answers, random_llama

PAGE, ANSWER, BUDGET = 16, 4, 128

workload = dict(requests=16, longest=4_096, layers=4, hidden=1_024, ffn=1_024, vocab=1_024, dtype="float32")
workload_cpu = dict(requests=8, longest=512, layers=4, hidden=256, ffn=128, vocab=128, dtype="float64")
smoke = dict(requests=3, longest=64, layers=1, hidden=128, ffn=72, vocab=61, dtype="float64")
constant = ("weights", "longest")
domain = dict(prompts="drawn", lengths="drawn")  # token ids, and how many of them are there
claim = "memory"
tolerance = dict(rtol=0, atol=0)  # tokens are equal or wrong
tier = "idiomatic"
menu = ("inference", "out-of-memory")


def constants(layers, hidden, ffn, vocab, dtype, longest):
    return random_llama(layers, hidden, ffn, vocab, getattr(torch, dtype)), longest


def inputs(requests, longest, layers, hidden, ffn, vocab, dtype, weights):
    """Most texts are far shorter than the longest that is allowed: a sixth of it on average."""
    lengths = (longest / 3 * torch.rand(requests)).long().clamp_min(1)
    prompts = torch.zeros(requests, longest, dtype=torch.int64)
    for row, length in enumerate(lengths.tolist()):
        prompts[row, :length] = clear_prompts(weights, 1, length, ANSWER)[0]
    return prompts, lengths


def reference(prompts, lengths, weights, longest):
    texts = zip(prompts, lengths.tolist(), strict=True)
    return torch.cat([plain_answers(weights, text[None, :length], ANSWER) for text, length in texts])


def serve(prompts, lengths, weights, longest, block_size):
    """The engine is made within the call, because its cache is what is measured."""
    texts = [text[:length] for text, length in zip(prompts.tolist(), lengths.tolist(), strict=True)]
    settings = Settings(
        blocks=sum(-(-(len(text) + ANSWER) // block_size) for text in texts),
        block_size=block_size,
        most_running=len(texts),
        longest=longest,
        token_budget=BUDGET,
        prefix_cache=False,
        graphs=False,
    )
    engine = Engine(llama_of(weights), weights, settings)
    return torch.tensor(answers(engine, texts, [ANSWER] * len(texts)), device=prompts.device)


def baseline(prompts, lengths, weights, longest):
    return serve(prompts, lengths, weights, longest, block_size=longest)


def optimized(prompts, lengths, weights, longest):
    return serve(prompts, lengths, weights, longest, block_size=PAGE)


def cost(requests, longest, layers, hidden, ffn, vocab, dtype):
    """Tokens of the cache, with the block for padding. Temporaries are not counted."""
    return dict(predicted_optimized=(requests + 1) * longest / (requests * (longest / 6 + ANSWER + PAGE / 2) + PAGE))
