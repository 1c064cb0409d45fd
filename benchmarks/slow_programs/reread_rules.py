"""Answer requests; each looks up its price list."""

import json
import random
import tempfile
from pathlib import Path

path = Path(tempfile.mkdtemp()) / "prices.json"
path.write_text(json.dumps({f"sku{i}": [random.random(), i % 7] for i in range(20_000)}))


def price(sku):
    with open(path) as file:
        table = json.load(file)
    return table[sku][0]


print(sum(price(f"sku{random.randrange(20_000)}") for _ in range(150)))
