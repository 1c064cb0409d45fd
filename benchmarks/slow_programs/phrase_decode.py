"""Beam decoding with a small recurrent language model and repetition rules."""

import copy
import time

import numpy as np

VOCAB, DIM = 4000, 128
BEAMS, EXPAND = 6, 16
MAX_LEN, PROMPTS = 48, 8


class Hypothesis:
    def __init__(self, tokens, state):
        self.tokens = tokens
        self.state = state
        self.score = 0.0
        self.trace = []
        self.bigrams = {}

    def allows(self, token):
        return token not in self.bigrams.get(self.tokens[-1], ())

    def append(self, token, logp):
        self.bigrams.setdefault(self.tokens[-1], []).append(token)
        self.tokens.append(token)
        self.trace.append({"token": token, "logp": logp})
        self.score += logp

    def normalized(self):
        return self.score / len(self.trace) ** 0.8


class TinyGRU:
    def __init__(self, rng):
        s = 1.0 / np.sqrt(DIM)
        self.embed = rng.normal(0, 1, (VOCAB, DIM)).astype(np.float32)
        self.wx = rng.normal(0, s, (DIM, 3 * DIM)).astype(np.float32)
        self.wh = rng.normal(0, s, (DIM, 3 * DIM)).astype(np.float32)
        self.out = rng.normal(0, 2 * s, (DIM, VOCAB)).astype(np.float32)

    def step(self, tokens, states):
        gx = self.embed[tokens] @ self.wx
        gh = states @ self.wh
        z = 1 / (1 + np.exp(-(gx[:, :DIM] + gh[:, :DIM])))
        r = 1 / (1 + np.exp(-(gx[:, DIM : 2 * DIM] + gh[:, DIM : 2 * DIM])))
        n = np.tanh(gx[:, 2 * DIM :] + r * gh[:, 2 * DIM :])
        h = (1 - z) * n + z * states
        logits = h @ self.out
        logits -= logits.max(axis=1, keepdims=True)
        logp = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
        return h, logp


def advance(model, beams):
    states, logp = model.step([b.tokens[-1] for b in beams], np.stack([b.state for b in beams]))
    pool = []
    for i, beam in enumerate(beams):
        top = np.argpartition(logp[i], -EXPAND)[-EXPAND:]
        for token in top.tolist():
            if not beam.allows(token):
                continue
            child = copy.deepcopy(beam)
            child.append(token, float(logp[i, token]))
            child.state = states[i]
            pool.append(child)
    pool.sort(key=Hypothesis.normalized, reverse=True)
    return pool[:BEAMS]


def decode(model, prompt):
    state = np.zeros((1, DIM), np.float32)
    for token in prompt[:-1]:
        state, _ = model.step([token], state)
    beams = [Hypothesis([prompt[-1]], state[0])]
    for _ in range(MAX_LEN):
        beams = advance(model, beams)
    return beams[0]


def main():
    rng = np.random.default_rng(5)
    model = TinyGRU(rng)
    start = time.time()
    for n in range(PROMPTS):
        prompt = rng.integers(0, VOCAB, 8).tolist()
        best = decode(model, prompt)
        print(
            f"prompt {n}: score {best.normalized():.3f} tokens {best.tokens[1:7]} {time.time() - start:.1f}s",
            flush=True,
        )


if __name__ == "__main__":
    main()
