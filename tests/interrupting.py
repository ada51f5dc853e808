"""Commands that are interrupted: Ctrl-C at chosen moments, counted in function calls, so that no clock decides.

    python tests/interrupting.py FOLDER MOMENTS [COMMAND ...]     # writes one finding a line

Every command runs once undisturbed, then MOMENTS times in a fresh copy of the folder. A finding is what is wrong.
"""

import contextlib
import io
import json
import os
import shutil
import signal
import sys
from pathlib import Path
from types import FrameType

import paranym as pn
from paranym.cli.app import main

COMMANDS: dict[str, list[str]] = {
    "init": ["init", "people.csv", "--out", "made/drafted.toml", "--json", "made/draft.json"],
    "hierarchy": ["hierarchy", "build", "people.csv", "age", "intervals = [10]", "--out", "made/age.csv"],
    "frontier": ["frontier", "recipe.toml", "--json", "made/front.json", "--plot", "made/front.svg"],
    "search": ["search", "recipe.toml", "--k", "2", "--json", "made/search.json"],
    "local": ["local", "recipe.toml", "--k", "2", "--out", "made/local.csv", "--json", "made/local.json"],
    "compare": ["compare", "recipe.toml", "--k", "2", "--models", "full-domain,mondrian", "--json", "made/all.json"],
    "ask": ["ask", "recipe.toml", "--min-k", "2", "--json", "made/answer.json"],
    "release": ["release", "recipe.toml", "--k", "2", "--out", "made/out.csv", "--json", "made/manifest.json"],
    "run": ["run", "recipe.toml", "--k", "2", "--out", "made/ran.csv", "--report", "made/ran.html"],
    "report": ["report", "recipe.toml", "--k", "2", "--out", "made/report.html", "--json", "made/report.json"],
    "verify": ["verify", "old.csv", "--json", "made/verified.json"],
    "apply": ["apply", "old.csv.recoding.json", "people.csv", "--out", "made/next.csv", "--json", "made/next.json"],
    "audit": [
        "audit",
        "people.csv",
        "--quasi-identifiers",
        "age,sex",
        "--sensitive",
        "income",
        "--json",
        "made/a.json",
    ],
    "demo": ["demo", "--folder", "made/demo", "--json", "made/demo.json"],
}
PEOPLE = "age,sex,income\n" + "".join(f"{20 + n % 40},{'FM'[n % 2]},{n % 5}\n" for n in range(400))
RECIPE = """
[data]
source = "people.csv"
[attributes.age]
role = "quasi-identifier"
hierarchy = { intervals = [10, 20] }
[attributes.sex]
role = "quasi-identifier"
[attributes.income]
role = "sensitive"
"""
STOPPED = 130


def run_all() -> None:
    folder, moments, names = Path(sys.argv[1]).resolve(), int(sys.argv[2]), sys.argv[3:] or list(COMMANDS)
    prepare(folder / "before")
    for name in names:
        attempt(folder, name, None)  # what it loads and compiles, it does only once
        calls, _, said = attempt(folder, name, None)
        if said:
            print(f"{name}, undisturbed: {said}", flush=True)  # noqa: T201
        stopped = 0
        for number in range(moments):
            _, code, said = attempt(folder, name, 1 + calls * (2 * number + 1) // (2 * moments))
            stopped += code == STOPPED
            if said:
                print(f"{name}, moment {number} of {moments}: {said}", flush=True)  # noqa: T201
        if moments and not stopped:
            print(f"{name}: no interrupt stopped it", flush=True)  # noqa: T201


def prepare(folder: Path) -> None:
    (folder / "made").mkdir(parents=True)
    (folder / "people.csv").write_text(PEOPLE, encoding="utf-8")
    (folder / "recipe.toml").write_text(RECIPE, encoding="utf-8")
    os.chdir(folder)
    main(["release", "recipe.toml", "--k", "2", "--out", "old.csv", "--quiet"])


def attempt(folder: Path, name: str, moment: int | None) -> tuple[int, int, str]:
    """How many calls it took, its exit code, and what is wrong with how it ended and what it left."""
    place = folder / "place"
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(folder / "before", place)
    os.chdir(place)
    left = set(Path(os.environ["TMPDIR"]).iterdir())
    counter, out, err = Counter(moment), io.StringIO(), io.StringIO()
    code = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        sys.setprofile(counter)
        try:
            main(COMMANDS[name])
        except SystemExit as end:
            code = int(str(end.code))
        except BaseException as error:  # noqa: BLE001 - whatever comes through is told
            return counter.calls, code, f"{type(error).__name__}: {error}"
        finally:
            sys.setprofile(None)
    faults = [*wrong_ending(code, err.getvalue(), counter), *wrong_files(place / "made")]
    faults += [f"left behind: {path}" for path in set(Path(os.environ["TMPDIR"]).iterdir()) - left]
    return counter.calls, code, "; ".join(faults)


class Counter:
    """Counts calls of functions, and has Ctrl-C pressed at one of them."""

    def __init__(self, moment: int | None) -> None:
        self.moment, self.calls = moment, 0

    def __call__(self, _: FrameType, event: str, __: object) -> None:
        if event == "call":
            self.calls += 1
            if self.calls == self.moment:
                signal.raise_signal(signal.SIGINT)


def wrong_ending(code: int, err: str, counter: Counter) -> list[str]:
    """A sentence and the exit code; or a search that shows what it has, or all done already."""
    if "Traceback" in err or "Exception ignored" in err:
        return [f"a traceback: {err[-600:]}"]
    stopped = counter.moment is not None and counter.calls >= counter.moment
    if code == STOPPED and stopped:
        return [] if err.strip().endswith("paranym: Stopped.") else [f"it said {err!r}"]
    return [] if code == 0 else [f"exit code {code}: {err[-300:]}"]


def wrong_files(folder: Path) -> list[str]:
    """What is there is whole: no file under a name of its own making, JSON that can be read, releases that verify."""
    faults = []
    for path in folder.rglob("*"):
        if path.name.startswith("."):
            faults.append(f"half-made: {path.name}")
        elif path.suffix == ".json":
            json.loads(path.read_text(encoding="utf-8"))
        elif path.suffix == ".csv" and path.name not in ("age.csv", "next.csv"):
            try:
                faults += [] if pn.verify_release(path).holds else [f"{path.name} does not verify"]
            except pn.ParanymError as error:
                faults.append(f"{path.name}: {error}")
        elif path.is_file() and not path.stat().st_size:
            faults.append(f"{path.name} is empty")
    return faults


if __name__ == "__main__":
    run_all()
