"""Learn the weights of the second reading (perfproof/triage/redaction/second_reading.py) from marked files.

    python benchmarks/train_second_reading.py --held-out desks      learn from the other collections, score this one
    python benchmarks/train_second_reading.py --write               learn from all, and write the weights

It learns from the files in tests/triage/redaction/corpus/whole and from the marked items beside them. Examples without
anything to hide are source code of torch and our pages. The seed is fixed.
A score is of the rules alone, and of the rules with the second reading: items hidden, and lines without a mark that
changed in more than the name of a host or an address.
"""

import argparse
import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from heading import heading

from perfproof.triage.redaction import Redactor, redactor, second_reading
from perfproof.triage.redaction.piece_features import PLACES, cut
from tests.triage.redaction.corpus import marked_items
from tests.triage.redaction.corpus.whole_files import COLLECTIONS, HELD_OUT, Marked, collection, files_in, unmarked

EPOCHS, BATCH, RATE, DROPPED, SMALL = 6, 512, 0.05, 0.25, 3e-6
WEIGHT_OF_MARKED = 2.0
NAMED = re.compile(r"(host|address|uuid|mac|serial)-[0-9a-f]{10}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--held-out", choices=COLLECTIONS, help="score this collection, and learn from the others")
    parser.add_argument(
        "--score", type=Path, default=HELD_OUT, help="marked files to score that nothing is learned from"
    )
    parser.add_argument("--write", action="store_true", help="learn from all collections and write the weights")
    options = parser.parse_args()
    print("\n".join(heading()), flush=True)
    learned_from = [name for name in COLLECTIONS if name != options.held_out]
    files = [one for name in learned_from for one in collection(name)]
    files += list(marked_blocks())
    tagger, doubts = learn_tagger(files + list(unmarked_texts())), learn_doubts(files)
    weights = second_reading.Weights.of(tagger, doubts)
    if options.write:
        weights.save(second_reading.FILE)
        print(f"{second_reading.FILE.name}: {second_reading.FILE.stat().st_size / 1024:.0f} KiB")
    scored = {options.score.stem: files_in(options.score)}
    if options.held_out:
        scored[options.held_out] = collection(options.held_out)
    for name, held in scored.items():
        print(f"{name}: rules alone {score(held, None)}")
        print(f"{name}: both        {score(held, weights)}")


def marked_blocks() -> Iterator[Marked]:
    """The items of the older collections, each a text of its own."""
    for path in sorted(marked_items.FOLDER.glob("*.txt")):
        for item in path.read_text(encoding="utf-8").split("\n%%\n"):
            yield unmarked(marked_items.drawn(item.strip("\n"), f"{path.name}{item[:20]}"))


def unmarked_texts() -> Iterator[Marked]:
    """Forty lines each of 60 files of torch's source, and of our pages."""
    rng = random.Random(1)
    sources = sorted(Path(torch.__file__).parent.rglob("*.py"))
    pages = sorted((Path(__file__).parents[1] / "docs").glob("*.md"))
    for path in [*rng.sample(sources, 60), *pages]:
        lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
        at = rng.randrange(max(1, len(lines) - 40))
        yield Marked("\n".join(lines[at : at + 40]), ())


class Rows(NamedTuple):
    columns: torch.Tensor
    labels: torch.Tensor


def learn_tagger(files: Sequence[Marked]) -> np.ndarray:
    """One weight per place for nothing, a secret and something personal."""
    rows = [tagged_rows(one) for one in files]
    columns = torch.cat([one.columns for one in rows])
    labels = torch.cat([one.labels for one in rows])
    return _learned(columns, labels, torch.tensor([1.0, WEIGHT_OF_MARKED, WEIGHT_OF_MARKED]))


def tagged_rows(file: Marked) -> Rows:
    pieces = cut(file.text)
    label = np.zeros(len(file.text) + 1, dtype=np.int64)
    for start, end, kind in file.marks:
        label[start:end] = second_reading.KINDS.index(kind)
    return Rows(torch.from_numpy(pieces.columns), torch.from_numpy(label[pieces.starts]))


