"""Words that sentences, tables and plots share, so that all of them call the same thing the same."""

_ABOUT_CELLS = ("glm", "ncp", "precision", "height", "entropy")


def counted(number: int, noun: str) -> str:
    """A number and its noun.

    >>> counted(1, "row"), counted(1200, "row")
    ('1 row', '1,200 rows')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def is_about_cells(metric: str) -> bool:
    """Whether a loss measures what cells tell, so that its fraction is a share of the information.

    >>> is_about_cells("glm"), is_about_cells("dcn")
    (True, False)
    """
    return metric in _ABOUT_CELLS
