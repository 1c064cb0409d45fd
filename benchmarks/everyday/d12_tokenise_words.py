"""Words to ids: regex and dict.get against split and a defaultdict-like map."""

import random
import re
import string

random.seed(0)
VOCAB = {"".join(random.choices(string.ascii_lowercase, k=random.randint(2, 8))): i for i in range(2000)}
WORDS = list(VOCAB)
UNK = len(VOCAB)
stats = {"calls": 0, "unknown": 0}
PATTERN = re.compile(r"[a-z]+")


def inputs():
    return " ".join(
        random.choice(WORDS) if random.random() < 0.95 else "ZZZ".lower() * random.randint(1, 5) for _ in range(1500)
    )


def baseline(text):
    out = []
    for word in re.findall("[a-z]+", text):
        if word in VOCAB:
            out.append(VOCAB[word])
        else:
            out.append(UNK)
    stats["calls"] += 1
    return out


def optimized(text):
    get = VOCAB.get
    out = [get(w, UNK) for w in text.split()]
    stats["calls"] += 1
    stats["unknown"] += out.count(UNK)
    return out
