"""Extensions of paranym by installed packages: losses, privacy models, searches and engines, by entry point.

A package states them in its own `pyproject.toml`:

    [project.entry-points."paranym.losses"]
    rows-lost = "my_package.losses:RowsLost"

A package is imported only when one of its names is used, or when all names are listed.
"""

from functools import cache
from importlib.metadata import entry_points
from typing import Literal

from paranym.errors import BadInput

Group = Literal["paranym.losses", "paranym.privacy_models", "paranym.searches", "paranym.engines"]
"""The groups of entry points."""


def installed_names(group: Group) -> tuple[str, ...]:
    """Return the names that installed packages add to a group, without importing any of them.

    >>> "glm" in installed_names("paranym.losses")  # built in, so it needs no entry point
    False
    """
    return tuple(sorted({point.name for point in entry_points(group=group)}))


@cache
def load_installed(group: Group, name: str) -> object | None:
    """Import the object that an installed package has under this name; None if no package has one.

    >>> load_installed("paranym.losses", "nobody-has-this") is None
    True
    """
    found = [point for point in entry_points(group=group) if point.name == name]
    if not found:
        return None
    if len({point.value for point in found}) > 1:
        owners = ", ".join(sorted({point.value for point in found}))
        raise BadInput(f"Several installed packages have a {name!r} in {group}: {owners}. Uninstall all but one.")
    try:
        loaded: object = found[0].load()
    except Exception as error:
        raise BadInput(f"The entry point {name!r} of {group} cannot be imported ({found[0].value}): {error}") from error
    return loaded
