"""Read a survey: numbers as numbers, everything else as text."""

import random

random.seed(0)
answers = [[random.choice(["yes", "no", "n/a", "4", "often"]) for _ in range(40)] for _ in range(25_000)]


def convert(field):
    try:
        return int(field)
    except ValueError:
        try:
            return float(field)
        except ValueError:
            return field


def clean(rows):
    for row in rows:
        yield [convert(field) for field in row]


numbers = 0
for row in clean(answers):
    numbers += sum(isinstance(field, int) for field in row)
print(numbers)
