"""From what a recipe demands to requirements on the codes of one table."""

from collections.abc import Iterator, Mapping, Sequence

from paranym.engines.coding import OrderedValues
from paranym.errors import BadInput, did_you_mean, shorten
from paranym.hierarchies.build import HierarchySpec, build_hierarchy
from paranym.measures.demands import Demands
from paranym.measures.privacy import MODELS
from paranym.measures.privacy.base import Model, Reference, Requirement
from paranym.measures.privacy.closeness import HierarchicalCloseness
from paranym.measures.verdicts import Gauge
from paranym.model.objectives import Objective, Objectives
from paranym.model.values import to_text
from paranym.recipe import Closeness, Deassociation, Demand, Disclosure, Diversity, Likeness, PrivacySection

_OWN = ("k", "suppression", "loss")
"""Objectives that every node tells."""
_SHORT = {"l": "frequency-l", "t": "equal-t"}
_GAUGED = ("frequency-l", "distinct-l", "entropy-l", "equal-t", "ordered-t", "hierarchical-t", "alpha", "basic-beta")
"""Models that can be objectives."""


def sensitive_attributes(
    privacy: PrivacySection, sensitive: Sequence[str], objectives: Sequence[str] = ()
) -> tuple[str, ...]:
    """The sensitive attributes that something is demanded of, or wanted."""
    demanded = (name for demand in _all(privacy) for name in _attributes(demand, sensitive))
    wanted = (_wanted(name, sensitive)[1] for name in objectives if name not in _OWN)
    return tuple(dict.fromkeys([*demanded, *wanted]))


def gauges(
    objectives: Sequence[str],
    values: Mapping[str, OrderedValues],
    hierarchies: Mapping[str, HierarchySpec],
    missing: Sequence[str] = (),
) -> tuple[Gauge, ...]:
    """What must be told of every solution, for those objectives that are models of a sensitive attribute."""
    terms = _Terms(values, hierarchies, missing)
    found = []
    for name in objectives:
        if name not in _OWN:
            model, attribute = _wanted(name, tuple(values))
            found.append(Gauge(name, terms.named(model, attribute), attribute))
    return tuple(found)


def objectives_of(names: Sequence[str], told: Sequence[Gauge]) -> Objectives:
    """The objectives of those names, further ones by the gauges that tell them."""
    places = {gauge.name: place for place, gauge in enumerate(told)}
    models = {gauge.name: gauge.model for gauge in told}
    return Objectives(
        tuple(
            Objective(name, name == "k" if name in _OWN else models[name].facts.larger_is_better, places.get(name))
            for name in names
        )
    )


def check_objectives(names: Sequence[str]) -> None:
    """Raise unless the names are objectives, each once, and something is lost for something."""
    known = (*_OWN, *_SHORT, *_GAUGED)
    for name in names:
        model = name.partition(":")[0]
        if model not in known:
            raise BadInput(
                f"There is no objective {model!r}; known are {', '.join(known)}, those of a sensitive attribute also "
                f"with its name, as in entropy-l:illness.{did_you_mean(model, known)}"
            )
    if len(set(names)) < len(names) or len(names) < 2:
        raise BadInput(f"Objectives are two or more, each named once; got {', '.join(names)}.")


def demands(
    privacy: PrivacySection,
    values: Mapping[str, OrderedValues],
    hierarchies: Mapping[str, HierarchySpec],
    missing: Sequence[str] = (),
) -> Demands:
    """All that is demanded; a demand that names no attribute is made of every one in `values`."""
    terms = _Terms(values, hierarchies, missing)
    required = [
        Requirement(terms.model(demand, name), _threshold(demand), name, _reference(demand))
        for demand in _all(privacy)
        for name in _attributes(demand, tuple(values))
    ]
    return Demands(privacy.k or 1, tuple(required))


def check_use(
    privacy: PrivacySection,
    sensitive: Sequence[str],
    objectives: Sequence[str],
    hierarchies: Mapping[str, HierarchySpec],
) -> None:
    """Raise if a hierarchy of a sensitive attribute measures nothing."""
    used = {
        name for demand in privacy.t if demand.distance == "hierarchical" for name in _attributes(demand, sensitive)
    } | {_wanted(name, sensitive)[1] for name in objectives if name.startswith("hierarchical-t")}
    for name, spec in hierarchies.items():
        if spec is not None and name not in used:
            raise BadInput(
                f"The hierarchy of {name!r} is not used: a sensitive attribute has one for t-closeness with "
                "hierarchical distance. Demand that, or leave the hierarchy out."
            )


