"""The text of an answer as it grows, up to a stop string."""

from collections.abc import Sequence

from perfproof.engine.request import Request
from perfproof.engine.tokenizer import Detokenizer


class Text:
    """Text that might be the beginning of a stop string is kept back until it is clear."""

    def __init__(self, detokenizer: Detokenizer, stops: Sequence[str]) -> None:
        self.detokenizer, self.stops = detokenizer, stops
        self.held = ""
        self.is_stopped = False

    def take(self, request: Request, token: int, eos: Sequence[int]) -> str:
        """As `add`. A token that ends the answer has no text."""
        ends = request.sampling.stop_ids if request.sampling.ignore_eos else (*eos, *request.sampling.stop_ids)
        return "" if token in ends else self.add(token)

    def add(self, token: int) -> str:
        """What can be shown now; `is_stopped` says that a stop string was found."""
        self.held += self.detokenizer.add(token)
        return self._shown()

    def end(self) -> str:
        """No more tokens come."""
        self.held += self.detokenizer.end()
        shown, self.held = self._shown() + ("" if self.is_stopped else self.held), ""
        return shown

    def _shown(self) -> str:
        """The stop string that is complete first counts, and of two the longer: tokens of any length give one text."""
        found = [(at + len(stop), at) for stop in self.stops if (at := self.held.find(stop)) >= 0]
        if found:
            self.is_stopped = True
            shown, self.held = self.held[: min(found)[1]], ""
            return shown
        keep = max((_overlap(self.held, stop) for stop in self.stops), default=0)
        cut = len(self.held) - keep
        shown, self.held = self.held[:cut], self.held[cut:]
        return shown


def _overlap(text: str, stop: str) -> int:
    """Letters at the end of the text that begin the stop string."""
    return next((size for size in range(min(len(stop) - 1, len(text)), 0, -1) if text.endswith(stop[:size])), 0)
