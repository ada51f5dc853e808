"""Reports as files: a page, and what a browser prints of it; there whole or not at all."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from paranym.errors import BadInput
from paranym.model.front import Front, Point
from paranym.problem import Problem
from paranym.releases.releasing import Release, Tell
from paranym.releases.staging import exists, leftovers, publish, remove, staged
from paranym.report.account import Account
from paranym.report.page import report_page
from paranym.report.printing import browser, print_page
from paranym.reporting.gathering import account_of

_ENDINGS = (".html", ".htm", ".pdf")


def write_report(
    problem: Problem,
    front: Front,
    to: Path | str | Sequence[Path | str],
    *,
    point: Point | None = None,
    release: Release | None = None,
    chosen: Mapping[str, Any] | None = None,
    command: str | None = None,
    overwrite: bool = False,
    memory: str | None = None,
    tell: Tell | None = None,
) -> Path:
    """Write an account of a choice, for a board that has to agree to it: one page that works offline.

    `to` ends in .html, or in .pdf, which takes a browser on this machine to print it; a list names several files. The
    page tells about the `release`, if there is one, which settles the point as well. Otherwise it tells what a release
    of the `point` would be, from one that is made, read back and thrown away; without a point, of the knee of the
    front. `chosen` says how the point was chosen, as in `pn.release`, and `command` what makes the same again. Nothing
    is overwritten unless `overwrite` says so. Values of the table are told only where at least k rows share them.

    >>> import paranym as pn
    >>> import pyarrow as pa
    >>> import tempfile
    >>> people = pa.table({"age": [31, 34, 38, 52, 55, 58], "sex": ["F", "M", "F", "M", "F", "M"]})
    >>> problem = pn.Problem(people, quasi_identifiers={"age": {"intervals": [10, 20]}, "sex": None})
    >>> front = pn.frontier(problem)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = pn.write_report(problem, front, f"{folder}/report.html", point=front[1])
    ...     "at least 3 people" in written.read_text(encoding="utf-8")
    True
    """
    files = [Path(each) for each in ([to] if isinstance(to, str | Path) else to)]
    check_report_files(files, overwrite=overwrite)
    found = account_of(
        problem, front, point=point, release=release, chosen=chosen, command=command, memory=memory, tell=tell
    )
    if tell is not None:
        tell("writing the report")
    save_report(found, files, overwrite=overwrite)
    return files[0]


def save_report(account: Account, files: Sequence[Path], *, overwrite: bool = False) -> None:
    """Write what was gathered: no file before all are made, and each whole or not at all."""
    html = report_page(account)
    with ExitStack() as folders:
        made = []
        for file in files:
            for folder in leftovers(file):
                remove(folder)
            made.append(_made(html, file, folders.enter_context(staged(file))))
        for one, file in zip(made, files, strict=True):
            publish(one, file, overwrite=overwrite)


def check_report_files(files: Sequence[Path], *, overwrite: bool = False) -> None:
    """Raise if a report cannot be written there; better now than after a long search."""
    if not files:
        raise BadInput("Say where the report shall go, such as report.html.")
    for file in files:
        if file.suffix.lower() not in _ENDINGS:
            raise BadInput(f"A report is written as .html or .pdf; got {file.name!r}.")
        if file.is_dir() or not file.parent.is_dir():
            raise BadInput(f"Cannot write {str(file)!r}: there is no folder {str(file.parent)!r}, or it is a folder.")
        if file.exists() and not overwrite:
            raise exists(file)
    if any(file.suffix.lower() == ".pdf" for file in files):
        browser()


class Reporter:
    """What a front writes reports with: it knows the problem that the front does not. Copies of the front share it."""

    def __init__(self, problem: Problem) -> None:
        """For fronts of that problem."""
        self._problem = problem

    def __call__(self, front: Front, to: Path | str, *, point: Point | None, overwrite: bool) -> Path:
        """Write a report about a front."""
        return write_report(self._problem, front, to, point=point, overwrite=overwrite)

    def __deepcopy__(self, _: object) -> "Reporter":
        return self

    def __reduce__(self) -> tuple[Callable[[], None], tuple[()]]:
        """A front that goes elsewhere leaves the table behind."""
        return _nothing, ()


def _nothing() -> None:
    return None


def _made(html: str, file: Path, folder: Path) -> Path:
    """The report, made aside."""
    page = folder / "report.html"
    page.write_text(html, encoding="utf-8")
    return print_page(page, folder / "report.pdf") if file.suffix.lower() == ".pdf" else page
