"""Transform texts with a fitted sklearn pipeline, batch against one by one, from a script."""

import random
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
import perfproof

random.seed(0)
vocab = [f"w{i}" for i in range(300)]
docs = [" ".join(random.choices(vocab, k=40)) for _ in range(200)]
vec = TfidfVectorizer().fit(docs)


def singly(texts):
    return np.vstack([vec.transform([t]).toarray() for t in texts])


def batch(texts):
    return vec.transform(texts).toarray()


answer = perfproof.compare(
    singly, batch, lambda: [" ".join(random.choices(vocab, k=40)) for _ in range(30)], effort="quick"
)
print(answer)
print(answer.status)
