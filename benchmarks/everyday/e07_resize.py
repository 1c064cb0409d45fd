"""Resize a small RGB image with index arrays instead of Python loops (0.5 s a call)."""

import numpy as np


def inputs():
    return np.random.randint(0, 256, (160, 120, 3), dtype=np.uint8)


def baseline(img):
    oh, ow = 320, 240
    out = np.zeros((oh, ow, 3), dtype=np.uint8)
    for y in range(oh):
        for x in range(ow):
            sy, sx = y * img.shape[0] / oh, x * img.shape[1] / ow
            y0, x0 = int(sy), int(sx)
            y1, x1 = min(y0 + 1, img.shape[0] - 1), min(x0 + 1, img.shape[1] - 1)
            fy, fx = sy - y0, sx - x0
            top = img[y0, x0] * (1 - fx) + img[y0, x1] * fx
            bot = img[y1, x0] * (1 - fx) + img[y1, x1] * fx
            out[y, x] = np.round(top * (1 - fy) + bot * fy)
    return out


def optimized(img):
    oh, ow = 320, 240
    sy, sx = np.arange(oh) * img.shape[0] / oh, np.arange(ow) * img.shape[1] / ow
    y0, x0 = sy.astype(int), sx.astype(int)
    y1, x1 = np.minimum(y0 + 1, img.shape[0] - 1), np.minimum(x0 + 1, img.shape[1] - 1)
    fy, fx = (sy - y0)[:, None, None], (sx - x0)[None, :, None]
    top = img[y0][:, x0] * (1 - fx) + img[y0][:, x1] * fx
    bot = img[y1][:, x0] * (1 - fx) + img[y1][:, x1] * fx
    return np.round(top * (1 - fy) + bot * fy).astype(np.uint8)
