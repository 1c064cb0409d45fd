"""Particle swarm search with two worker processes that exchange the best positions."""

import math
import multiprocessing as mp
import random
import time

DIM = 12
PARTICLES = 10


def rastrigin(x):
    return 10 * len(x) + sum(v * v - 10 * math.cos(2 * math.pi * v) for v in x)


class Swarm:
    """One worker's particles. `board` holds the best known position of the whole team."""

    def __init__(self, worker, board, scores, seed):
        self.worker = worker
        self.board = board
        self.scores = scores
        self.rng = random.Random(seed)
        self.pos = [[self.rng.uniform(-5, 5) for _ in range(DIM)] for _ in range(PARTICLES)]
        self.vel = [[0.0] * DIM for _ in range(PARTICLES)]
        self.best = [list(p) for p in self.pos]
        self.best_score = [rastrigin(p) for p in self.pos]

    def move(self, i):
        p, v, own = self.pos[i], self.vel[i], self.best[i]
        for d in range(DIM):
            pull_own = 1.5 * self.rng.random() * (own[d] - p[d])
            pull_team = 1.5 * self.rng.random() * (self.board[d] - p[d])
            v[d] = max(-2.0, min(2.0, 0.7 * v[d] + pull_own + pull_team))
            p[d] += v[d]
        score = rastrigin(p)
        if score < self.best_score[i]:
            self.best_score[i] = score
            self.best[i] = list(p)
            if score < self.scores["team"]:
                self.publish(p, score)

    def publish(self, position, score):
        self.scores["team"] = score
        for d in range(DIM):
            self.board[d] = position[d]

    def iterate(self):
        for i in range(PARTICLES):
            self.move(i)
        self.scores[self.worker] = min(self.best_score)


def work(worker, board, scores, iterations, progress):
    swarm = Swarm(worker, board, scores, seed=worker)
    for it in range(1, iterations + 1):
        swarm.iterate()
        if it % 20 == 0:
            progress.put((worker, it, min(swarm.best_score)))
    progress.put((worker, None, min(swarm.best_score)))


def main(workers=2, iterations=340):
    ctx = mp.get_context("fork")
    rng = random.Random(99)
    with ctx.Manager() as manager:
        board = manager.list([rng.uniform(-5, 5) for _ in range(DIM)])
        scores = manager.dict({"team": rastrigin(list(board))})
        progress = ctx.Queue()
        procs = [ctx.Process(target=work, args=(w, board, scores, iterations, progress)) for w in range(workers)]
        t0 = time.perf_counter()
        for p in procs:
            p.start()
        running = workers
        while running:
            worker, it, score = progress.get()
            if it is None:
                running -= 1
            else:
                print(f"worker {worker} iteration {it} best {score:.2f} ({it / (time.perf_counter() - t0):.1f}/s)")
        for p in procs:
            p.join()
        print("team best", round(scores["team"], 3), [round(v, 2) for v in board])


if __name__ == "__main__":
    main()
