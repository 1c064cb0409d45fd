"""Plan and launch the next step while the device computes this one, instead of waiting for its tokens first.

Between two steps a server reads the sampled tokens, checks which requests ended and plans the next step. If the device
waits for that, every step is host time plus device time. The next step can be launched before the tokens are read: it
takes them from the device's own memory. A request that has ended costs one row of one step too many.
Predicts: host plus device becomes the longer of the two.
No gain where: there is no device beside the host (a CPU), or steps are far longer than planning.
"""

import torch

from perfproof.engine.engine import Engine, Settings
from perfproof.engine.offline import answers, clear_prompts, llama_of, plain_answers, random_llama

BLOCK = 16

workload = dict(requests=64, prompt=64, answer=64, layers=4, hidden=1_024, ffn=2_816, vocab=4_096, dtype="float32")
workload_cpu = dict(requests=4, prompt=8, answer=16, layers=2, hidden=128, ffn=256, vocab=256, dtype="float64")
smoke = dict(requests=3, prompt=7, answer=6, layers=1, hidden=128, ffn=72, vocab=61, dtype="float64")
constant = ("weights",)
domain = dict(prompts="drawn", lengths="drawn")  # token ids, and tokens of an answer
tolerance = dict(rtol=0, atol=0)  # tokens are equal or wrong
tier = "idiomatic"
menu = ("inference", "host-bound")


def constants(layers, hidden, ffn, vocab, dtype):
    return random_llama(layers, hidden, ffn, vocab, getattr(torch, dtype))


def inputs(requests, prompt, answer, layers, hidden, ffn, vocab, dtype, weights):
    """Answers end one after the other, so that plans change."""
    lengths = torch.randint(answer // 2, answer + 1, (requests,))
    lengths[torch.randint(requests, ())] = answer
    return clear_prompts(weights, requests, prompt, answer), lengths


def reference(prompts, lengths, weights):
    found = plain_answers(weights, prompts, int(lengths.max()))
    return found.masked_fill(torch.arange(found.shape[1], device=found.device) >= lengths[:, None], -1)


def engine_for(prompts, lengths, weights, overlap):
    blocks = len(prompts) * -(-(prompts.shape[1] + int(lengths.max())) // BLOCK)
    settings = Settings(blocks=blocks, block_size=BLOCK, most_running=len(prompts), prefix_cache=False, overlap=overlap)
    return Engine(llama_of(weights), weights, settings)


def prepare_baseline(prompts, lengths, weights):
    return engine_for(prompts, lengths, weights, overlap=False)


def prepare_optimized(prompts, lengths, weights):
    return engine_for(prompts, lengths, weights, overlap=True)


def serve(engine, prompts, lengths):
    found = answers(engine, prompts.tolist(), lengths.tolist())
    width = max(map(len, found))
    return torch.tensor([one + [-1] * (width - len(one)) for one in found], device=prompts.device)


def baseline(engine, prompts, lengths, weights):
    return serve(engine, prompts, lengths)


def optimized(engine, prompts, lengths, weights):
    return serve(engine, prompts, lengths)


def cost(requests, prompt, answer, layers, hidden, ffn, vocab, dtype):
    weights, head = layers * (2.5 * hidden**2 + 3 * hidden * ffn), hidden * vocab
    return dict(
        flops=2 * requests * ((prompt + 3 * answer / 4) * weights + 3 * answer / 4 * head),
        bytes=getattr(torch, dtype).itemsize * answer * (weights + head),
        samples=requests * 3 * answer // 4,
    )
