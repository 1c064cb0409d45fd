"""Count BPE pairs incrementally instead of recounting after each merge (a second a call)."""

import random
from collections import Counter
from itertools import pairwise


def inputs():
    return ["".join(random.choices("abcde", k=random.randint(3, 9))) for _ in range(1500)]


def merge(seq, pair):
    out, i = [], 0
    while i < len(seq):
        if i + 1 < len(seq) and (seq[i], seq[i + 1]) == pair:
            out.append(seq[i] + seq[i + 1])
            i += 2
        else:
            out.append(seq[i])
            i += 1
    return out


def top(counts):
    return max(counts.items(), key=lambda kv: (kv[1], kv[0]))[0]


def baseline(words, merges=60):
    seqs = [list(w) for w in words]
    done = []
    for _ in range(merges):
        c = Counter()
        for s in seqs:
            c.update(pairwise(s))
        pair = top(c)
        seqs = [merge(s, pair) for s in seqs]
        done.append(pair)
    return done


def optimized(words, merges=60):
    freq = Counter(words)
    seqs = {w: list(w) for w in freq}
    c = Counter()
    for w, s in seqs.items():
        for p in pairwise(s):
            c[p] += freq[w]
    done = []
    for _ in range(merges):
        pair = top({p: n for p, n in c.items() if n > 0})
        for w, s in seqs.items():
            if pair in pairwise(s):
                for p in pairwise(s):
                    c[p] -= freq[w]
                s = seqs[w] = merge(s, pair)
                for p in pairwise(s):
                    c[p] += freq[w]
        done.append(pair)
    return done
