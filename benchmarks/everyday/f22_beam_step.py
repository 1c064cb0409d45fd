from dataclasses import dataclass

import torch


@dataclass
class Beam:
    parents: torch.Tensor
    tokens: torch.Tensor
    scores: torch.Tensor


def inputs():
    beams, vocab = 4, 2000
    logprobs = torch.log_softmax(2 * torch.randn(beams, vocab), dim=-1)
    scores = -5 * torch.rand(beams)
    return logprobs, scores


def baseline(logprobs, scores):
    beams, vocab = logprobs.shape
    candidates = []
    for beam, row in enumerate((logprobs + scores[:, None]).tolist()):
        for token, score in enumerate(row):
            candidates.append((score, beam, token))
    candidates.sort(key=lambda c: c[0], reverse=True)
    best = candidates[:beams]
    return Beam(
        parents=torch.tensor([beam for _, beam, _ in best]),
        tokens=torch.tensor([token for _, _, token in best]),
        scores=torch.tensor([score for score, _, _ in best], dtype=logprobs.dtype),
    )


def optimized(logprobs, scores):
    beams, vocab = logprobs.shape
    best, place = torch.topk((logprobs + scores[:, None]).flatten(), beams)
    return Beam(parents=place // vocab, tokens=place % vocab, scores=best)
