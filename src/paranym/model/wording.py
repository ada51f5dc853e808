"""Words that sentences, tables and plots share, so that all of them call the same thing the same."""

_ABOUT_CELLS = ("glm", "ncp", "precision", "height", "entropy")


def counted(number: int, noun: str, nouns: str | None = None) -> str:
    """A number and its noun; of several `nouns`, if that takes more than an s.

    >>> counted(1, "row"), counted(1200, "row"), counted(2, "class", "classes")
    ('1 row', '1,200 rows', '2 classes')
    """
    return f"{number:,} {noun if number == 1 else nouns or f'{noun}s'}"


def is_about_cells(metric: str) -> bool:
    """Whether a loss measures what cells tell, so that its fraction is a share of the information.

    >>> is_about_cells("glm"), is_about_cells("dcn")
    (True, False)
    """
    return metric in _ABOUT_CELLS


def percent(part: float) -> str:
    """A share in percent; what is neither nothing nor everything is shown as neither.

    >>> percent(0.2931), percent(0.00001), percent(0.99999), percent(1)
    ('29%', 'less than 0.1%', 'more than 99.9%', '100%')
    """
    if 0 < part < 0.001:
        return "less than 0.1%"
    if 0.999 < part < 1:
        return "more than 99.9%"
    return f"{part:.1%}" if 0 < part < 0.1 or 0.9 < part < 1 else f"{part:.0%}"


def figure(value: float) -> str:
    """A number in four digits; in more where these would make it whole, which it is not.

    >>> figure(2.0), figure(0.57128), figure(0.999967), figure(30160.5)
    ('2', '0.5713', '0.99997', '30,160.5')
    """
    if value == int(value):
        return f"{value:,.0f}"
    if abs(value) >= 1000:
        return f"{value:,.1f}"
    texts = (f"{value:.{digits}g}" for digits in range(4, 17))
    return next((text for text in texts if float(text) != round(value)), str(value))
