import numpy as np

VOCAB, WIDTH, NEGATIVES = 60_000, 64, 5
rng = np.random.default_rng(0)
counts = 1.0 / np.arange(1, VOCAB + 1)
noise = counts**0.75
noise /= noise.sum()
inputs = rng.standard_normal((VOCAB, WIDTH), dtype=np.float32) * 0.1
outputs = np.zeros((VOCAB, WIDTH), np.float32)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def train_pair(centre, context, rate=0.05):
    words = np.concatenate(([context], rng.choice(VOCAB, NEGATIVES, p=noise)))
    labels = np.zeros(len(words), np.float32)
    labels[0] = 1
    vector = inputs[centre]
    error = (sigmoid(outputs[words] @ vector) - labels) * rate
    inputs[centre] -= error @ outputs[words]
    outputs[words] -= np.outer(error, vector)


corpus = rng.integers(0, VOCAB, 12_000)
for position in range(1, len(corpus)):
    train_pair(corpus[position - 1], corpus[position])
print(float(np.abs(outputs).sum()))
