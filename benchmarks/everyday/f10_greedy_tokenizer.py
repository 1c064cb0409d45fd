"""Look prefixes up in the vocabulary's dict instead of trying every word of it."""

import random

constant = ("vocab",)
workload = dict(words=400, length=600)
LETTERS = "etaoinshrdlu"


def constants(words):
    pieces = set(LETTERS)
    while len(pieces) < words:
        pieces.add("".join(random.choices(LETTERS, k=random.randint(2, 5))))
    return {piece: number for number, piece in enumerate(sorted(pieces))}


def inputs(words, length, vocab):
    names = list(vocab)
    text = ""
    while len(text) < length:
        text += random.choice(names)
    return text


def baseline(text, vocab):
    ids = []
    place = 0
    while place < len(text):
        best = ""
        for piece in vocab:
            if len(piece) > len(best) and text.startswith(piece, place):
                best = piece
        ids.append(vocab.get(best, -1))
        place += max(len(best), 1)
    return ids


def optimized(text, vocab):
    longest = max(map(len, vocab))
    ids = []
    place = 0
    while place < len(text):
        for size in range(longest, 0, -1):
            number = vocab.get(text[place : place + size])
            if number is not None and place + size <= len(text):
                ids.append(number)
                place += size
                break
        else:
            ids.append(-1)
            place += 1
    return ids
