"""Texts of a wanted number of tokens, without a tokenizer and without a download.

Words come from a list of common ones. How many tokens a word is, the server's usage of a few requests says. Every text
begins with a salt, so no server finds it in its prefix cache; only text that the workload declares as shared has the
salt of its group.
"""

import hashlib
import random
from collections.abc import Sequence

# Common words of one token in most vocabularies; the order is drawn per test.
TEXT = (
    "time year people way day man thing woman life child world school state family student group country problem hand "
    "part place case week company system program question work government number night point home water room mother "
    "area money story fact month lot right study book eye job word business issue side kind head house service friend "
    "father power hour game line end member law car city community name president team minute idea body information "
    "back parent face others level office door health person art war history party result change morning reason "
    "research girl guy moment air teacher force education foot boy age policy music market sense nation plan college "
    "interest death experience effect use class control field pressure role order paper space ground form event "
    "support film region value model town model road player rate answer picture source action season society tax "
    "player record energy period course summer ability amount board figure subject center plant radio garden letter"
)
WORDS = sorted(set(TEXT.split()))
POOL = 1 << 16  # words
TOKENS_PER_WORD = 1.0  # until the server's usage says better
SALT_LENGTH = 12  # characters: 60 bits


def _even(ones: Sequence[str], others: Sequence[str]) -> list[str]:
    """One word of each pair, so that every stretch has about as many characters per word as any other: some servers
    have a token per character, and the few texts that tell how many tokens a word is must be like all others."""
    mean = sum(map(len, WORDS)) / len(WORDS)
    found, beyond = [], 0.0  # characters so far, beyond what as many mean words have
    for one, other in zip(ones, others, strict=True):
        with_one, with_other = beyond + len(one) - mean, beyond + len(other) - mean
        first = abs(with_one) <= abs(with_other)
        beyond = with_one if first else with_other
        found.append(one if first else other)
    return found


class Texts:
    """Texts of one test: `salt` makes them different from those of every other test."""

    def __init__(self, salt: str, tokens_per_word: float = TOKENS_PER_WORD):
        self.salt = salt
        self.tokens_per_word = tokens_per_word
        draw = random.Random(f"words {salt}")
        words = _even(draw.choices(WORDS, k=POOL), draw.choices(WORDS, k=POOL))
        self.text = " ".join(words)
        self.starts = [0]
        for word in words:
            self.starts.append(self.starts[-1] + len(word) + 1)

    def unique(self, name: str, tokens: float) -> str:
        """A text that no other name has the beginning of."""
        digest = hashlib.blake2b(f"{self.salt} {name}".encode(), digest_size=16).hexdigest()
        return f"{digest[:SALT_LENGTH]} {self.words(int(digest[SALT_LENGTH:], 16), tokens - self.tokens_per_word)}"

    def words(self, place: int, tokens: float) -> str:
        count = max(1, round(tokens / self.tokens_per_word))
        first, parts = place % POOL, []
        while count > 0:
            step = min(count, POOL - first)
            parts.append(self.text[self.starts[first] : self.starts[first + step] - 1])
            count, first = count - step, 0
        return " ".join(parts)
