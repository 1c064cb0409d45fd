"""A pair file imported by path, its sides called the way a reader of the file would call them: no harness."""

import importlib.util
import inspect
import random
from pathlib import Path
from types import ModuleType

import torch

CHAPTERS = Path(__file__).parents[2] / "chapters"


class LoadedPair:
    def __init__(self, name: str):
        """`name` is a path under chapters/, without the ending: "ch01_goodput/batched_gemm"."""
        self.path = CHAPTERS / f"{name}.py"
        self.module = self._load()
        self.names = tuple(inspect.signature(self.module.reference).parameters)
        self.sides = ["baseline", *(name for name in vars(self.module) if name.startswith("optimized"))]
        self.constant = getattr(self.module, "constant", ())
        self.mutates = getattr(self.module, "mutates", ())

    def draw(self, sizes: dict, seed: int, device: str = "cpu") -> list:
        torch.manual_seed(seed)
        with torch.device(device):
            return list(self.module.inputs(**sizes))

    def renewed(self, arguments: list, seed: int) -> list:
        """Every tensor that is not constant scaled by a factor of its own, with a few blocks swapped."""
        rng = random.Random(seed)
        fresh = [argument.clone() for argument in arguments]
        for name, argument in zip(self.names, fresh, strict=True):
            if name not in self.constant:
                argument.mul_(rng.uniform(0.8, 1.25))
                _swap_blocks(argument.view(-1), rng)
        return fresh

    def expected(self, arguments: list) -> list:
        """What the reference returns, then what it makes of the arguments that are changed, in float64."""
        private = [
            argument.to(torch.float64, copy=True) if name in self.mutates else argument.clone()
            for name, argument in zip(self.names, arguments, strict=True)
        ]
        return [self.module.reference(*private), *self._mutated(private)]

    def outputs(self, side: str, arguments: list) -> list:
        """What a side returns, then the arguments it changes; it may change no other. The module is a new copy."""
        module, own = self._load(), [argument.clone() for argument in arguments]
        result = getattr(module, side)(*self._prepared(module, side, arguments), *own)
        for name, before, after in zip(self.names, arguments, own, strict=True):
            assert name in self.mutates or torch.equal(before, after), f"{side} changed its argument {name}"
        return [result, *self._mutated(own)]

    def of_tolerance(self, outputs: list, expected: list) -> float:
        """Worst |difference| / (atol + rtol |expected|) over all elements of all outputs: above 1 is wrong."""
        return max(self._share(*both) for both in zip(outputs, expected, strict=True))

    def _prepared(self, module: ModuleType, side: str, arguments: list) -> tuple:
        """Preparation sees the real constants and other values for the rest."""
        if not hasattr(module, f"prepare_{side}"):
            return ()
        seen = [a if n in self.constant else torch.randn_like(a) for n, a in zip(self.names, arguments, strict=True)]
        return (getattr(module, f"prepare_{side}")(*seen),)

    def _mutated(self, arguments: list) -> list:
        return [argument for name, argument in zip(self.names, arguments, strict=True) if name in self.mutates]

    def _share(self, output: torch.Tensor, expected: torch.Tensor) -> float:
        assert output.shape == expected.shape
        bounds = self.module.tolerance
        bounds = bounds.get(str(output.dtype).removeprefix("torch."), bounds)
        wide, right = output.double(), expected.double().to(output.device)
        share = (wide - right).abs() / (bounds["atol"] + bounds["rtol"] * right.abs())
        return float(share.nan_to_num(nan=float("inf")).max())

    def _load(self) -> ModuleType:
        spec = importlib.util.spec_from_file_location(self.path.stem, self.path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for name in ("inputs", "reference", "tolerance"):
            if isinstance(lender := getattr(module, name, None), str):  # a lab's step borrows it
                setattr(module, name, getattr(LoadedPair(str(self.path.with_name(lender))).module, name))
        return module


def wrong_answers(expected: torch.Tensor, arguments: list, dtype: torch.dtype) -> dict[str, torch.Tensor]:
    """Answers of the right shape and type that a tolerance worth its name must refuse."""
    right = expected.to(dtype)
    tile = max(1, min(32, right.numel() // 4))
    one_tile_off = right.clone().view(-1)
    one_tile_off[-tile:] = right.view(-1)[-2 * tile : -tile]
    wrong = {
        "zeros": torch.zeros_like(right),
        "noise": (torch.randn_like(expected) * expected.std() + expected.mean()).to(dtype),
        "shuffled": right.view(-1)[torch.randperm(right.numel())].view_as(right),
        "all one further": right.view(-1).roll(1).view_as(right),
        "one tile off": one_tile_off.view_as(right),
        "one element missing": torch.where(torch.arange(right.numel()).view_as(right) == 0, 0, right),
    }
    inputs = [argument for argument in arguments if argument.shape == right.shape]
    return wrong | {f"input {index}": argument.to(dtype) for index, argument in enumerate(inputs)}


def _swap_blocks(flat: torch.Tensor, rng: random.Random) -> None:
    length = max(1, min(len(flat) // 8, 4096))
    for _ in range(3):
        first, second = sorted(rng.randrange(len(flat) - length + 1) for _ in range(2))
        if second - first >= length:
            held = flat[first : first + length].clone()
            flat[first : first + length] = flat[second : second + length]
            flat[second : second + length] = held
