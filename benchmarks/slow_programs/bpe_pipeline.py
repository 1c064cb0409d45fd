"""Stream documents through a byte-pair tokenizer and pack them into training blocks."""

import random
import re
import time
from collections import Counter
from functools import lru_cache

import numpy as np

WORD_RE = re.compile(r"\w+|[^\w\s]")
SYLLABLES = [a + b + c for a in "bcdfglmnprst" for b in "aeiou" for c in ("", "n", "r", "s")]


def make_lexicon(size, rng):
    words = set()
    while len(words) < size:
        words.add("".join(rng.choice(SYLLABLES) for _ in range(rng.randint(2, 6))))
    return sorted(words)


def document_stream(lexicon, count, words_per_doc, seed):
    rng = random.Random(seed)
    weights = [1.0 / (rank + 3) for rank in range(len(lexicon))]
    for _ in range(count):
        words = rng.choices(lexicon, weights=weights, k=words_per_doc)
        for i in range(11, len(words), 12):
            words[i] = words[i] + "."
        yield " ".join(words)


def learn_merges(words, n_merges):
    splits = {w: list(w) for w in words}
    merges = {}
    while len(merges) < n_merges:
        pairs = Counter()
        for parts in splits.values():
            pairs.update(zip(parts, parts[1:]))
        if not pairs:
            break
        best = pairs.most_common(1)[0][0]
        merges[best] = len(merges)
        for w, parts in splits.items():
            splits[w] = apply_merge(parts, best)
    return merges


def apply_merge(parts, pair):
    out, i = [], 0
    while i < len(parts):
        if i + 1 < len(parts) and parts[i] == pair[0] and parts[i + 1] == pair[1]:
            out.append(parts[i] + parts[i + 1])
            i += 2
        else:
            out.append(parts[i])
            i += 1
    return out


class Tokenizer:
    def __init__(self, merges):
        self.merges = merges
        chars = sorted({c for pair in merges for part in pair for c in part} | set(".?"))
        pieces = chars + ["".join(pair) for pair in merges]
        self.ids = {piece: i for i, piece in enumerate(dict.fromkeys(pieces))}
        self.unk = len(self.ids)
        self.encode_word = lru_cache(maxsize=65536)(self._encode_word)

    def _encode_word(self, word, start):
        parts = list(word)
        while len(parts) > 1:
            ranked = [(self.merges.get(p, 1 << 30), p) for p in zip(parts, parts[1:])]
            rank, pair = min(ranked)
            if rank == 1 << 30:
                break
            parts = apply_merge(parts, pair)
        tokens, pos = [], start
        for part in parts:
            tokens.append((self.ids.get(part, self.unk), pos, pos + len(part)))
            pos += len(part)
        return tokens

    def encode(self, text, base):
        out = []
        for match in WORD_RE.finditer(text):
            out.extend(self.encode_word(match.group(), base + match.start()))
        return out


def tokenize(docs, tokenizer):
    base = 0
    for text in docs:
        yield tokenizer.encode(text, base)
        base += len(text) + 1


def pack(token_lists, block):
    pending_ids, pending_starts = [], []
    for tokens in token_lists:
        pending_ids.extend(t[0] for t in tokens)
        pending_starts.extend(t[1] for t in tokens)
        while len(pending_ids) >= block:
            yield np.array(pending_ids[:block], dtype=np.int32), pending_starts[0]
            del pending_ids[:block], pending_starts[:block]


def main():
    rng = random.Random(4)
    lexicon = make_lexicon(2500, rng)
    merges = learn_merges(rng.sample(lexicon, 400), 220)
    tokenizer = Tokenizer(merges)
    print(f"{len(merges)} merges learned")
    docs = document_stream(lexicon, count=850, words_per_doc=500, seed=9)
    t0 = time.perf_counter()
    histogram = np.zeros(tokenizer.unk + 1, dtype=np.int64)
    blocks = 0
    for ids, first in pack(tokenize(docs, tokenizer), block=1024):
        histogram += np.bincount(ids, minlength=histogram.size)
        blocks += 1
        if blocks % 250 == 0:
            print(f"{blocks} blocks, char {first}, {time.perf_counter() - t0:.1f}s", flush=True)
    print(f"{blocks} blocks, {int(histogram.sum())} tokens, top id {int(histogram.argmax())}")


if __name__ == "__main__":
    main()
