"""Let one rank prefill and the other decode, with keys and values sent between them, instead of two that do both.

Two whole engines each decode half of the requests, and stop for every prompt. With roles, one rank computes
prompts one after the other, and the other decodes all requests in one batch of twice the size, which reads the weights
once for all. The decode rank works on the keys and values that were sent: it computes no prompt.
Predicts: half of the prefill plus a decode becomes the longer of all prefill and one decode of a larger batch.
No gain where: prefill and decode take unequal time; then one rank idles, and two whole engines are faster.
"""

import queue
import threading

import torch
import torch.distributed as dist

from perfproof.engine.engine import Engine, Settings
from perfproof.engine.handover import Prefilled, bytes_per_token
from perfproof.engine.offline import answers, clear_prompts, greedy_requests, llama_of, plain_answers, random_llama
from perfproof.engine.prefill_process import prefill_step

BLOCK = 16

workload = dict(requests=8, prompt=512, answer=64, layers=4, hidden=1_024, ffn=2_816, vocab=4_096, dtype="float32")
workload_cpu = dict(requests=4, prompt=64, answer=16, layers=2, hidden=128, ffn=256, vocab=256, dtype="float64")
smoke = dict(requests=2, prompt=13, answer=5, layers=1, hidden=128, ffn=72, vocab=61, dtype="float64")
ranks = 2
constant = ("weights", "answer")
domain = dict(prompts="drawn")  # token ids
tolerance = dict(rtol=0, atol=0)  # tokens are equal or wrong
tier = "idiomatic"
menu = ("inference", "low-occupancy")


def constants(layers, hidden, ffn, vocab, dtype, answer):
    return random_llama(layers, hidden, ffn, vocab, getattr(torch, dtype)), answer


def inputs(requests, prompt, answer, layers, hidden, ffn, vocab, dtype, weights):
    return clear_prompts(weights, requests, prompt, answer)


def reference(prompts, weights, answer):
    return plain_answers(weights, prompts, answer)


def engine_for(prompts, weights, answer, requests, budget):
    blocks = requests * -(-(prompts.shape[1] + answer) // BLOCK)
    settings = Settings(blocks=blocks, block_size=BLOCK, most_running=requests, prefix_cache=False, token_budget=budget)
    return Engine(llama_of(weights), weights, settings)


def prepare_baseline(prompts, weights, answer):
    return engine_for(prompts, weights, answer, len(prompts), budget=2 * prompts.shape[1])


def baseline(engine, prompts, weights, answer):
    return torch.tensor(answers(engine, prompts.tolist(), [answer] * len(prompts)), device=prompts.device)


def prepare_optimized(prompts, weights, answer):
    return engine_for(prompts, weights, answer, ranks * len(prompts), budget=2 * prompts.shape[1])


def optimized(engine, prompts, weights, answer):
    """Rank 0 computes the prompts of both, rank 1 the answers; each rank ends with its own answers."""
    everyone = prompts.new_empty(ranks * len(prompts), prompts.shape[1])
    dist.all_gather_into_tensor(everyone, prompts.contiguous())
    requests = greedy_requests(everyone.tolist(), [answer] * len(everyone))
    found = prompts.new_empty(len(everyone), answer)
    if dist.get_rank() == 0:
        prefill(engine, requests)
    else:
        decode(engine, requests)
        found.copy_(torch.tensor([request.answer for request in requests]))
    dist.broadcast(found, 1)
    return found[dist.get_rank() * len(prompts) :][: len(prompts)].clone()


def prefill(engine, requests):
    """Send keys and values with the first token as soon as a prompt is done, in the order of the requests."""
    on_the_way = []

    def send(prefilled):
        first = torch.tensor([prefilled.first]).view(torch.uint8)
        on_the_way.append(torch.cat([first, prefilled.sent]).to(engine.runner.device))
        on_the_way.append(dist.isend(on_the_way[-1], 1))

    for request in requests:
        engine.add(request)
    while engine.is_busy:
        prefill_step(engine, send)
    for sent in on_the_way[1::2]:
        sent.wait()


def decode(engine, requests):
    """Take over what has come between two steps, and wait only if there is nothing to decode."""
    size = 8 + len(requests[0].prompt) * bytes_per_token(engine.runner.cache)
    rooms = [torch.empty(size, dtype=torch.uint8, device=engine.runner.device) for _ in requests]
    arrived = queue.SimpleQueue()
    receiving = threading.Thread(target=receive, args=(rooms, arrived))
    receiving.start()
    adopted = 0
    while adopted < len(requests) or engine.is_busy:
        while adopted < len(requests) and (not engine.is_busy or not arrived.empty()):
            room = arrived.get()
            first = int(room[:8].clone().view(torch.int64))
            engine.adopt(requests[adopted], Prefilled(requests[adopted].id, first, 0, room[8:]))
            adopted += 1
        engine.step()
    receiving.join()


def receive(rooms, arrived):
    """On a stream of its own on a GPU: kernels of the engine must not queue behind a message that has not come."""
    beside = torch.cuda.Stream() if rooms[0].is_cuda else None
    for room in rooms:
        with torch.cuda.stream(beside):
            dist.recv(room, 0)
        if beside is not None:
            beside.synchronize()
        arrived.put(room)


def cost(requests, prompt, answer, layers, hidden, ffn, vocab, dtype):
    """In passes over the weights: a decode step is one, and a prompt as many as its flops take beside its bytes."""
    flops_per_byte = 20 if dtype == "float32" else 2  # of fp32 on a GPU; of fp64 on a core
    one_prompt = 2 * prompt / getattr(torch, dtype).itemsize / flops_per_byte
    everything = 2 * requests * one_prompt
    return dict(
        predicted_optimized=(everything / 2 + answer) / (max(everything, answer) + min(one_prompt, answer)),
        samples=requests * answer,
    )
