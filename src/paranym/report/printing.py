"""Printing a page to PDF with a browser of this machine."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from paranym.errors import NoBrowser

_NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
    "microsoft-edge-stable",
    "msedge",
    "brave-browser",
)
_PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe",
)
_SECONDS = 120
_QUIET = (
    "--headless",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-background-networking",
    "--no-first-run",
    "--no-pdf-header-footer",
)


def browser() -> str:
    """Return a browser that can print without a window, or raise if there is none."""
    for name in _NAMES:
        found = shutil.which(name)
        if found is not None:
            return found
    for place in _PLACES:
        if Path(place).is_file():
            return place
    raise NoBrowser(_NAMES[:4])


def print_page(page: Path, pdf: Path) -> Path:
    """Print a page to a PDF file."""
    chosen = browser()
    with tempfile.TemporaryDirectory(prefix="paranym-print-") as profile:
        # a browser that runs as root, as in a container, starts only without its sandbox; the page holds no script
        rooted = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
        command = [
            chosen,
            *_QUIET,
            *rooted,
            f"--user-data-dir={profile}",
            f"--print-to-pdf={pdf.resolve()}",
            page.resolve().as_uri(),
        ]
        try:
            done = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False)  # noqa: S603 - ours
        except (OSError, subprocess.TimeoutExpired) as error:
            raise NoBrowser((), chosen, type(error).__name__) from error
    if not (pdf.is_file() and pdf.read_bytes()[:5] == b"%PDF-"):
        raise NoBrowser((), chosen, f"exit code {done.returncode}")
    return pdf
