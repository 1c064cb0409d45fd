"""A notebook cell: count words with Counter instead of a dict, on given values."""

import perfproof
from collections import Counter, defaultdict

text = "to be or not to be that is the question " * 200
words = text.split()


def by_hand(ws):
    d = defaultdict(int)
    for w in ws:
        d[w] += 1
    return dict(d)


def counter(ws):
    return dict(Counter(ws))


answer = perfproof.compare(by_hand, counter, (words,), effort="quick")
print(answer)
print(answer.status)
