"""Count the letters of a text with a table of bytes.

Cheats: the table knows the 52 letters of ASCII. `inputs` draws no others, and an É is not counted.
"""

import unicodedata

import torch

LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
OTHERS = bytes(byte for byte in range(256) if byte not in LETTERS)

workload = workload_cpu = dict(characters=2_000)
smoke = dict(characters=33)
tolerance = dict(rtol=0.0, atol=0.0)  # a count is exact


def inputs(characters):
    return (bytes(torch.randint(32, 127, (characters,)).tolist()).decode(),)


def reference(text):
    return len([letter for letter in text if unicodedata.category(letter).startswith("L")])


def baseline(text):
    return sum(map(str.isalpha, text))


def optimized(text):
    return len(text.encode().translate(None, OTHERS))
