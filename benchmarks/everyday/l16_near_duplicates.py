"""Find near-duplicate documents through an inverted index: most pairs share no shingle at all."""

from collections import Counter, defaultdict
from itertools import combinations
import random

workload = dict(documents=150, shingles=40)
smoke = dict(documents=9, shingles=6)
THRESHOLD = 0.4


def inputs(documents, shingles):
    docs = []
    for _ in range(documents):
        if docs and random.random() < 0.2:  # an edited copy of an earlier one
            doc = set(random.choice(docs))
            for x in random.sample(sorted(doc), len(doc) // 5):
                doc.discard(x)
                doc.add(random.getrandbits(20))
        else:
            doc = {random.getrandbits(20) for _ in range(random.randint(shingles // 2, shingles))}
            doc |= {random.randrange(30) for _ in range(2)}  # phrases that many have
        docs.append(doc)
    return docs


def baseline(docs):
    found = []
    for (i, a), (j, b) in combinations(enumerate(docs), 2):
        common = len(a & b)
        if common and common / len(a | b) >= THRESHOLD:
            found.append((i, j, common / len(a | b)))
    return found


def optimized(docs):
    where = defaultdict(list)
    for i, doc in enumerate(docs):
        for shingle in doc:
            where[shingle].append(i)
    common = Counter()
    for ids in where.values():
        common.update(combinations(ids, 2))
    found = []
    for (i, j), n in common.items():
        similarity = n / (len(docs[i]) + len(docs[j]) - n)
        if similarity >= THRESHOLD:
            found.append((i, j, similarity))
    return sorted(found)
