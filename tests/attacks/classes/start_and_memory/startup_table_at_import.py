"""Start a checksum tool faster.

Cheats: the variant's table is made while the file is loaded. The file is loaded for the baseline as well, which then
makes a table of its own.
"""

import torch

POLYNOMIAL = 0xEDB88320

workload = workload_cpu = dict(length=500)
tolerance = dict(rtol=0.0, atol=0.0)  # a checksum is exact
tier = "idiomatic"
claim = "startup"


def inputs(length):
    return (bytes(torch.randint(256, (length,)).tolist()),)


def reference(data):
    check = 0xFFFFFFFF
    for byte in data:
        check ^= byte
        for _ in range(8):
            check = (check >> 1) ^ (POLYNOMIAL if check & 1 else 0)
    return check ^ 0xFFFFFFFF


def make_table():
    table = []
    for start in range(256):
        check = start
        for _ in range(8):
            check = (check >> 1) ^ (POLYNOMIAL if check & 1 else 0)
        table.append(check)
    return table


TABLE = make_table()


def checksum(data, table):
    check = 0xFFFFFFFF
    for byte in data:
        check = table[(check ^ byte) & 255] ^ (check >> 8)
    return check ^ 0xFFFFFFFF


def baseline(data):
    return checksum(data, make_table())


def optimized(data):
    return checksum(data, TABLE)


def cost(length):
    return dict(predicted_optimized=10.0)
