"""Writing reports as HTML pages and PDF files, each completely or not at all."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from paranym.errors import BadInput
from paranym.files.writing import check_writable, is_stream, pour
from paranym.plots.saving import check_drawing
from paranym.problem import Problem
from paranym.releases.releasing import Release
from paranym.releases.staging import exists, leftovers, publish, remove, staged
from paranym.releases.writing import Tell
from paranym.report.account import Account
from paranym.report.gathering import account_of
from paranym.report.page import report_page
from paranym.report.printing import browser, print_page
from paranym.results.front import Front, Point

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
    """Write a report on a choice for reviewers (data protection officer, ethics board): one page that works offline.

    `to` ends in .html, or in .pdf, which needs a browser on this machine to print it; a list names several files. The
    report is on the `release` if you give one. Otherwise it is on a trial release of the `point`, or of the knee of the
    front, that is written, read back and deleted. `chosen` says how the point was chosen, as in `pn.release`;
    `command` is the command that produces the same release. Existing files are kept unless `overwrite` is true. Values
    of the table are named only where at least k rows share them.

    >>> import paranym as pn
    >>> import pyarrow as pa
    >>> import tempfile
    >>> people = pa.table({"age": [31, 34, 38, 52, 55, 58], "sex": ["F", "M", "F", "M", "F", "M"]})
    >>> problem = pn.Problem(people, quasi_identifiers={"age": {"intervals": [10, 20]}, "sex": None})
    >>> front = pn.frontier(problem)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = pn.write_report(problem, front, f"{folder}/report.html", point=front[1])
    ...     "k-anonymous with k = 3" in written.read_text(encoding="utf-8")
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
    """Write the report to all files: none before all are made, and each completely or not at all."""
    html = report_page(account)
    with ExitStack() as folders:
        made = []
        for file in files:
            for folder in leftovers(file):
                remove(folder)
            made.append(_made(html, file, folders.enter_context(staged(file))))
        for one, file in zip(made, files, strict=True):
            if is_stream(file):
                pour(one, file)
            else:
                publish(one, file, overwrite=overwrite)


def check_report_files(files: Sequence[Path], *, overwrite: bool = False) -> None:
    """Raise before a long search if a report cannot be written to these files."""
    if not files:
        raise BadInput("Name at least one file for the report, such as report.html.")
    check_drawing()
    for file in files:
        if file.suffix.lower() not in _ENDINGS:
            raise BadInput(f"A report is written as .html or .pdf; got {file.name!r}.")
        check_writable(file)
        if file.exists() and not overwrite and not is_stream(file):
            raise exists(file)
    if any(file.suffix.lower() == ".pdf" for file in files):
        browser()


def _made(html: str, file: Path, folder: Path) -> Path:
    """Return the report, written to a temporary folder."""
    page = folder / "report.html"
    page.write_text(html, encoding="utf-8")
    return print_page(page, folder / "report.pdf") if file.suffix.lower() == ".pdf" else page