def learn_doubts(files: Sequence[Marked]) -> np.ndarray:
    """One weight per place for a find of the rules that is right, and for one that is not."""
    rows = [(columns, right) for file in files for columns, right in finds(file)]
    columns = torch.from_numpy(np.stack([columns for columns, _ in rows]))
    labels = torch.tensor([0 if right else 1 for _, right in rows])
    return _learned(columns, labels, torch.ones(2), epochs=12)


def finds(file: Marked) -> Iterator[tuple[np.ndarray, bool]]:
    """Each find of the rules: its columns, and whether it is marked in the file."""
    values = [file.text[start:end] for start, end, _ in file.marks]
    seen = set()
    listening = Listening(b"k" * 32)
    listening.text(file.text)
    for text, start, end, kind in listening.found:
        value = text[start:end]
        if (kind, value) not in seen and kind in second_reading.DOUBTFUL:
            seen.add((kind, value))
            right = any(one in value or value in one for one in values)
            yield second_reading.columns_of_find(text, start, end, kind), right


class Listening(Redactor):
    """Keeps what its rules find, with the text that it was found in."""

    def __init__(self, key: bytes) -> None:
        super().__init__(key)
        self.found: list[tuple[str, int, int, str]] = []

    def _without_secrets(self, text: str) -> str:
        self.found += [(text, one.start, one.end, one.kind) for one in redactor.secrets_in(text)]
        return super()._without_secrets(text)

    def _without_identities(self, text: str) -> str:
        looked_at = redactor.search_long(redactor.masked(text), redactor.find_identities)
        self.found += [(text, one.start, one.end, one.kind) for one in looked_at]
        return super()._without_identities(text)


def _learned(columns: torch.Tensor, labels: torch.Tensor, weight: torch.Tensor, epochs: int = EPOCHS) -> np.ndarray:
    torch.manual_seed(0)
    table = torch.zeros(PLACES, len(weight), requires_grad=True)
    optimizer = torch.optim.Adagrad([table], lr=RATE)
    for epoch in range(epochs):
        total = 0.0
        for chosen in torch.randperm(len(labels)).split(BATCH):
            some = columns[chosen]
            kept = (torch.rand(some.shape) >= DROPPED) & (some > 0)
            scores = torch.nn.functional.embedding_bag(some, table, mode="sum", per_sample_weights=kept / (1 - DROPPED))
            loss = torch.nn.functional.cross_entropy(scores, labels[chosen], weight=weight)
            loss = loss + SMALL * table.square().sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += float(loss.detach()) * len(chosen)
        print(f"pass {epoch + 1} of {epochs}: {total / len(labels):.4f}", flush=True)
    return table.detach().numpy()


def score(files: Sequence[Marked], weights: second_reading.Weights | None) -> str:
    hidden, items, changed, lines = dict(s=0, p=0), dict(s=0, p=0), 0, 0
    for file in files:
        done = Redactor(b"k" * 32, second=second_reading.Reader(weights) if weights else None).text(file.text)
        for kind, value in {(kind, file.text[start:end]) for start, end, kind in file.marks}:
            items[kind] += 1
            hidden[kind] += not is_left(value, done)
        left = {NAMED.sub("", line).strip() for line in done.split("\n")}
        for line in file.lines_without_marks():
            lines += 1
            changed += line.strip() not in left and not only_names_changed(line, done)
    return (
        f"secrets {hidden['s']} of {items['s']}, personal {hidden['p']} of {items['p']}, "
        f"harmless lines changed {changed} of {lines}"
    )


def is_left(value: str, text: str) -> bool:
    """Six tenths of it in one piece; of a short one all, as a word of its own."""
    if len(value) <= 3:
        return bool(re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text))
    size = max(1, -(-6 * len(value) // 10))
    return any(value[at : at + size] in text for at in range(len(value) - size + 1))


def only_names_changed(line: str, done: str) -> bool:
    """Whether the line is there but for hosts and addresses, which are given other names on purpose."""
    for other in done.split("\n"):
        if NAMED.search(other):
            pattern = re.escape(other.strip())
            pattern = re.sub(r"(host|address|uuid|mac|serial)\\-[0-9a-f]{10}", ".+?", pattern)
            if re.fullmatch(pattern, line.strip()):
                return True
    return False


if __name__ == "__main__":
    main()
