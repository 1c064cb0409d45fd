import logging

import numpy as np

log = logging.getLogger("shop.orders")
log.setLevel(logging.WARNING)


def inputs():
    orders = []
    for number in range(200):
        prices = np.random.randint(1, 5000, size=np.random.randint(1, 12))
        orders.append({"id": number, "prices": prices, "express": bool(np.random.rand() < 0.3)})
    return orders


def baseline(orders):
    totals = {}
    for order in orders:
        log.debug(f"order {order['id']}: {order!r}")
        total = int(order["prices"].sum()) + (900 if order["express"] else 0)
        log.debug("total of {} is {:,}".format(order["id"], total))
        totals[order["id"]] = total
    return totals


def optimized(orders):
    debug = log.isEnabledFor(logging.DEBUG)
    totals = {}
    for order in orders:
        if debug:
            log.debug("order %s: %r", order["id"], order)
        total = int(order["prices"].sum()) + (900 if order["express"] else 0)
        if debug:
            log.debug("total of %s is %s", order["id"], format(total, ","))
        totals[order["id"]] = total
    return totals
