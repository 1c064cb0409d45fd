import torch

workload = dict(batch=8, vocab=32000)
K = 50
TEMPERATURE = 0.8


def inputs(batch, vocab):
    logits = 3 * torch.randn(batch, vocab)
    generator = torch.Generator().manual_seed(int(torch.randint(2**62, ())))
    return logits, generator


def baseline(logits, generator):
    values, order = torch.sort(logits / TEMPERATURE, dim=-1, descending=True)
    probs = torch.softmax(values[:, :K], dim=-1)
    pick = torch.multinomial(probs, 1, generator=generator)
    return order[:, :K].gather(1, pick).squeeze(1)


def optimized(logits, generator):
    values, order = torch.topk(logits, K, dim=-1)
    probs = torch.softmax(values / TEMPERATURE, dim=-1)
    pick = torch.multinomial(probs, 1, generator=generator)
    return order.gather(1, pick).squeeze(1)
