"""Langevin dynamics of many small clusters under a neural interatomic potential."""

import math
import time

import torch
import torch.nn as nn

N_ATOMS = 9
REPLICAS = 40
STEPS = 48
DT = 0.004
FRICTION = 0.5
TEMPERATURE = 0.05


class RadialBasis(nn.Module):
    def __init__(self, n_basis=16, cutoff=5.0):
        super().__init__()
        self.cutoff = cutoff
        self.register_buffer("centers", torch.linspace(0.6, cutoff, n_basis))
        self.gamma = n_basis / cutoff

    def forward(self, dist):
        smooth = 0.5 * (torch.cos(math.pi * dist.clamp(max=self.cutoff) / self.cutoff) + 1)
        shells = torch.exp(-self.gamma * (dist.unsqueeze(-1) - self.centers) ** 2)
        return shells * smooth.unsqueeze(-1)


class Potential(nn.Module):
    """Pair messages summed onto atoms, plus a stiff repulsive core."""

    def __init__(self, width=64):
        super().__init__()
        self.basis = RadialBasis()
        self.embed = nn.Sequential(nn.Linear(16, width), nn.SiLU(), nn.Linear(width, width))
        self.readout = nn.Sequential(nn.Linear(width, width), nn.SiLU(), nn.Linear(width, 1))
        pairs = torch.triu_indices(N_ATOMS, N_ATOMS, offset=1)
        self.register_buffer("first", pairs[0])
        self.register_buffer("second", pairs[1])

    def forward(self, positions):
        delta = positions[:, self.first] - positions[:, self.second]
        dist = (delta.pow(2).sum(-1) + 1e-9).sqrt()
        message = self.embed(self.basis(dist))
        atoms = positions.new_zeros(positions.shape[0], N_ATOMS, message.shape[-1])
        atoms = atoms.index_add(1, self.first, message)
        atoms = atoms.index_add(1, self.second, message)
        core = ((1 - torch.exp(-1.2 * (dist - 1.6))) ** 2 - 1).sum(dim=1)
        return core + self.readout(atoms).sum(dim=(1, 2))


class Ensemble:
    def __init__(self, model, seed):
        self.model = model
        self.gen = torch.Generator().manual_seed(seed)
        grid = torch.cartesian_prod(*[torch.arange(3.0)] * 3)[:N_ATOMS] * 1.6
        self.positions = grid + 0.1 * self._noise(REPLICAS, N_ATOMS, 3)
        self.momenta = math.sqrt(TEMPERATURE) * self._noise(REPLICAS, N_ATOMS, 3)
        self.energies, self.forces = self.evaluate()

    def _noise(self, *shape):
        return torch.randn(*shape, generator=self.gen)

    def evaluate(self):
        positions = self.positions.detach().requires_grad_(True)
        energies = self.model(positions)
        forces = []
        for k in range(REPLICAS):
            (slope,) = torch.autograd.grad(energies[k], positions, retain_graph=True)
            forces.append(-slope[k])
        return energies.detach(), torch.stack(forces)

    def step(self):
        self.momenta = self.momenta + 0.5 * DT * self.forces
        self.positions = self.positions + 0.5 * DT * self.momenta
        keep = math.exp(-FRICTION * DT)
        kick = math.sqrt(TEMPERATURE * (1 - keep * keep))
        self.momenta = keep * self.momenta + kick * self._noise(*self.momenta.shape)
        self.positions = self.positions + 0.5 * DT * self.momenta
        self.energies, self.forces = self.evaluate()
        self.momenta = self.momenta + 0.5 * DT * self.forces

    def temperature(self):
        return self.momenta.pow(2).mean().item()

    def radius_of_gyration(self):
        centred = self.positions - self.positions.mean(dim=1, keepdim=True)
        return centred.pow(2).sum(-1).mean(1).sqrt().mean().item()


def main():
    torch.manual_seed(1)
    model = Potential().requires_grad_(False)
    ensemble = Ensemble(model, seed=5)
    started = time.time()
    for step in range(1, STEPS + 1):
        ensemble.step()
        if step % 8 == 0:
            print(
                f"step {step:4d}  energy {ensemble.energies.mean().item():9.4f}  "
                f"T {ensemble.temperature():.4f}  Rg {ensemble.radius_of_gyration():.4f}  "
                f"{time.time() - started:.1f}s",
                flush=True,
            )
    print("done")


if __name__ == "__main__":
    main()
