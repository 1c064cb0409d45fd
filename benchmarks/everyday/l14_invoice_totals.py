"""Group invoices by customer in one pass, not with a filter per customer."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")


@dataclass(frozen=True)
class Line:
    sku: str
    quantity: int
    price: Decimal
    vat: Decimal


@dataclass
class Invoice:
    number: int
    customer: str
    issued: date
    paid: date | None
    lines: list[Line] = field(default_factory=list)


@dataclass
class Account:
    net: Decimal
    vat: Decimal
    invoices: int
    last: date
    overdue: list[int]


def inputs():
    day = date(2025, 1, 1)
    invoices = []
    for number in range(1, 201):
        issued = day + timedelta(days=random.randrange(365))
        lines = [
            Line(
                f"SKU-{random.randrange(500):04d}",
                random.randint(1, 12),
                Decimal(random.randint(99, 49_999)).scaleb(-2),
                random.choice([Decimal("0.07"), Decimal("0.19")]),
            )
            for _ in range(random.randint(1, 5))
        ]
        paid = issued + timedelta(days=random.randrange(5, 60)) if random.random() < 0.8 else None
        invoices.append(Invoice(number, f"C{random.randrange(40):03d}", issued, paid, lines))
    return invoices


def line_amounts(line: Line) -> tuple[Decimal, Decimal]:
    net = (line.quantity * line.price).quantize(CENT, ROUND_HALF_UP)
    return net, (net * line.vat).quantize(CENT, ROUND_HALF_UP)


def baseline(invoices: list[Invoice]) -> dict[str, Account]:
    accounts = {}
    for customer in sorted({i.customer for i in invoices}):
        own = [i for i in invoices if i.customer == customer]
        accounts[customer] = Account(
            net=sum((line_amounts(x)[0] for i in own for x in i.lines), Decimal("0.00")),
            vat=sum((line_amounts(x)[1] for i in own for x in i.lines), Decimal("0.00")),
            invoices=len(own),
            last=max(i.issued for i in own),
            overdue=[i.number for i in own if i.paid is None],
        )
    return accounts


def optimized(invoices: list[Invoice]) -> dict[str, Account]:
    accounts: dict[str, Account] = {}
    for i in invoices:
        account = accounts.get(i.customer)
        if account is None:
            account = accounts[i.customer] = Account(Decimal("0.00"), Decimal("0.00"), 0, i.issued, [])
        for line in i.lines:
            net, vat = line_amounts(line)
            account.net += net
            account.vat += vat
        account.invoices += 1
        if i.issued > account.last:
            account.last = i.issued
        if i.paid is None:
            account.overdue.append(i.number)
    return dict(sorted(accounts.items()))
