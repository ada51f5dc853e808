"""A front that was saved as JSON, read again."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from paranym.errors import BadInput
from paranym.model.cuts import Cut
from paranym.model.front import Corner, Front, Point, Solution

_OWN = {"k", "loss", "loss_fraction", "suppressed", "weighted_k", "levels", "cuts", "alternatives"}


def read_front(path: Path) -> Front:
    """The front in a file that `paranym frontier --json` wrote; its certificate is not among what was saved."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadInput(f"Cannot read the front {str(path)!r}: {error.strerror}.") from error
    except ValueError as error:
        raise BadInput(f"{str(path)!r} is no front: it is no valid JSON.") from error
    try:
        return front_from_dict(document)
    except (KeyError, TypeError, AttributeError) as error:
        raise BadInput(f"{str(path)!r} is no front that paranym saved.") from error


def front_from_dict(document: Mapping[str, Any]) -> Front:
    """What `Front.as_dict` wrote.

    >>> from paranym.datasets import adult
    >>> import paranym as pn
    >>> front = pn.frontier(pn.Problem.from_recipe(adult()))
    >>> front_from_dict(json.loads(json.dumps(front.as_dict()))).points == front.points
    True
    """
    possible = document["possible"]
    return Front(
        method=document["method"],
        complete=document["complete"],
        points=tuple(map(_point, document["points"])),
        lattice_nodes=document["lattice_nodes"],
        evaluated_nodes=document["evaluated_nodes"],
        decided_nodes=document["decided_nodes"],
        rows=document["rows"],
        metric=document["metric"],
        suppression_use=document["suppression_use"],
        suppression_limit=document["suppression_limit"],
        heights=document["heights"],
        objectives=tuple(document["objectives"]),
        demands=document["demands"],
        floor=document.get("floor"),
        possible=None if possible is None else tuple(Corner(**corner) for corner in possible),
    )


def _point(document: Mapping[str, Any]) -> Point:
    first, others = _solution(document), map(_solution, document["alternatives"])
    further = {name: value for name, value in document.items() if name not in _OWN}
    values = {name: float("nan") if value is None else value for name, value in further.items()}
    return Point(document["k"], document["loss"], document["loss_fraction"], (first, *others), values)


def _solution(document: Mapping[str, Any]) -> Solution:
    cuts = document.get("cuts")
    return Solution(
        document.get("levels", {}) if cuts is not None else document["levels"],
        document["suppressed"],
        document["weighted_k"],
        None if cuts is None else {name: Cut(cut["bits"], tuple(cut["values"])) for name, cut in cuts.items()},
    )
