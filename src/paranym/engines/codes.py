"""Codes for columns without a hierarchy: the values in order, a missing value last."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import numpy as np

from paranym.engines.base import Coding, Column, Table
from paranym.model.values import to_number


def number(column: Column) -> Coding:
    """Return codes in the order in which the values were found."""
    known = len(column.values)
    size = known + (1 if column.missing else 0)
    return Coding(column, np.arange(known, dtype=np.int32), known if column.missing else None, size)


class OrderedValues:
    """The values of a column, in order: numbers and dates by size, others as text."""

    def __init__(self, column: Column) -> None:
        values = column.values
        numbers = [to_number(value) for value in values]
        self.name = column.name
        self.have_order = None not in numbers or all(isinstance(value, date) for value in values)
        """True if the order is meaningful; the order of text is not."""
        order = list(range(len(values)))
        if None not in numbers:
            order.sort(key=lambda i: numbers[i] or Decimal(0))
        rank = np.empty(len(values), np.int32)
        rank[order] = np.arange(len(values), dtype=np.int32)
        self.coding = replace(number(column), codes=rank)
        self.listed = (*(values[i] for i in order), *([None] if column.missing else []))
        """The value of each code, None for a missing value."""


def tally(table: Table, column: Column) -> list[int]:
    """Return the number of rows for each value of a column."""
    coding = number(column)
    counted: list[int] = table.count([coding], []).marginal(0, coding.size)[: len(column.values)].tolist()
    return counted
