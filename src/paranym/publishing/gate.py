"""The gate: examines a table before it is published, column by column and all columns together.

Names and contacts of people, free text, and columns that undo a generalization stop a release until the user accepts
them by name. The numbers of rows that are unique on all columns, or have a certain sensitive value, are reported as
warnings; they stop a release only beyond the limits of the recipe.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from paranym.engines.base import Table
from paranym.engines.source import open_table
from paranym.errors import BadInput, GateClosed, UnknownAttribute, did_you_mean
from paranym.problem import Problem
from paranym.publishing.columns import Decision
from paranym.publishing.findings import KINDS, Examined, Finding, Limits
from paranym.recognition.contacts import holds_addresses, holds_mail, holds_pages, holds_phones
from paranym.recognition.numbers import holds_accounts, holds_identities
from paranym.recognition.people import holds_names
from paranym.recognition.prose import holds_prose
from paranym.recognition.sample import FEW, Sample
from paranym.results.audit import Audit
from paranym.wording.numbers import percent

_MOST_VALUES = 5_000
"""Largest number of distinct values that are sampled per column."""

RECOGNIZERS: Mapping[str, Callable[[Sample], bool]] = {
    "e-mail": holds_mail,
    "account-number": holds_accounts,
    "phone": holds_phones,
    "identity-number": holds_identities,
    "web-address": holds_pages,
    "address": holds_addresses,
    "person-name": holds_names,
    "free-text": holds_prose,
}
"""The kinds of findings in one column; the first that fits is reported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """The findings that a publisher accepts by name, and the limits for unique rows and certain values."""

    accepted: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    decision: Decision = field(default_factory=Decision)
    is_open: bool = False
    """True if no finding stops the release, as for a trial that is thrown away."""
    missing: tuple[str, ...] = ()
    """Tokens that mean a missing value."""

    @classmethod
    def of(cls, problem: Problem, decision: Decision, accept: Sequence[str] = (), *, is_open: bool = False) -> "Gate":
        """Return the gate of a problem: its own limits and acceptances, and those of this request."""
        if isinstance(accept, str):
            raise BadInput(f"accept takes a list, such as [{accept!r}]; got {accept!r}.")
        section = problem.gate
        return cls(
            accepted=(*section.accept, *accept),
            limits=Limits(section.unique, section.certain),
            decision=decision,
            is_open=is_open,
            missing=problem.source.missing,
        )

    def check(self, columns: Sequence[str]) -> None:
        """Raise if an accepted finding cannot occur in these columns."""
        for name in self.accepted:
            check_acceptance(name, columns)

    def examine(
        self,
        data: object,
        quasi_identifiers: Sequence[str],
        *,
        table: str | None = None,
        memory: str | None = None,
        without: Mapping[str, str | None] | None = None,
        audit: Audit | None = None,
        unique: int | None = None,
        undone: Sequence[Finding] = (),
    ) -> Examined:
        """Examine a table that is complete but not published yet.

        Rows that have all the values of `without` are suppressed rows, and are skipped. `undone` are the findings that
        needed the original table. `unique` is the number of unique rows; it is counted if it is not given.
        """
        with open_table(data, table=table, missing=self.missing, memory=memory) as opened:
            opened.materialize(opened.columns)
            if without:
                opened.pass_over(without)
            rows = opened.profile(()).rows
            found = [*_in_columns(opened), *undone]
            if unique is None:
                unique = opened.unique(opened.columns) if rows else 0
            examined = Examined(
                rows=rows,
                columns=len(opened.columns),
                quasi_identifiers=len(quasi_identifiers),
                unique=unique,
                certain=_certain(audit),
                limits=self.limits,
                undeclared=self.decision.as_dict(),
            )
        return self._judged(examined, found)

    def _judged(self, examined: Examined, found: Sequence[Finding]) -> Examined:
        findings = (*found, *_on_rows(examined))
        accepted = tuple(each.name for each in found if each.name in self.accepted)
        return replace(examined, findings=findings, accepted=accepted)

    def require(self, examined: Examined, what: str) -> None:
        """Raise if a finding stops the release; `what` begins the message."""
        stopping = examined.stopping
        if stopping and not self.is_open:
            raise GateClosed(what, tuple(each.says for each in stopping), _remedy(stopping))


def check_acceptance(name: str, columns: Sequence[str]) -> None:
    """Raise if this cannot be the name of a finding.

    >>> check_acceptance("free-text:notes", ["age", "notes"])
    """
    kind, colon, listed = name.partition(":")
    if kind not in KINDS or not colon:
        raise BadInput(
            f"Findings are accepted by kind and column, such as free-text:notes; got {name!r}. The kinds are "
            f"{', '.join(KINDS)}.{did_you_mean(kind, tuple(KINDS))}"
        )
    if listed not in columns:
        for column in listed.split("+"):
            if column not in columns:
                raise UnknownAttribute(column, tuple(columns))


def _in_columns(table: Table) -> Iterator[Finding]:
    for one in table.spread(table.columns) if table.columns else ():
        texts = table.texts(one.name, _MOST_VALUES)
        rows = table.profile(()).rows - one.missing
        different = max(one.different, len(texts)) if len(texts) == _MOST_VALUES else len(texts)
        alone = table.unique([one.name]) if 1 < different <= FEW else 0
        sample = Sample(one.name, texts, rows=rows, different=different, alone=alone)
        kind = _kind(sample) or (None if sample.unpacked is None else _kind(sample.unpacked))
        if kind is not None:
            says = f"{one.name} {KINDS[kind]}."
            yield Finding(kind=kind, columns=(one.name,), severity="stop", says=says)


def _kind(sample: Sample) -> str | None:
    return next((kind for kind, holds in RECOGNIZERS.items() if holds(sample)), None)


def _certain(audit: Audit | None) -> dict[str, int]:
    """Count, per sensitive attribute, the rows in equivalence classes with a single sensitive value."""
    if audit is None:
        return {}
    achieved = {name: models["distinct-l"] for name, models in audit.models.items()}
    return {name: one.rows if one.value == 1 else 0 for name, one in achieved.items()}


def _on_rows(examined: Examined) -> Iterator[Finding]:
    rows, limits = examined.rows, examined.limits
    if examined.unique:
        meaning = "an attacker who knows all of them finds the row; k covers only the quasi-identifiers."
        says = f"{examined.uniqueness}: {meaning}"
        yield _limited("unique", (), examined.unique / rows, limits.unique, says)
    for name, certain in examined.certain.items():
        if certain:
            share = certain / rows
            some, verb = ("1 row", "is") if certain == 1 else (f"{certain:,} rows", "are")
            says = (
                f"{name}: {some} ({percent(share)}) {verb} in classes that have one value only; who finds a "
                "person there knows it."
            )
            yield _limited("certain", (name,), share, limits.certain, says)


def _limited(kind: str, columns: tuple[str, ...], share: float, limit: float | None, says: str) -> Finding:
    if limit is None or share <= limit:
        return Finding(kind=kind, columns=columns, severity="warn", says=says)
    says = f"{says} The recipe allows {100 * limit:.10g}%."
    return Finding(kind=kind, columns=columns, severity="stop", says=says)


def _remedy(stopping: Sequence[Finding]) -> str:
    names = [each.name for each in stopping if each.kind in KINDS]
    if not names:
        return "Publish fewer columns, generalize further, or change the limits under [gate] in the recipe."
    options = " ".join(f"--accept '{name}'" if " " in name else f"--accept {name}" for name in names)
    return (
        f'Give these columns the role "drop" or "identifier"; or, if they may go out, accept them by name: {options} '
        f"(in Python accept={names!r})."
    )
