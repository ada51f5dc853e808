"""From requested requirements and objectives to privacy models on the codes of one table."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from paranym.engines.codes import OrderedValues
from paranym.errors import BadInput, did_you_mean
from paranym.hierarchies.build import HierarchySpec, build_for_values
from paranym.measures.catalogue import find_objective, objective_names
from paranym.measures.class_assessment import MeasuredModel
from paranym.measures.privacy.base import Model, ModelKind, Reference, Requirement
from paranym.measures.requirements import PrivacyRequirements
from paranym.measures.sensitive import SensitiveAttribute
from paranym.recipe import PrivacySection, RequirementSection
from paranym.results.objectives import LARGER_IS_BETTER, Objective, Objectives

_OWN = ("k", "suppression", "loss")
"""Objectives that every node has."""


def sensitive_attributes(
    privacy: PrivacySection, sensitive: Sequence[str], objectives: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return the sensitive attributes that a requirement or an objective is about."""
    required = (name for _, each in _all(privacy) for name in _attributes(each, sensitive))
    wanted = (_wanted(name, sensitive)[1] for name in objectives if name not in _OWN)
    return tuple(dict.fromkeys([*required, *wanted]))


def measured_models(
    objectives: Sequence[str],
    values: Mapping[str, OrderedValues],
    hierarchies: Mapping[str, HierarchySpec],
    missing: Sequence[str] = (),
) -> tuple[MeasuredModel, ...]:
    """Return the models to measure for every solution: those of sensitive attributes that are objectives."""
    attributes = _described(values, hierarchies, missing)
    found = []
    for name in objectives:
        if name not in _OWN:
            kind, attribute = _wanted(name, tuple(values))
            found.append(MeasuredModel(name, kind.for_attribute(attributes[attribute]), attribute))
    return tuple(found)


def objectives_of(names: Sequence[str], measured: Sequence[MeasuredModel]) -> Objectives:
    """Return the objectives of those names, further ones by the models that are measured for them."""
    places = {each.name: place for place, each in enumerate(measured)}
    models = {each.name: each.model for each in measured}
    return Objectives(
        tuple(
            Objective(
                name,
                name in LARGER_IS_BETTER if name in _OWN else models[name].facts.larger_is_better,
                places.get(name),
            )
            for name in names
        )
    )


def check_objectives(names: Sequence[str]) -> None:
    """Raise unless the names are objectives, each named once, and at least two."""
    for name in names:
        model = name.partition(":")[0]
        if model not in _OWN and find_objective(model) is None:
            known = (*_OWN, *objective_names())
            raise BadInput(
                f"There is no objective {model!r}; known are {', '.join(known)}, those of a sensitive attribute also "
                f"with its name, as in entropy-l:illness.{did_you_mean(model, known)}"
            )
    if len(set(names)) < len(names) or len(names) < 2:
        raise BadInput(f"Objectives are two or more, each named once; got {', '.join(names)}.")


def privacy_requirements(
    privacy: PrivacySection,
    values: Mapping[str, OrderedValues],
    hierarchies: Mapping[str, HierarchySpec],
    missing: Sequence[str] = (),
) -> PrivacyRequirements:
    """Return all requirements; one that names no attribute is made of every attribute in `values`."""
    attributes = _described(values, hierarchies, missing)
    required = []
    for key, written in _all(privacy):
        for name in _attributes(written, tuple(values)):
            model, threshold = _required(privacy.models.get(key), written, attributes[name])
            required.append(Requirement(model, threshold, name, _reference(written)))
    return PrivacyRequirements(privacy.k or 1, tuple(required))


def check_use(
    privacy: PrivacySection,
    sensitive: Sequence[str],
    objectives: Sequence[str],
    hierarchies: Mapping[str, HierarchySpec],
) -> None:
    """Raise if no model uses the hierarchy of a sensitive attribute."""
    required = ((each.form.selected(each.chosen)[0], _attributes(each, sensitive)) for _, each in _all(privacy))
    wanted = ((kind, [name]) for kind, name in (_wanted(each, sensitive) for each in objectives if each not in _OWN))
    used = {name for kind, names in (*required, *wanted) if kind.facts.needs_hierarchy for name in names}
    for name, spec in hierarchies.items():
        if spec is not None and name not in used:
            raise BadInput(
                f"The hierarchy of {name!r} is not used: a sensitive attribute has one for t-closeness with "
                "hierarchical distance. Require that, or omit the hierarchy."
            )


def _described(
    values: Mapping[str, OrderedValues], hierarchies: Mapping[str, HierarchySpec], missing: Sequence[str]
) -> dict[str, SensitiveAttribute]:
    """Return the sensitive attributes as privacy models see them."""
    found = {}
    for name, each in values.items():
        spec = hierarchies.get(name)
        build = None if spec is None else partial(build_for_values, spec, each.listed, attribute=name, missing=missing)
        found[name] = SensitiveAttribute(name, each.listed, each.have_order, build)
    return found


def _required(own: Model | None, written: RequirementSection, attribute: SensitiveAttribute) -> tuple[Model, float]:
    """Return the model and its threshold: of a model of the user's own, or of one from the catalogue."""
    if own is not None:
        return own, written.value
    kind, _ = written.form.selected(written.chosen)
    return kind.required(written.value, written.options, attribute)


def _all(privacy: PrivacySection) -> Iterator[tuple[str, RequirementSection]]:
    for key, listed in privacy.requirements.items():
        yield from ((key, each) for each in listed)


def _attributes(written: RequirementSection, sensitive: Sequence[str]) -> Sequence[str]:
    if written.attribute is None:
        if not sensitive:
            raise BadInput("A requirement is about sensitive attributes, but no column has the role 'sensitive'.")
        return sensitive
    if written.attribute not in sensitive:
        raise BadInput(f"A requirement is about {written.attribute!r}, which does not have the role 'sensitive'.")
    return (written.attribute,)


def _reference(written: RequirementSection) -> Reference:
    return Reference(getattr(written, "reference", Reference.RELEASED))


def _wanted(name: str, sensitive: Sequence[str]) -> tuple[ModelKind, str]:
    """Return the model and the attribute that an objective names."""
    model, _, attribute = name.partition(":")
    kind = find_objective(model)
    if kind is None:
        raise BadInput(f"There is no objective {model!r}.")
    if not attribute and len(sensitive) != 1:
        found = f"there are {', '.join(sensitive)}" if sensitive else "no column has the role 'sensitive'"
        raise BadInput(f"The objective {name!r} is about a sensitive attribute, as in {model}:illness; {found}.")
    if attribute and attribute not in sensitive:
        raise BadInput(f"The objective {name!r} is about {attribute!r}, which does not have the role 'sensitive'.")
    return kind, attribute or sensitive[0]
