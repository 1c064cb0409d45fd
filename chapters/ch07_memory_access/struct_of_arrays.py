"""Store each field as an array of its own if a loop reads few fields of many records.

A record of 16 numbers is 64 bytes: one cache line, or two sectors of a GPU. A loop that needs two of the numbers
fetches all of it from memory. With an array per field it fetches those two and nothing else. The operator is the
same, only the layout of the constant records differs. Predicts: 64 bytes and 8 for the rest against 16, 4.5x. No gain
where: a loop uses whole records, or reads them at random: then one line per record is the best there is. The new
layout is set-up, printed beside the times.
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
