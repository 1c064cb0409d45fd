"""Read records from a binary stream in one block instead of one at a time; the stream is made in the function."""

import io
import os
import struct

import perfproof


def one_by_one(data):
    stream, out = io.BytesIO(data), []
    while piece := stream.read(12):
        out.append(struct.unpack("<IHHf", piece))
    return [r for r in out if r[1] % 2]


def at_once(data):
    return [r for r in struct.iter_unpack("<IHHf", data) if r[1] % 2]


answer = perfproof.compare(one_by_one, at_once, lambda: os.urandom(12 * 300), effort="quick")
print(answer)
print(answer.status)
