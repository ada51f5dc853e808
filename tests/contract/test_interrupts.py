"""Ctrl-C at any moment of any command: a sentence, the exit code, nothing half-written.

Every command is interrupted at two moments here, and at ten with `make soak`; `demo`, the longest, only there.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from interrupting import COMMANDS

SCRIPT = Path(__file__).parents[1] / "interrupting.py"
SOAK = bool(os.environ.get("SOAK"))
LONG = {"demo"}


def interrupted(folder: Path, moments: int, *names: str) -> str:
    (folder / "tmp").mkdir()
    done = subprocess.run(
        [sys.executable, SCRIPT, folder / "work", str(moments), *names],
        env={**os.environ, "TMPDIR": str(folder / "tmp"), "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + (done.stderr if done.returncode else "")


@pytest.mark.parametrize("names", [[name] for name in COMMANDS] if SOAK else [sorted(set(COMMANDS) - LONG)], ids=str)
def test_ctrl_c_ends_every_command_in_a_sentence(tmp_path: Path, names: list[str]) -> None:
    assert interrupted(tmp_path, 10 if SOAK else 2, *names) == ""
