"""A worker whose reader fails at its second case and aborts at its fourth: to see that a campaign notices."""

import os
import sys
from pathlib import Path

import fuzzing
from fuzz_targets import TARGETS, Target
from paranym.errors import BadInput


def _read(path: Path) -> None:
    match path.stem:
        case "case2":
            _ = 1 / 0
        case "case4":
            os.abort()
        case "case5":
            raise BadInput("refused")


if __name__ == "__main__":  # the tests import this file too, and their campaigns must not have this target
    TARGETS["broken"] = Target("broken", ".x", lambda _: [b"sound"], (lambda _, data: data,), _read, soak=6)
    sys.exit(fuzzing.main())
