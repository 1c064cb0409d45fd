"""Cut a long prompt into chunks, so that requests that are decoding get their next token without waiting for all of it.

A step that holds a whole prompt takes as long as the prompt, and every request that decodes waits for it: this is the
tail of the time between tokens. With a small token budget each step has a chunk of the prompt beside the decoding rows.
A call ends when the decoding requests have four tokens more. The prompt's own first token comes later than
without chunks, and the work in all is not less.
Predicts: the wait falls from the whole prompt to four chunks.
No gain where: prompts are shorter than a chunk. Chunks that are too small make the prompt slow.
"""

import torch

from perfproof.engine.engine import Engine, Settings
from perfproof.engine.offline import clear_prompts, greedy_requests, llama_of, plain_answers, random_llama

BLOCK, START, TOKENS = 16, 8, 4  # tokens of a short prompt, and tokens that the call waits for

workload = dict(decoding=8, prompt=4_096, chunk=256, layers=4, hidden=1_024, ffn=2_816, vocab=4_096, dtype="float32")
workload_cpu = dict(decoding=4, prompt=512, chunk=32, layers=2, hidden=128, ffn=256, vocab=256, dtype="float64")
smoke = dict(decoding=2, prompt=75, chunk=9, layers=1, hidden=128, ffn=72, vocab=61, dtype="float64")
constant = ("weights", "prompt", "chunk")
domain = dict(starts="drawn")  # token ids
tolerance = dict(rtol=0, atol=0)  # tokens are equal or wrong
tier = "idiomatic"
menu = ("inference", "latency")


def constants(layers, hidden, ffn, vocab, dtype, prompt, chunk):
    return random_llama(layers, hidden, ffn, vocab, getattr(torch, dtype)), prompt, chunk


def inputs(decoding, prompt, chunk, layers, hidden, ffn, vocab, dtype, weights):
    """The short prompts. The long one repeats them, as its tokens change none of the answers that are waited for."""
    return clear_prompts(weights, decoding, START, TOKENS + 1)


def reference(starts, weights, prompt, chunk):
    """The tokens, and that the long prompt had its turn in each of the steps."""
    return plain_answers(weights, starts, TOKENS + 1), True


def engine_for(starts, weights, prompt, chunk):
    blocks = -(-(prompt + 1) // BLOCK) + len(starts) * -(-(START + TOKENS + 4) // BLOCK)
    return Engine(
        llama_of(weights),
        weights,
        Settings(
            blocks=blocks,
            block_size=BLOCK,
            most_running=len(starts) + 1,
            token_budget=chunk + len(starts) * START,
            longest=max(prompt, START + TOKENS) + 4,
            prefix_cache=False,
        ),
    )


def prepare_baseline(starts, weights, prompt, chunk):
    return engine_for(starts, weights, prompt, prompt)


def prepare_optimized(starts, weights, prompt, chunk):
    return engine_for(starts, weights, prompt, chunk)


def tokens_while_a_prompt_arrives(engine, starts, prompt, chunk):
    texts = starts.tolist()
    long = (starts.flatten().tolist() * prompt)[:prompt]
    *decoding, arriving = greedy_requests([*texts, long], [TOKENS + 3] * len(texts) + [1])
    for request in decoding:
        engine.add(request)
    while any(not request.answer for request in decoding):
        engine.step()
    engine.add(arriving)
    computed = [0]
    while any(len(request.answer) <= TOKENS for request in decoding):
        engine.step()
        computed.append(len(long) if arriving.finish else arriving.computed)
    for request in (*decoding, arriving):
        engine.cancel(request)
    engine.step()  # reads the step that is under way
    found = torch.tensor([request.answer[: TOKENS + 1] for request in decoding], device=starts.device)
    return found, computed[-1] >= min(len(long), (TOKENS - 1) * chunk)


def baseline(engine, starts, weights, prompt, chunk):
    return tokens_while_a_prompt_arrives(engine, starts, prompt, chunk)


def optimized(engine, starts, weights, prompt, chunk):
    return tokens_while_a_prompt_arrives(engine, starts, prompt, chunk)


def cost(decoding, prompt, chunk, layers, hidden, ffn, vocab, dtype):
    weights, width = layers * (2.5 * hidden**2 + 3 * hidden * ffn), layers * hidden

    def flops(tokens):
        """Operations for the first `tokens` of the prompt. On average a token attends to half of them."""
        return 2 * tokens * weights + 2 * tokens**2 * width

    rows = 2 * weights * decoding * (START + TOKENS)
    return dict(
        baseline_flops=rows + flops(prompt),
        optimized_flops=rows + flops(min(prompt, (TOKENS + 1) * chunk)),
        bytes=getattr(torch, dtype).itemsize * (TOKENS + 2) * (weights + hidden * vocab),
    )
