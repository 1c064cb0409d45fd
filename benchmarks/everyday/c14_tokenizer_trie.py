"""Find the longest token at each place by walking a trie, not by trying every length in a dictionary.

The dictionary way cuts and hashes a slice for every length from the longest token down, mostly in vain: the
vocabulary has tokens of up to 16 letters, and most matches are short. The trie reads each letter once and stops where
no token goes on. Both tables are built once, outside of the call.
"""

import random

LETTERS = "abcdefghijklmnopqrstuvwxyz"

workload = workload_cpu = dict(letters=8_000, tokens=2_000)
smoke = dict(letters=90, tokens=50)
constant = ["vocabulary"]
domain = dict(text="drawn")  # every letter of the text must be a token, or there is no tokenisation
tolerance = dict(rtol=0.0, atol=0.0)  # token ids
tier = "idiomatic"


def inputs(letters, tokens):
    words = {"".join(random.choices(LETTERS, k=random.randint(2, 16))) for _ in range(tokens)}
    vocabulary = list(LETTERS) + sorted(words)
    text = ""
    while len(text) < letters:
        text += random.choice(vocabulary)[: random.randint(1, 6)]
    return text[:letters], vocabulary


def reference(text, vocabulary):
    ids, at = [], 0
    while at < len(text):
        token = max((word for word in vocabulary if text.startswith(word, at)), key=len)
        ids.append(vocabulary.index(token))
        at += len(token)
    return ids


def prepare_baseline(text, vocabulary):
    return {word: number for number, word in enumerate(vocabulary)}, max(map(len, vocabulary))


def baseline(table, text, vocabulary):
    known, longest = table
    ids, at = [], 0
    while at < len(text):
        for length in range(min(longest, len(text) - at), 0, -1):
            number = known.get(text[at : at + length])
            if number is not None:
                break
        ids.append(number)
        at += length
    return ids


def prepare_optimized(text, vocabulary):
    root = {}
    for number, word in enumerate(vocabulary):
        node = root
        for letter in word:
            node = node.setdefault(letter, {})
        node[""] = number
    return root


def optimized(root, text, vocabulary):
    ids, at, size = [], 0, len(text)
    while at < size:
        node, place = root, at
        while place < size and (node := node.get(text[place])) is not None:
            place += 1
            if "" in node:
                number, end = node[""], place
        ids.append(number)
        at = end
    return ids


def cost(letters, tokens):
    return dict(flops=2 * letters, bytes=letters, baseline_flops=7 * letters, optimized_flops=2 * letters)
