"""Train a byte-pair vocabulary on a synthetic corpus and encode the corpus with it."""

import heapq
import random
import re
import time
from array import array
from collections import Counter, defaultdict

PATTERN = re.compile(r" ?\w+|[^\w\s]+|\s+")


def make_corpus(docs, rng):
    syllables = [c + v for c in "bcdfghjklmnprstvwz" for v in "aeiou"]
    stems = ["".join(rng.choices(syllables, k=rng.randint(1, 4))) for _ in range(9000)]
    weights = [1.0 / (r + 3) for r in range(len(stems))]
    endings = ["", "", "", "s", "ed", "ing", "er", "ly", "ness"]
    for _ in range(docs):
        words = rng.choices(stems, weights, k=rng.randint(200, 400))
        yield " ".join(w + rng.choice(endings) for w in words) + "."


def train_merges(counts, n_merges):
    words = [list(w) for w in counts]
    freqs = list(counts.values())
    pair_counts, where = Counter(), defaultdict(set)
    for wi, word in enumerate(words):
        for pair in zip(word, word[1:]):
            pair_counts[pair] += freqs[wi]
            where[pair].add(wi)
    heap = [(-c, p) for p, c in pair_counts.items()]
    heapq.heapify(heap)
    merges = {}
    while heap and len(merges) < n_merges:
        neg, pair = heapq.heappop(heap)
        current = pair_counts.get(pair, 0)
        if current <= 1:
            continue
        if -neg != current:
            heapq.heappush(heap, (-current, pair))
            continue
        merges[pair] = len(merges)
        touched = set()
        for wi in where.pop(pair):
            word, f = words[wi], freqs[wi]
            for old in zip(word, word[1:]):
                pair_counts[old] -= f
            word = words[wi] = merge_pair(word, pair)
            for new in zip(word, word[1:]):
                pair_counts[new] += f
                where[new].add(wi)
                touched.add(new)
        for p in touched:
            heapq.heappush(heap, (-pair_counts[p], p))
    return merges


def merge_pair(word, pair):
    out, i, n = [], 0, len(word)
    while i < n:
        if i + 1 < n and word[i] == pair[0] and word[i + 1] == pair[1]:
            out.append(word[i] + word[i + 1])
            i += 2
        else:
            out.append(word[i])
            i += 1
    return out


class Encoder:
    def __init__(self, merges, alphabet):
        self.ranks = merges
        symbols = sorted(alphabet) + [a + b for a, b in merges]
        self.ids = {s: i for i, s in enumerate(symbols)}
        self.cache = {}

    def encode_word(self, word):
        parts, ranks = list(word), self.ranks
        while len(parts) > 1:
            best = min(zip(parts, parts[1:]), key=lambda p: ranks.get(p, 1 << 30))
            if best not in ranks:
                break
            parts = merge_pair(parts, best)
        return [self.ids[p] for p in parts]

    def encode(self, text):
        out, cache = array("I"), self.cache
        for word in PATTERN.findall(text):
            ids = cache.get(word)
            if ids is None:
                ids = cache[word] = self.encode_word(word)
            out.extend(ids)
        return out


def main(docs=5200, n_merges=3000):
    rng = random.Random(0)
    start = time.time()
    corpus = list(make_corpus(docs, rng))
    counts = Counter(w for text in corpus for w in PATTERN.findall(text))
    merges = train_merges(counts, n_merges)
    print(f"{len(counts)} words, {len(merges)} merges, {time.time() - start:.1f}s")
    encoder = Encoder(merges, {ch for w in counts for ch in w})
    total = sum(len(encoder.encode(text)) for text in corpus)
    chars = sum(map(len, corpus))
    print(f"{total} tokens, {chars / total:.2f} chars per token, {time.time() - start:.1f}s")


if __name__ == "__main__":
    main()
