"""Give a finished request's place to the next one at once, instead of waiting until the whole batch has ended.

Answers have very different lengths. A batch that is formed once runs until its longest answer ends, and every place
that ended earlier is empty until then. An engine that plans each step anew fills a place in the next step.
Predicts: steps fall from the sum of each batch's longest answer to about all tokens over the places.
No gain where: all answers have the same length, or there are fewer requests than places.
"""

import torch

from perfproof.engine.engine import Engine, Settings
from perfproof.engine.offline import answers, clear_prompts, llama_of, plain_answers, random_llama

BLOCK = 16

workload = dict(
    requests=64, places=8, prompt=32, answer=128, layers=4, hidden=1_024, ffn=2_816, vocab=4_096, dtype="float32"
)
workload_cpu = dict(
    requests=12, places=4, prompt=8, answer=16, layers=1, hidden=128, ffn=256, vocab=256, dtype="float64"
)
smoke = dict(requests=7, places=3, prompt=5, answer=9, layers=1, hidden=128, ffn=72, vocab=61, dtype="float64")
constant = ("weights", "places")
domain = dict(prompts="drawn", lengths="drawn")  # token ids, and tokens of an answer
tolerance = dict(rtol=0, atol=0)  # tokens are equal or wrong
tier = "idiomatic"
menu = ("inference", "low-occupancy")


def constants(layers, hidden, ffn, vocab, dtype, places):
    return random_llama(layers, hidden, ffn, vocab, getattr(torch, dtype)), places


def inputs(requests, places, prompt, answer, layers, hidden, ffn, vocab, dtype, weights):
    """Most answers are short and a few are long, as those of a chat are; one has the full length."""
    lengths = (answer * torch.rand(requests) ** 3).long().clamp_min(1)
    lengths[torch.randint(requests, ())] = answer
    return clear_prompts(weights, requests, prompt, answer), lengths


def reference(prompts, lengths, weights, places):
    found = plain_answers(weights, prompts, int(lengths.max()))
    later = torch.arange(found.shape[1], device=found.device) >= lengths[:, None]
    return found.masked_fill(later, -1)


def engine_for(prompts, lengths, weights, places):
    blocks = places * -(-(prompts.shape[1] + int(lengths.max())) // BLOCK)
    settings = Settings(blocks=blocks, block_size=BLOCK, most_running=places, prefix_cache=False)
    return Engine(llama_of(weights), weights, settings)


def prepare_baseline(prompts, lengths, weights, places):
    return engine_for(prompts, lengths, weights, places)


def prepare_optimized(prompts, lengths, weights, places):
    return engine_for(prompts, lengths, weights, places)


def padded(found, like):
    width = max(map(len, found))
    return torch.tensor([one + [-1] * (width - len(one)) for one in found], device=like.device)


def baseline(engine, prompts, lengths, weights, places):
    found, texts, counts = [], prompts.tolist(), lengths.tolist()
    for first in range(0, len(texts), places):
        found += answers(engine, texts[first : first + places], counts[first : first + places])
    return padded(found, prompts)


def optimized(engine, prompts, lengths, weights, places):
    return padded(answers(engine, prompts.tolist(), lengths.tolist()), prompts)


def cost(requests, places, prompt, answer, layers, hidden, ffn, vocab, dtype):
    """Expected steps. A length is answer x u**3 with u uniform, and one request has the full length."""
    mean = answer / 4
    longest = answer * places / (places + 3)  # the expected largest of `places` such lengths
    batches = requests / places
    weights = getattr(torch, dtype).itemsize * (layers * (2.5 * hidden**2 + 3 * hidden * ffn) + hidden * vocab)
    last = max(answer, requests * mean / places)  # no schedule ends before the longest answer
    return dict(
        baseline_bytes=weights * ((batches - 1) * longest + answer),
        optimized_bytes=weights * last,
        samples=requests * mean,
    )
