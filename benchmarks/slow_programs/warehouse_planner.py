"""Plans pallet moves in a small warehouse with best-first search."""

import copy
import heapq
import random
import time

ROWS, COLS = 7, 9
ORDERS = 130
MAX_EXPANSIONS = 260
MOVES = {"N": (-1, 0), "S": (1, 0), "W": (0, -1), "E": (0, 1)}


class Warehouse:
    """Floor plan, pallets and the robot that shifts them."""

    def __init__(self, walls, pallets, targets, robot):
        self.walls = walls
        self.pallets = pallets
        self.targets = targets
        self.robot = robot
        self.battery = 500
        self.journal = []

    def key(self):
        return self.robot, tuple(sorted(self.pallets.values()))

    def occupied(self):
        return {cell: name for name, cell in self.pallets.items()}

    def try_move(self, name):
        d_row, d_col = MOVES[name]
        cell = self.robot[0] + d_row, self.robot[1] + d_col
        if cell in self.walls:
            return False
        pallet = self.occupied().get(cell)
        if pallet is not None:
            beyond = cell[0] + d_row, cell[1] + d_col
            if beyond in self.walls or beyond in self.occupied():
                return False
            self.pallets[pallet] = beyond
            self.battery -= 2
        self.robot = cell
        self.battery -= 1
        self.journal.append(name)
        return self.battery > 0

    def estimate(self):
        total = 0
        for row, col in self.pallets.values():
            total += min(abs(row - r) + abs(col - c) for r, c in self.targets)
        reach = min(abs(self.robot[0] - r) + abs(self.robot[1] - c) for r, c in self.pallets.values())
        return 3 * total + reach

    def solved(self):
        return set(self.pallets.values()) == set(self.targets)


def successors(state):
    for name in MOVES:
        nxt = copy.deepcopy(state)
        if nxt.try_move(name):
            yield nxt


def plan(start, limit=MAX_EXPANSIONS):
    ticket = 0
    frontier = [(start.estimate(), ticket, start)]
    seen = {start.key()}
    best = start
    for _ in range(limit):
        if not frontier:
            break
        _, _, state = heapq.heappop(frontier)
        if state.solved():
            return state, True
        if state.estimate() < best.estimate():
            best = state
        for nxt in successors(state):
            key = nxt.key()
            if key in seen:
                continue
            seen.add(key)
            ticket += 1
            heapq.heappush(frontier, (len(nxt.journal) + nxt.estimate(), ticket, nxt))
    return best, False


def random_order(rng):
    walls = {(r, c) for r in range(ROWS) for c in range(COLS) if r in (0, ROWS - 1) or c in (0, COLS - 1)}
    inner = [(r, c) for r in range(2, ROWS - 2) for c in range(2, COLS - 2)]
    free = [(r, c) for r in range(1, ROWS - 1) for c in range(1, COLS - 1)]
    walls.update(rng.sample([cell for cell in free if cell not in inner], 2))
    cells = rng.sample(inner, 6)
    pallets = {f"P{i}": cell for i, cell in enumerate(cells[:3])}
    robot = rng.choice([cell for cell in free if cell not in walls and cell not in cells])
    return Warehouse(walls, pallets, cells[3:], robot)


def main():
    rng = random.Random(21)
    started = time.time()
    complete = moves = 0
    for number in range(1, ORDERS + 1):
        result, done = plan(random_order(rng))
        complete += done
        moves += len(result.journal)
        if number % 10 == 0:
            print(
                f"order {number:3d}  complete {complete:3d}  moves {moves:5d}  {time.time() - started:.1f}s",
                flush=True,
            )
    print("shift over")


if __name__ == "__main__":
    main()