class _Terms:
    """What models need to know of the sensitive attributes."""

    def __init__(
        self, values: Mapping[str, OrderedValues], hierarchies: Mapping[str, HierarchySpec], missing: Sequence[str]
    ) -> None:
        self._values = values
        self._hierarchies = hierarchies
        self._missing = missing

    def model(self, demand: Demand, attribute: str) -> Model:
        match demand:
            case Diversity(kind="recursive"):
                return MODELS["recursive-c"](l=int(demand.value))
            case Diversity():
                return MODELS[f"{demand.kind}-l"]()
            case Closeness(distance="hierarchical"):
                return self._by_hierarchy(attribute)
            case Closeness(distance="ordered"):
                if not self._values[attribute].have_order:
                    raise BadInput(
                        f"The values of {attribute!r} are text, which has no order to measure distances by. "
                        "Take the equal or the hierarchical distance."
                    )
                return MODELS["ordered-t"]()
            case Closeness():
                return MODELS["equal-t"]()
            case Deassociation():
                return MODELS["alpha"](value=None if demand.only is None else self._code(attribute, demand.only))
            case Likeness():
                return MODELS[f"{demand.kind}-beta"]()
            case Disclosure():
                return MODELS["delta-disclosure"]()
        return MODELS["distinct-l"]()

    def named(self, model: str, attribute: str) -> Model:
        """A model that takes no threshold."""
        if model == "hierarchical-t":
            return self._by_hierarchy(attribute)
        if model == "ordered-t":
            return self.model(Closeness(value=1.0, distance="ordered"), attribute)
        return MODELS[model]()

    def _by_hierarchy(self, attribute: str) -> Model:
        if self._hierarchies.get(attribute) is None:
            raise BadInput(f"The hierarchical distance needs a hierarchy of {attribute!r}: give it one.")
        listed = self._values[attribute].listed
        hierarchy = build_hierarchy(self._hierarchies[attribute], listed, attribute=attribute)
        hierarchy = hierarchy.reading_as_missing(self._missing)
        return HierarchicalCloseness.by(hierarchy.with_missing() if None in listed else hierarchy, listed)

    def _code(self, attribute: str, value: object) -> int:
        texts = [to_text(listed) for listed in self._values[attribute].listed]
        if to_text(value) not in texts:
            raise BadInput(f"{attribute!r} has no value {shorten((str(value),))}, which alpha is to limit.")
        return texts.index(to_text(value))


def _all(privacy: PrivacySection) -> Iterator[Demand]:
    for demanded in (privacy.l, privacy.p, privacy.t, privacy.alpha, privacy.beta, privacy.delta):
        yield from demanded


def _attributes(demand: Demand, sensitive: Sequence[str]) -> Sequence[str]:
    if demand.attribute is None:
        if not sensitive:
            raise BadInput("Something is demanded of sensitive attributes, but no column has the role 'sensitive'.")
        return sensitive
    if demand.attribute not in sensitive:
        raise BadInput(f"Something is demanded of {demand.attribute!r}, which has not the role 'sensitive'.")
    return (demand.attribute,)


def _threshold(demand: Demand) -> float:
    """Recursive diversity is demanded as an l, but reached as the c that goes with it."""
    return demand.c if isinstance(demand, Diversity) and demand.kind == "recursive" else demand.value


def _reference(demand: Demand) -> Reference:
    return Reference(getattr(demand, "reference", Reference.RELEASED))


def _wanted(name: str, sensitive: Sequence[str]) -> tuple[str, str]:
    """The model and the attribute that an objective names."""
    model, _, attribute = name.partition(":")
    if not attribute and len(sensitive) != 1:
        found = f"there are {', '.join(sensitive)}" if sensitive else "no column has the role 'sensitive'"
        raise BadInput(f"The objective {name!r} is about a sensitive attribute, as in {model}:illness; {found}.")
    if attribute and attribute not in sensitive:
        raise BadInput(f"The objective {name!r} is about {attribute!r}, which has not the role 'sensitive'.")
    return _SHORT.get(model, model), attribute or sensitive[0]
