"""A function that a package compiles with a decorator, from a script."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
import torch
import perfproof
from ranker.models.linear import eager_softplus, softplus_scores

answer = perfproof.compare(eager_softplus, softplus_scores, lambda: torch.randn(50_000), effort="quick")
print(answer)
print(answer.status)
