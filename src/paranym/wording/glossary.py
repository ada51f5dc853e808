"""The terms of a report, defined for readers who do not know the literature."""

from collections.abc import Mapping

ROLES: Mapping[str, str] = {
    "identifier": "identifies people directly; not published",
    "quasi-identifier": "an attacker could know it; generalized where needed",
    "sensitive": "must not be linked to a person; published unchanged",
    "label": "the class that analysts want to predict; published unchanged",
    "keep": "published unchanged",
    "drop": "not published",
}
"""The treatment of a column, by its role."""
NO_ROLE = "has no role, so it cannot be published"

WORDS: Mapping[str, str] = {
    "quasi-identifier": (
        "A column that an attacker could know about a person, such as age, sex or postal code. A single one rarely "
        "identifies anybody; together they often do."
    ),
    "sensitive attribute": "A column that must not be linked to a person, such as an illness or an income.",
    "equivalence class": (
        "All rows with the same published values in all quasi-identifiers. These rows are indistinguishable by their "
        "quasi-identifiers."
    ),
    "k-anonymity": (
        "A table is k-anonymous if every equivalence class has at least k rows. An attacker who knows all "
        "quasi-identifiers of a person then finds the right row with a probability of at most 1/k. The larger k, the "
        "better the protection. k-anonymity does not help if all rows of a class have the same sensitive value."
    ),
    "generalization, level": (
        "Generalization replaces values by more general ones along a hierarchy, such as 34 by 30-39. Level 0 is the "
        "original value; each further level merges values into larger groups; the top level is a single value, *."
    ),
    "suppression": (
        "Removing rows whose equivalence class is still too small after generalization. Suppressing a few rows often "
        "saves much information in all others."
    ),
    "information loss": (
        "The share of the information in the original table that is lost: 0% is the original table, and 100% means "
        "that nothing can be learned from the published one."
    ),
    "Pareto front": (
        "The Pareto-optimal solutions: no other solution of the same kind, such as one level per column, has a larger "
        "k without a larger information loss. Every other solution is dominated by one on the front, or equal to it."
    ),
    "re-identification risk": (
        "The probability that an attacker who knows that a person is in the table, and knows the person's "
        "quasi-identifiers, picks the right row."
    ),
}
"""Definitions, in the order in which they are shown."""
