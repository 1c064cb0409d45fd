import copy
import random

random.seed(3)


class Board:
    def __init__(self, size=12):
        self.cells = [[0] * size for _ in range(size)]
        self.history, self.turn = [], 1

    def moves(self):
        return [(r, c) for r, row in enumerate(self.cells) for c, cell in enumerate(row) if not cell]

    def play(self, move):
        self.cells[move[0]][move[1]] = self.turn
        self.history.append({"move": move, "by": self.turn})
        self.turn = -self.turn

    def score(self):
        return sum(sum(row) * (n % 3 - 1) for n, row in enumerate(self.cells))


def best_move(board):
    values = {}
    for move in random.sample(board.moves(), 12):
        trial = copy.deepcopy(board)
        trial.play(move)
        for _ in range(3):
            reply = copy.deepcopy(trial)
            reply.play(random.choice(reply.moves()))
            values[move] = values.get(move, 0) + reply.score()
    return max(values, key=values.get)


def self_play(games):
    total = 0
    for _ in range(games):
        board = Board()
        for _ in range(60):
            board.play(best_move(board))
        total += board.score()
    return total


print(self_play(7))
