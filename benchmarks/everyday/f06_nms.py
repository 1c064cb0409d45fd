import numpy as np

IOU = 0.5


def inputs():
    n = 300
    corner = np.random.rand(n, 2) * 400
    size = 20 + np.random.rand(n, 2) * 80
    boxes = np.concatenate([corner, corner + size], axis=1)
    scores = np.random.rand(n)
    return boxes, scores


def overlaps(a, b):
    w = max(0.0, min(a[2], b[2]) - max(a[0], b[0]))
    h = max(0.0, min(a[3], b[3]) - max(a[1], b[1]))
    inter = w * h
    union = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - inter
    return inter > IOU * union


def baseline(boxes, scores):
    rows, values = boxes.tolist(), scores.tolist()
    order = sorted(range(len(rows)), key=lambda i: -values[i])
    keep = []
    for i in order:
        if not any(overlaps(rows[i], rows[j]) for j in keep):
            keep.append(i)
    return np.array(keep, dtype=np.int64)


def optimized(boxes, scores):
    order = np.argsort(-scores, kind="stable")
    area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    keep = []
    while order.size:
        i, rest = order[0], order[1:]
        keep.append(i)
        low = np.maximum(boxes[rest, :2], boxes[i, :2])
        high = np.minimum(boxes[rest, 2:], boxes[i, 2:])
        inter = np.prod(np.maximum(0.0, high - low), axis=1)
        order = rest[~(inter > IOU * (area[rest] + area[i] - inter))]
    return np.array(keep, dtype=np.int64)
