import random

ALPHABET = "abcdefghijklmnopqrstuvwxyzäöüßéèñ "


def inputs():
    text = [random.choice(ALPHABET) for _ in range(220)]
    typed = list(text)
    for _ in range(12):
        place = random.randrange(len(typed))
        kind = random.random()
        if kind < 0.4:
            typed[place] = random.choice(ALPHABET)
        elif kind < 0.7:
            del typed[place]
        else:
            typed.insert(place, random.choice(ALPHABET))
    return "".join(text), "".join(typed)


def baseline(a, b):
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a) + 1):
        table[i][0] = i
    for j in range(len(b) + 1):
        table[0][j] = j
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            table[i][j] = min(table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + cost)
    return table[len(a)][len(b)]


def optimized(a, b):
    previous = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        left = i
        row = [i]
        diagonal = previous[0]
        for y, above in zip(b, previous[1:]):
            if x == y:
                left = diagonal
            else:
                left = 1 + (left if left < above and left < diagonal else above if above < diagonal else diagonal)
            row.append(left)
            diagonal = above
        previous = row
    return previous[-1]
