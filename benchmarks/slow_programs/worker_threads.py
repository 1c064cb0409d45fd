import multiprocessing

import torch


def simulate(seed):
    torch.set_num_threads(8)
    torch.manual_seed(seed)
    state = torch.randn(256, 256)
    kernel = torch.randn(256, 256) / 16
    for _ in range(250):
        state = torch.tanh(state @ kernel)
        state = state - state.mean(0)
    return float(state.norm())


def main():
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        print(sum(pool.imap_unordered(simulate, range(8))))


if __name__ == "__main__":
    main()
