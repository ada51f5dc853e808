"""Forms of values that identify people by themselves."""

import re
from collections.abc import Sequence

_MOSTLY = 0.9
_SHAPES = {
    "e-mail addresses": r"[^@\s]+@[^@\s]+\.[^@\s]+",
    "web addresses": r"(https?://|www\.)\S+",
    "phone numbers": r"\+[0-9][0-9 ()./-]{6,}|\(?[0-9]{3}\)?[ .-][0-9]{3}[ .-][0-9]{4}",
    "social security numbers": r"[0-9]{3}-[0-9]{2}-[0-9]{4}",
    "account numbers": r"[A-Z]{2}[0-9]{2}( ?[A-Z0-9]{4}){3,7}( ?[A-Z0-9]{1,3})?|[0-9]{4}([ -]?[0-9]{4}){3}",
    "network addresses": r"[0-9]{1,3}(\.[0-9]{1,3}){3}|[0-9a-fA-F]{2}([:-][0-9a-fA-F]{2}){5}"
    r"|(?=.*::|(.*:){7})[0-9a-fA-F:]+",
    "random numbers": r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{16,}",
}


def identifying_shape(texts: Sequence[str]) -> str | None:
    """Return the form of nearly all texts if it identifies people or their contacts, else None.

    >>> identifying_shape(["ann@example.org", "bob@example.org"]), identifying_shape(["53715", "53703"])
    ('e-mail addresses', None)
    """
    for what, shape in _SHAPES.items():
        exceptions, allowed = 0, int((1 - _MOSTLY) * len(texts))
        for text in texts:
            exceptions += re.fullmatch(shape, text) is None
            if exceptions > allowed:
                break
        else:
            return what if texts else None
    return None
