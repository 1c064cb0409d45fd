"""Score rows in a batch, with functions of a package that reads a CSV and a config object."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
import numpy as np
import perfproof
from ranker.models import linear

answer = perfproof.compare(linear.score_rows, linear.score_batch, lambda: np.random.randn(64, 16), effort="quick")
print(answer)
print(answer.status)
