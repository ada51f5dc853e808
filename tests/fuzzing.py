"""Damaged files, read one after the other by a process of its own, so that a crash or a hang has a culprit.

    python tests/fuzzing.py front:0:1000                       read as a worker does
    python tests/fuzzing.py --soak front csv                   a long campaign, with figures; over all without names
    python tests/fuzzing.py --soak --jobs 2                    the same, two targets at a time
    python tests/fuzzing.py front --case 123 --keep FILE       one case, with its traceback and the file

Nothing but success or a `ParanymError` is an outcome; a worker says which case it begins, and what went wrong.
"""

import argparse
import json
import os
import selectors
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from fuzz_targets import TARGETS, Target, make_case
from paranym.errors import ParanymError

SEED = 20_261_116
PATIENCE = 180.0
"""Seconds after which a case hangs: far more than any takes, also beside other work."""
MEMORY = 4 * 10**9
"""Bytes that reading a file of a few kilobytes may take, the libraries themselves included."""
HERE = Path(__file__)


@dataclass
class Campaign:
    """What became of the cases of one target."""

    target: str
    cases: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    """Each with the command that shows it again."""
    seconds: float = 0.0


def run(plan: Mapping[str, int], *, seed: int = SEED, most_failures: int = 20) -> dict[str, Campaign]:
    """Read damaged files in workers, as many of each target as the plan says.

    After a worker that dies, the next goes on behind the case that killed it.
    """
    began, found = time.perf_counter(), {name: Campaign(name) for name in plan}
    left = {name: range(cases) for name, cases in plan.items()}
    while left and sum(len(each.failures) for each in found.values()) < most_failures:
        left = _follow(left, seed, found)
    for each in found.values():
        each.seconds = time.perf_counter() - began
    return found


def _follow(plan: Mapping[str, range], seed: int, found: Mapping[str, Campaign]) -> dict[str, range]:
    """One worker; returns what it leaves to the next."""
    asked = [f"{name}:{cases.start}:{cases.stop}" for name, cases in plan.items()]
    command = [sys.executable, str(HERE), *asked, "--seed", str(seed)]
    left, name, current = dict(plan), next(iter(plan)), -1
    with tempfile.TemporaryFile() as said, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said) as worker:
        lines = _Lines(worker)
        while (line := lines.next()) is not None:
            kind, name, rest = line.split(" ", 2)
            if kind == "begin":
                current = int(rest)
                found[name].cases += 1
            elif kind == "failed":
                found[name].failures.append(f"{_again(name, current, seed)}\n{json.loads(rest)}")
            elif kind == "ended":
                found[name].outcomes[rest] += 1
            else:
                del left[name]
        worker.kill()
        worker.wait()
        if left:
            name = next(iter(left))
            said.seek(0)
            last = said.read().decode(errors="replace")[-3000:]
            why = lines.why or f"the worker ended with code {worker.returncode}"
            found[name].failures.append(f"{_again(name, current, seed)}\n{why}\n{last}")
            left[name] = range(max(current, left[name].start) + 1, left[name].stop)
    return {name: cases for name, cases in left.items() if cases}


def _again(name: str, case: int, seed: int) -> str:
    return f"python tests/{HERE.name} {name} --seed {seed} --case {case}"


class _Lines:
    """What a worker says, line by line, until it ends, hangs, or takes too much memory."""

    def __init__(self, worker: subprocess.Popen[bytes]) -> None:
        self._worker, self._waiting, self.why = worker, b"", ""
        self._selector = selectors.DefaultSelector()
        if worker.stdout is not None:
            self._selector.register(worker.stdout, selectors.EVENT_READ)

    def next(self) -> str | None:
        while b"\n" not in self._waiting:
            if not self._selector.select(PATIENCE):
                self.why = f"no answer within {PATIENCE:.0f} seconds"
                return None
            if self._resident() > MEMORY:
                self.why = f"more than {MEMORY:,} bytes of memory"
                return None
            block = os.read(self._worker.stdout.fileno(), 2**16) if self._worker.stdout is not None else b""
            if not block:
                return None
            self._waiting += block
        line, _, self._waiting = self._waiting.partition(b"\n")
        return line.decode()

    def _resident(self) -> int:
        told = Path(f"/proc/{self._worker.pid}/statm")
        try:
            return int(told.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, IndexError):
            return 0


