"""Decode JPEG bytes to a small array: full decode and resize against draft mode."""

import io
import numpy as np
from PIL import Image


def inputs():
    buffer = io.BytesIO()
    Image.fromarray(np.random.randint(0, 256, (64, 64, 3), dtype=np.uint8)).save(buffer, "PNG")
    return buffer.getvalue()


def baseline(data):
    image = Image.open(io.BytesIO(data)).convert("L")
    pixels = [[image.getpixel((x, y)) for x in range(image.width)] for y in range(image.height)]
    return np.array(pixels, dtype=np.uint8)


def optimized(data):
    return np.asarray(Image.open(io.BytesIO(data)).convert("L"))
