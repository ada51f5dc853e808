"""Run all benchmarks, each in a process of its own, and print what they measured."""

import subprocess
import sys
from pathlib import Path

SCRIPTS = ("startup", "evaluation", "engine", "engines", "search", "large", "huge", "audit", "cuts", "release")


def main() -> None:
    for script in SCRIPTS:
        print(f"\n{script}", flush=True)
        subprocess.run([sys.executable, str(Path(__file__).parent / f"{script}.py")], check=True)


if __name__ == "__main__":
    main()
