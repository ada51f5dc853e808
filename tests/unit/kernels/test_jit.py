"""Machine code is looked for, and forgotten, where numba keeps it."""

import os
import subprocess
import sys
from pathlib import Path

LOOK = "from paranym.kernels import _jit; print(_jit.is_compiled(), _jit._MACHINE_CODE)"


def look(folder: Path) -> list[str]:
    """Whether there is machine code and where, in a process of its own that keeps machine code under `folder`."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder)}
    done = subprocess.run([sys.executable, "-c", LOOK], env=environment, capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_machine_code_is_kept_where_numba_is_told_to(tmp_path: Path) -> None:
    compiled, place = look(tmp_path)

    assert compiled == "False"
    assert Path(place).is_relative_to(tmp_path)
    (Path(place) / "kernel.nbi").touch()
    assert look(tmp_path)[0] == "True"


def test_machine_code_of_other_sources_is_forgotten_there(tmp_path: Path) -> None:
    place = Path(look(tmp_path)[1])
    (place / "kernel.nbi").touch()
    (place / "sources.sha256").write_text("of another version")

    assert look(tmp_path)[0] == "False"
    assert not (place / "kernel.nbi").exists()
