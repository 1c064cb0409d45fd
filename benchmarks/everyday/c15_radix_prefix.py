"""Find how much of a prompt is cached already with a radix tree, not by comparing it with every earlier prompt.

A server that keeps the keys and values of earlier prompts wants, for each new one, the longest prefix that it shares
with any before it. Pair by pair that is a comparison with each earlier prompt; the tree walks one path, as long as
the prompt.
"""

import random

workload = workload_cpu = dict(prompts=128, tokens=100)
smoke = dict(prompts=9, tokens=13)
tolerance = dict(rtol=0.0, atol=0.0)  # counts of tokens
tier = "naive"


def inputs(prompts, tokens):
    systems = [[random.randrange(32_000) for _ in range(tokens)] for _ in range(4)]
    starts = [random.choice(systems)[: random.randint(0, tokens)] for _ in range(prompts)]
    return ([start + [random.randrange(32_000) for _ in range(random.randint(1, tokens))] for start in starts],)


def reference(prompts):
    seen, shared = set(), []
    for prompt in prompts:
        prefixes = [tuple(prompt[:length]) for length in range(1, len(prompt) + 1)]
        shared.append(sum(prefix in seen for prefix in prefixes))
        seen.update(prefixes)
    return shared


def common(left, right):
    for length, (a, b) in enumerate(zip(left, right, strict=False)):
        if a != b:
            return length
    return min(len(left), len(right))


def baseline(prompts):
    return [max((common(prompt, old) for old in prompts[:at]), default=0) for at, prompt in enumerate(prompts)]


def insert(node, prompt):
    at = 0
    while at < len(prompt):
        first = prompt[at]
        if first not in node:
            node[first] = (prompt[at:], {})
            return at
        edge, child = node[first]
        length = common(edge, prompt[at:])
        at += length
        if length < len(edge):  # the prompt leaves, or ends, in the middle of this edge: cut it there
            middle = {edge[length]: (edge[length:], child)}
            node[first] = (edge[:length], middle)
            if at < len(prompt):
                middle[prompt[at]] = (prompt[at:], {})
            return at
        node = child
    return at


def optimized(prompts):
    root = {}
    return [insert(root, prompt) for prompt in prompts]


def cost(prompts, tokens):
    pairs = prompts * (prompts - 1) // 2
    length = prompts * tokens
    return dict(flops=length, bytes=8 * length, baseline_flops=pairs * tokens // 8, optimized_flops=length)
