"""How long the command takes to answer, against importing NumPy."""

import subprocess
import sys
from pathlib import Path

from measure import report, seconds


def main() -> None:
    command = Path(sys.executable).parent / "paranym"
    numpy, answer = seconds(
        lambda: subprocess.run([sys.executable, "-c", "import numpy"], check=True),
        lambda: subprocess.run([command, "--help"], check=True, stdout=subprocess.DEVNULL),
    )
    report("python -c 'import numpy'", numpy, " s")
    report("paranym --help", answer, " s")
    report("  ratio", answer / numpy, "x", bar=3)


if __name__ == "__main__":
    main()
