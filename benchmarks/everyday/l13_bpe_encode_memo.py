"""Byte-pair encoding: encode each distinct word of a text once.

Word frequencies are Zipfian, so a text of a few hundred words has far fewer distinct ones.
"""

import random
from collections import Counter

constant = ("ranks", "vocab")
workload = dict(words=600)
smoke = dict(words=17)

SYLLABLES = "ka to mi re sun der ing est al pro con tra ver ti on ex per for lo gra".split()


def lexicon(size=400):
    return ["".join(random.choices(SYLLABLES, k=random.randint(1, 4))) for _ in range(size)]


def constants():
    """Learn 150 merges from a made-up corpus."""
    counts = Counter({tuple(w): 1000 // (i + 1) + 1 for i, w in enumerate(dict.fromkeys(lexicon()))})
    ranks = {}
    vocab = {c: i for i, c in enumerate("abcdefghijklmnopqrstuvwxyz")}
    for rank in range(150):
        pairs = Counter()
        for word, n in counts.items():
            for pair in zip(word, word[1:]):
                pairs[pair] += n
        if not pairs:
            break
        best = max(pairs, key=lambda p: (pairs[p], p))
        ranks[best] = rank
        vocab.setdefault(best[0] + best[1], len(vocab))
        counts = Counter({tuple(merge(list(word), best)): n for word, n in counts.items()})
    return ranks, vocab


def inputs(words):
    known = lexicon()
    return " ".join(random.choices(known, weights=[1 / (i + 1) for i in range(len(known))], k=words))


def merge(symbols, pair):
    out, i = [], 0
    while i < len(symbols):
        if i + 1 < len(symbols) and (symbols[i], symbols[i + 1]) == pair:
            out.append(symbols[i] + symbols[i + 1])
            i += 2
        else:
            out.append(symbols[i])
            i += 1
    return out


def encode_word(word, ranks, vocab):
    symbols = list(word)
    while len(symbols) > 1:
        best = min(zip(symbols, symbols[1:]), key=lambda p: ranks.get(p, 1 << 30))
        if best not in ranks:
            break
        symbols = merge(symbols, best)
    return [vocab[s] for s in symbols]


def baseline(text, ranks, vocab):
    ids = []
    for word in text.split():
        ids.extend(encode_word(word, ranks, vocab))
    return ids


def optimized(text, ranks, vocab):
    seen = {}
    ids = []
    for word in text.split():
        pieces = seen.get(word)
        if pieces is None:
            pieces = seen[word] = encode_word(word, ranks, vocab)
        ids.extend(pieces)
    return ids
