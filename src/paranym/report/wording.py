"""What the words of a report mean, for somebody who has read no paper."""

from collections.abc import Mapping
from typing import NamedTuple


class Model(NamedTuple):
    """How a privacy model is told."""

    title: str
    meaning: str


MODELS: Mapping[str, Model] = {
    "distinct-l": Model("different values per class", "a class shows at least so many values (distinct l-diversity)"),
    "frequency-l": Model("l-diversity", "the commonest value of a class is at most one in l"),
    "entropy-l": Model("l-diversity, by entropy", "as varied as l values that are equally frequent"),
    "recursive-c": Model("recursive (c, 2)-diversity", "the commonest value outnumbers all others together c times"),
    "equal-t": Model(
        "t-closeness", "how far the values of a class are from those of the table: 0 alike, 1 nothing shared"
    ),
    "ordered-t": Model("t-closeness, ordered", "the same, where near values count as nearly alike"),
    "hierarchical-t": Model("t-closeness, by hierarchy", "the same, where values of one branch are nearly alike"),
    "alpha": Model("largest share of one value", "how sure one can be of a value within a class"),
    "basic-beta": Model(
        "beta-likeness", "how much likelier a value gets, at most, for somebody known to be in a class"
    ),
    "enhanced-beta": Model("beta-likeness, enhanced", "the same, with a tighter limit for frequent values"),
    "delta-disclosure": Model("delta-disclosure", "how much any value gains or loses within a class, in doublings"),
}
"""The models of sensitive attributes, in the order in which they are told."""

METRICS: Mapping[str, str] = {
    "glm": "general loss: how many of a column's values a published value might stand for; a row left out loses all",
    "dcn": "discernibility: every row is charged the number of rows that it cannot be told from",
    "ce": "classification error: rows that do not have the commonest label of their class, or are left out",
    "ncp": "certainty penalty: how wide the published range of a value is, compared with the whole range of the column",
    "average-class-size": "average class size: how many rows look alike on average",
    "c-avg": "normalized average class size: how much larger classes are, on average, than they would have to be",
    "precision": "precision: how far up its hierarchy each column is raised",
    "height": "height: how many steps up all columns are raised together",
    "entropy": "non-uniform entropy: how many bits of each value can no longer be told",
}
"""How loss is measured."""

ROLES: Mapping[str, str] = {
    "identifier": "left out of the release",
    "quasi-identifier": "others could know it; published in coarser form where needed",
    "sensitive": "nobody should learn it about a person; published as it is",
    "label": "what analysts want to predict; published as it is",
    "other": "published as it is",
}
"""What becomes of a column."""

WORDS: Mapping[str, str] = {
    "quasi-identifier": (
        "A column that somebody else could know about a person, such as age, sex or postal code. No single one names "
        "anybody; together they often do."
    ),
    "sensitive attribute": "A column that nobody should learn about a person, such as an illness or an income.",
    "class": "The rows that have the same published values in all quasi-identifiers. Nobody can tell them apart by "
    "these.",
    "k-anonymity": (
        "Every row is in a class of at least k rows. Somebody who knows all quasi-identifiers of a person still has "
        "at least k rows to choose from, and finds the right one with a chance of at most 1 in k. The larger k, the "
        "safer. It does not help if all rows of a class share the sensitive value."
    ),
    "level": (
        "How far a column is coarsened. Level 0 is the value as it was; each level above merges values into larger "
        "groups; at the top everything is one value, written *."
    ),
    "suppression": "Leaving out rows that are too rare to hide. A few of them save all others much detail.",
    "loss": "How much detail the published table lacks, as a share: 0% is the untouched table, 100% tells nothing.",
    "rational choice, front": (
        "A way to publish that no other way beats: none protects more and loses less. All of them together are the "
        "front; whatever is not on it would be given away for nothing."
    ),
    "re-identification risk": (
        "The chance that somebody who knows that a person is in the table, and knows the quasi-identifiers of that "
        "person, picks the right row."
    ),
}
"""Definitions, in the order in which they are told."""
