"""What people and machines run to build and check the project is sound itself."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_every_target_that_make_announces_has_a_rule() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    [announced] = re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)

    assert set(announced.split()) == set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))


@pytest.mark.parametrize(("ensurepip", "installed"), [("false", "python3-venv"), ("true", "")])
def test_a_machine_that_cannot_make_environments_is_given_what_it_lacks(
    tmp_path: Path, ensurepip: str, installed: str
) -> None:
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", tmp_path / ".ci" / "run")
    said = tmp_path / "installed"
    stubs = {"python3": ensurepip, "apt-get": f'echo "$@" >> {said}', "make": "true", "chromium": "true"}
    for name, line in stubs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)

    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    subprocess.run([tmp_path / ".ci" / "run"], env={"PATH": path}, check=True)

    assert (installed in said.read_text(encoding="utf-8")) if installed else not said.exists()
