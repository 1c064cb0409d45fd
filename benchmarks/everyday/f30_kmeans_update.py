import torch


def inputs():
    torch.manual_seed(0)
    points = torch.randn(5000, 16)
    centers = torch.randn(64, 16)
    labels = torch.cdist(points, centers).argmin(dim=1)
    return points, labels, centers


def baseline(points, labels, centers):
    new = centers.clone()
    for k in range(len(centers)):
        mine = points[labels == k]
        if len(mine) > 0:
            new[k] = mine.mean(dim=0)
    return new


def optimized(points, labels, centers):
    sums = torch.zeros_like(centers).index_add_(0, labels, points)
    counts = torch.bincount(labels, minlength=len(centers))[:, None]
    return torch.where(counts > 0, sums / counts.clamp(min=1), centers)
