"""A tokenizer object with a compiled pattern and a cached property against str.translate."""

import random
import re
import string
from functools import cached_property

import perfproof


class Cleaner:
    def __init__(self, drop):
        self.drop = drop

    @cached_property
    def pattern(self):
        return re.compile("[" + re.escape(self.drop) + "]")

    def __call__(self, text):
        return self.pattern.sub("", text).casefold().split()


class TableCleaner(Cleaner):
    @cached_property
    def table(self):
        return str.maketrans("", "", self.drop)

    def __call__(self, text):
        return text.translate(self.table).casefold().split()


def draw():
    return " ".join("".join(random.choices(string.ascii_letters + ",.;!", k=9)) for _ in range(400))


answer = perfproof.compare(Cleaner(string.punctuation), TableCleaner(string.punctuation), draw, effort="quick")
print(answer)
print(answer.status)
