"""Store each field as an array of its own if a loop reads few fields of many records.

A record of 16 numbers is 64 bytes: one cache line, or two sectors of a GPU. A loop that needs two of the numbers
fetches all 64 bytes. With an array per field it fetches only those two. The operator is the same. The new layout is
made in the set-up, whose time is printed beside the result.
Predicts: 72 bytes per record (64, and 8 for the other operand and the result) become 16: 4.5x.
No gain where: a loop uses whole records, or reads records at random.
"""

import torch

FIELDS, PRICE, QUANTITY = 16, 2, 11  # the two fields lie in different sectors of 32 bytes

workload = dict(records=2**24)  # 1 GiB of records
workload_cpu = dict(records=2**18)  # 16 MiB of records
smoke = dict(records=1_003)
constant = ("table",)
tolerance = dict(rtol=1e-5, atol=1e-6)  # a product and a sum that may cancel, rounded at 2**-24
tier = "idiomatic"
menu = ("both", "memory-bound")
counters = ("COAL", "BYTES")


def inputs(records):
    return torch.randn(records, FIELDS), torch.randn(records)


def reference(table, balance):
    return balance.double() + table[:, PRICE].double() * table[:, QUANTITY].double()


def baseline(table, balance):
    return torch.addcmul(balance, table[:, PRICE], table[:, QUANTITY])


def prepare_optimized(table, balance):
    return table.t().contiguous()


def optimized(fields, table, balance):
    return torch.addcmul(balance, fields[PRICE], fields[QUANTITY])


def cost(records):
    return dict(flops=2 * records, bytes=16 * records, baseline_bytes=(8 + 4 * FIELDS) * records)
