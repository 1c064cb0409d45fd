import re
import random
import perfproof


class Highlighter:
    """Marks the words of a list in a text; keeps its pattern and a count of calls."""

    def __init__(self, words):
        self.words = list(words)
        self.pattern = re.compile("|".join(map(re.escape, words)))
        self.calls = 0

    def one_by_one(self, text):
        self.calls += 1
        out = []
        for token in text.split(" "):
            out.append(f"<{token}>" if token in self.words else token)
        return " ".join(out)

    def with_set(self, text):
        self.calls += 1
        known = self._known()
        return " ".join([f"<{t}>" if t in known else t for t in text.split(" ")])

    def _known(self):
        if not hasattr(self, "_set"):
            self._set = frozenset(self.words)
        return self._set


rng = random.Random(3)
vocabulary = ["".join(rng.choice("abcdefgh") for _ in range(5)) for _ in range(400)]
lighter = Highlighter(vocabulary[:150])


def draw():
    return " ".join(random.choices(vocabulary, k=500))


print(perfproof.compare(lighter.one_by_one, lighter.with_set, draw, effort="quick"))
