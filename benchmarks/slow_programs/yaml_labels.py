import tempfile
from pathlib import Path

import numpy as np
import yaml


def write_labels(folder, images):
    rng = np.random.default_rng(0)
    for n in range(images):
        boxes = [
            {"label": f"class{int(c)}", "box": [float(v) for v in rng.random(4).round(4)], "crowd": False}
            for c in rng.integers(0, 20, 25)
        ]
        text = "".join(
            f"- label: {b['label']}\n  crowd: false\n  box: [{', '.join(map(str, b['box']))}]\n" for b in boxes
        )
        (folder / f"{n:05}.yaml").write_text(text)


def load(path):
    boxes = yaml.safe_load(path.read_text())
    return np.array([box["box"] for box in boxes]), [box["label"] for box in boxes]


def areas(folder):
    total = {}
    for path in sorted(folder.glob("*.yaml")):
        boxes, labels = load(path)
        for label, box in zip(labels, boxes):
            total[label] = total.get(label, 0.0) + float(box[2] * box[3])
    return total


with tempfile.TemporaryDirectory() as name:
    write_labels(Path(name), 400)
    print(max(areas(Path(name)).items(), key=lambda item: item[1]))