def work(target: Target, cases: range, seed: int, folder: Path) -> None:
    """Read case after case, and say so."""
    warnings.simplefilter("error")
    seeds = target.seeds(folder)
    for sound in seeds:
        _check_sound(target, sound, folder)
    for number in cases:
        _say(f"begin {target.name} {number}")
        path = folder / f"case{number % 10}{target.suffix}"
        path.write_bytes(make_case(target, seeds, seed, number))
        try:
            target.read(path)
            outcome = "read"
        except ParanymError as error:
            outcome = type(error).__name__ if str(error) else "an error without words"
        except BaseException:  # noqa: BLE001 - a panic of a library is none of Exception
            outcome = "failed"
            _say(f"failed {target.name} {json.dumps(traceback.format_exc()[-3000:])}")
        _say(f"ended {target.name} {outcome}")
    _say(f"end {target.name} {len(cases)}")


def _check_sound(target: Target, sound: bytes, folder: Path) -> None:
    """A campaign over files that were never read proves nothing; only what nobody may read is refused."""
    path = folder / f"sound{target.suffix}"
    path.write_bytes(sound)
    target.read(path)


def _say(line: str) -> None:
    os.write(1, f"{line}\n".encode())


def main() -> int:
    """Work, or show one case, or run a campaign; the exit code is 1 if anything in it failed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("targets", nargs="*", metavar="TARGET[:FIRST:END]")
    parser.add_argument(
        "--soak", action="store_true", help="a long campaign over these targets, or over all, with figures"
    )
    parser.add_argument("--jobs", type=int, default=1, help="targets at a time in a long campaign")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--case", type=int)
    parser.add_argument("--keep", type=Path)
    asked = parser.parse_args()
    if asked.soak:
        return _soak(asked.targets or list(TARGETS), asked.seed, asked.jobs)
    for each in asked.targets:
        name, first, end = each.split(":") if ":" in each else (each, "0", "100")
        with tempfile.TemporaryDirectory() as folder:
            if asked.case is None:
                work(TARGETS[name], range(int(first), int(end)), asked.seed, Path(folder))
            else:
                _show(TARGETS[name], asked.seed, asked.case, Path(folder), asked.keep)
    return 0


def _soak(names: Sequence[str], seed: int, jobs: int) -> int:
    """A long campaign over targets; each is reported as soon as those before it have ended."""
    campaigns = []
    with ThreadPoolExecutor(jobs) as pool:
        for found in pool.map(lambda name: run({name: TARGETS[name].soak}, seed=seed)[name], names):
            _report(found)
            campaigns.append(found)
    cases, failures = (sum(each) for each in zip(*((c.cases, len(c.failures)) for c in campaigns), strict=True))
    _say(f"all: {cases:,} cases; {failures} failures")
    asked = sum(TARGETS[name].soak for name in names)
    return 1 if failures or cases < asked else 0


def _report(found: Campaign) -> None:
    outcomes = ", ".join(f"{count:,} {outcome}" for outcome, count in found.outcomes.most_common())
    pace = f"{found.seconds:,.0f} s, {found.cases / max(found.seconds, 1e-9):,.1f} per second"
    _say(f"{found.target}: {found.cases:,} cases ({pace}): {outcomes}; {len(found.failures)} failures")
    for failure in found.failures:
        _say(failure)


def _show(target: Target, seed: int, case: int, folder: Path, keep: Path | None) -> None:
    made = make_case(target, target.seeds(folder), seed, case)
    path = folder / f"case{case % 10}{target.suffix}"
    for place in (path, *([] if keep is None else [keep])):
        place.write_bytes(made)
    target.read(path)


if __name__ == "__main__":
    sys.exit(main())
