"""The privacy models once more, slow and obvious: lists of sensitive values, one list per class, in plain Python."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from math import exp, inf, log, log2

Value = int
Group = Sequence[Value]


def share(value: Value, rows: Sequence[Value]) -> Fraction:
    return Fraction(list(rows).count(value), len(rows))


def frequency(group: Group) -> float:
    return float(1 / max(share(value, group) for value in group))


def distinct(group: Group) -> float:
    return float(len(set(group)))


def entropy(group: Group) -> float:
    return exp(-sum(float(p) * log(p) for p in (share(value, group) for value in set(group))))


def ranks(group: Group) -> list[int]:
    """r1, r2, ..., rm."""
    return sorted(Counter(group).values(), reverse=True)


def recursive_ratio(group: Group, l: int) -> float:  # noqa: E741
    counts = ranks(group)
    tail = sum(counts[l - 1 :])
    return float(Fraction(counts[0], tail)) if tail else inf


def recursive_depth(group: Group, c: Fraction) -> float:
    counts = ranks(group)
    return float(max([0, *(i for i in range(1, len(counts) + 1) if counts[0] < c * sum(counts[i - 1 :]))]))


def alpha(group: Group, value: Value | None = None) -> float:
    return float(max(share(one, group) for one in group) if value is None else share(value, group))


def equal(group: Group, reference: Group) -> float:
    values = set(group) | set(reference)
    return float(sum(abs(share(value, group) - share(value, reference)) for value in values) / 2)


def ordered(group: Group, reference: Group) -> float:
    values = sorted(set(group) | set(reference))
    differences = [share(value, group) - share(value, reference) for value in values]
    work = Fraction(0)
    for i in range(len(values)):
        work += abs(sum(differences[: i + 1], start=Fraction(0)))
    return float(work / (len(values) - 1)) if len(values) > 1 else 0.0


def hierarchical(group: Group, reference: Group, lines: Sequence[Sequence[str]]) -> float:
    """`lines[value]` is its path from leaf to top. What crosses an inner value is charged by its height."""
    height = len(lines[0]) - 1
    work = Fraction(0)
    for level in range(1, height + 1):
        for inner in {line[level] for line in lines}:
            under = [value for value, line in enumerate(lines) if line[level] == inner]
            extras = []
            for child in {lines[value][level - 1] for value in under}:
                leaves = [value for value in under if lines[value][level - 1] == child]
                extras.append(sum(share(value, group) - share(value, reference) for value in leaves))
            gained = sum((extra for extra in extras if extra > 0), start=Fraction(0))
            lost = sum((-extra for extra in extras if extra < 0), start=Fraction(0))
            work += Fraction(level, height) * min(gained, lost)
    return float(work)


def basic_beta(group: Group, reference: Group) -> float:
    if set(group) - set(reference):
        return inf
    gains = [(share(v, group) - share(v, reference)) / share(v, reference) for v in set(reference)]
    return float(max([Fraction(0), *gains]))


def enhanced_beta(group: Group, reference: Group) -> float:
    for value in set(group):
        q = share(value, reference)
        if q == 0 or float((share(value, group) - q) / q) > -log(q) + 1e-9:
            return inf
    return basic_beta(group, reference)


def delta_disclosure(group: Group, reference: Group) -> float:
    if set(group) != set(reference):
        return inf
    return max(abs(log2(share(value, group) / share(value, reference))) for value in set(group))
