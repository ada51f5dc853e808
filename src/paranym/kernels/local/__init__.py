"""Compiled loops over groups of rows."""

from paranym.kernels._jit import forget_stale_machine_code, place_of_machine_code


def _nothing() -> None:
    """Never called; it identifies the folder where numba keeps the machine code of these kernels."""


forget_stale_machine_code(place_of_machine_code(_nothing))
