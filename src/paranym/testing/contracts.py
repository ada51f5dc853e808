"""The result of a contract check."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ContractFault:
    """A violated rule, with the reason.

    >>> str(ContractFault("monotone", "merging two classes makes it worse"))
    'monotone: merging two classes makes it worse'
    """

    rule: str
    """The fact or the method that the rule is about."""
    why: str

    def __str__(self) -> str:
        return f"{self.rule}: {self.why}"


@dataclass(frozen=True, slots=True)
class ContractCheck:
    """The result of a check, which can refute a rule but not prove it.

    >>> ContractCheck(200, ()).holds
    True
    """

    tried: int
    """Number of cases that were tried."""
    faults: tuple[ContractFault, ...]

    @property
    def holds(self) -> bool:
        """True if no violation was found."""
        return not self.faults

    def __str__(self) -> str:
        return "\n".join(map(str, self.faults)) or f"No violation was found in {self.tried:,} cases."
