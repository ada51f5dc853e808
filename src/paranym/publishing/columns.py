"""Columns without a role: a release is refused until the user decides about each of them, or about all."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from paranym.errors import BadInput, NoRole
from paranym.model.schema import Role
from paranym.model.toml_text import to_key
from paranym.problem import Problem

Undeclared = Literal["drop", "keep"]
"""The decision about columns without a role."""

_COMMAND = "Or decide about all of them at once: --undeclared drop or --undeclared keep (in Python undeclared=...)."


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision about columns without a role, as the manifest records it.

    >>> Decision(("note",), "drop").as_dict()
    {'columns': ['note'], 'decision': 'drop'}
    """

    columns: tuple[str, ...] = ()
    made: Undeclared | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form: `decision` is None if every column has a role."""
        return {"columns": list(self.columns), "decision": self.made if self.columns else None}


def decide(problem: Problem, undeclared: Undeclared | None) -> tuple[Problem, Decision]:
    """Return the problem with a role for every column of its table, or raise `NoRole`.

    >>> import pyarrow as pa
    >>> people = Problem(pa.table({"age": [31, 34], "note": ["a", "b"]}), quasi_identifiers=["age"])
    >>> decided, decision = decide(people, "keep")
    >>> decided.without_role, decision.columns
    ((), ('note',))
    """
    names = problem.without_role
    check_roles(problem.source.name, names, undeclared)
    if not names or undeclared is None:
        return problem, Decision()
    return problem.giving(Role(undeclared), names), Decision(names, undeclared)


def check_roles(source: str, names: Sequence[str], undeclared: Undeclared | None) -> None:
    """Raise if columns have no role and nothing is decided about them."""
    if undeclared not in (None, "drop", "keep"):
        raise BadInput(f"undeclared is 'drop' or 'keep'; got {undeclared!r}.")
    if names and undeclared is None:
        raise NoRole(source, tuple(names), f"{_lines(names)}{_COMMAND}")


def check_known(source: str, names: Sequence[str], undeclared: Undeclared | None) -> None:
    """Raise if a table has columns that the recoding does not know, unless they are to be dropped."""
    if undeclared not in (None, "drop"):
        raise BadInput(
            "A recoding publishes the columns that it was chosen for and no others: columns that it does not know can "
            f"only be dropped (undeclared='drop'); got {undeclared!r}."
        )
    if names and undeclared is None:
        raise NoRole(
            source,
            tuple(names),
            "The recoding does not know such columns. Drop them (--undeclared drop, in Python undeclared='drop'), or "
            "give them roles in the recipe and release again.",
        )


def _lines(names: Sequence[str]) -> str:
    """Return the lines that the recipe lacks, with the remedy around them."""
    written = "".join(f'\n[attributes.{to_key(name)}]\nrole = "drop"\n' for name in names)
    return (
        "Add these lines to the recipe (in Python: drop=[...], keep=[...], identifiers=[...]), with the role that is "
        "right for each: drop, keep, identifier, quasi-identifier or sensitive.\n"
        f"{written}\n"
    )
