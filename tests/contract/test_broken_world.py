"""A world that is full, closed, narrow or foreign: a sentence and the right exit code, never a traceback."""

import json
import os
import resource
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from paranym.cli.app import main

COMMAND = Path(sys.executable).with_name("paranym")
EVIL = "sex\x1b[2J\u202e"
RECIPE = """
[data]
source = "people.csv"
[attributes."naïve"]
role = "quasi-identifier"
hierarchy = { intervals = [10] }
[attributes.sex]
role = "quasi-identifier"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a table and its recipe, which is the current one."""
    (tmp_path / "people.csv").write_text("naïve,sex\n31,F\n34,M\n38,F\n52,M\n", encoding="utf-8")
    (tmp_path / "recipe.toml").write_text(RECIPE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def shell(folder: Path, line: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """A line of a shell in which `paranym` is the command; its pipes end as their first part does."""
    unset = [name for name, value in environment.items() if not value]
    given = {name: value for name, value in {**os.environ, **environment}.items() if name not in unset}
    line = f"set -o pipefail; paranym() {{ '{COMMAND}' \"$@\"; }}; {line}"
    done = subprocess.run(["bash", "-c", line], cwd=folder, env=given, capture_output=True, text=True, check=False)  # noqa: S607
    assert "Traceback" not in done.stderr
    return done


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("frontier recipe.toml > /dev/full", 2, "Cannot write to standard output: No space left on device."),
        ("frontier recipe.toml --json - > /dev/full", 2, "Cannot write to standard output: No space left on device."),
        ("frontier recipe.toml >&-", 2, "Cannot write to standard output: it is closed."),
        ("--help > /dev/full", 2, "Cannot write to standard output: No space left on device."),
        ("frontier recipe.toml --quiet --json /dev/full", 2, "Cannot write '/dev/full': No space left on device."),
        ("frontier recipe.toml --quiet --json out.json >&-", 0, ""),
        ("frontier gone.toml 2> /dev/full", 2, ""),
        ("frontier recipe.toml 2> /dev/full", 0, ""),
        ("hierarchy show recipe.toml | head -1", 1, ""),
    ],
    ids=str,
)
def test_output_that_takes_nothing_is_said(folder: Path, line: str, code: int, message: str) -> None:
    done = shell(folder, f"paranym {line}")

    assert done.stderr.strip() == (f"paranym: {message}" if message else "")
    assert done.returncode in {code, 0 if "head" in line else code}  # all may be written before the reader leaves


@pytest.mark.parametrize(
    "environment",
    [
        {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
        {"PYTHONIOENCODING": "ascii", "COLUMNS": "40", "TERM": "dumb", "NO_COLOR": "1"},
        {"HOME": "", "TERM": "", "XDG_CACHE_HOME": "", "LANG": ""},
        {"HOME": "/proc", "COLUMNS": "1"},
    ],
    ids=str,
)
def test_a_foreign_terminal_shows_what_it_can(folder: Path, environment: dict[str, str]) -> None:
    line = "paranym hierarchy show recipe.toml && paranym frontier recipe.toml --quiet --json -"

    done = shell(folder, line, **environment)

    assert (done.returncode, done.stderr.strip()) == (0, "")
    front = json.loads(done.stdout[done.stdout.index("{\n") :])
    assert list(front["heights"]) == ["naïve", "sex"]


@pytest.mark.usefixtures("folder")
def test_too_little_address_space_is_said() -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (600_000_000, 600_000_000))

    for arguments, code in ((["frontier", "recipe.toml"], 2), (["--version"], 0)):
        done = subprocess.run([COMMAND, *arguments], capture_output=True, text=True, check=False, preexec_fn=limit)
        assert done.returncode == code
        assert done.stderr.startswith("paranym: There is not enough memory: this process may take 0.6 GB") == bool(code)
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["frontier", "recipe.toml", "--plot", "front.svg"],
        ["frontier", "recipe.toml", "--plot", "front.html"],
        ["report", "recipe.toml", "--k", "2", "--out", "report.html"],
        ["run", "recipe.toml", "--k", "2", "--out", "out.csv", "--report", "report.html"],
        ["demo", "--folder", "demo"],
    ],
    ids=str,
)
def test_too_little_address_space_to_draw_is_said_before_the_work(folder: Path, arguments: list[str]) -> None:
    """The library that draws reserves 64 GiB, and aborts the process if it does not get them."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (8_000_000_000, 8_000_000_000))

    before = sorted(folder.iterdir())
    done = subprocess.run([COMMAND, *arguments], capture_output=True, text=True, check=False, preexec_fn=limit)

    assert done.returncode == 2
    assert done.stderr.startswith("paranym: There is not enough memory: this process may take 8.0 GB of address space")
    assert "the library that draws" in done.stderr
    assert sorted(folder.iterdir()) == before


@pytest.mark.usefixtures("folder")
def test_memory_that_runs_out_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("paranym.problem.problem.Problem.from_recipe", refuse)
    with pytest.raises(SystemExit) as end:
        main(["frontier", "recipe.toml", "--quiet"])

    assert end.value.code == 2
    assert capsys.readouterr().err.startswith("paranym: There is not enough memory.")


def test_a_pipe_is_written_to_and_stays_one(folder: Path) -> None:
    for name, command in (("front.json", "frontier --quiet --json"), ("report.html", "report --quiet --k 2 --out")):
        pipe = folder / name
        read: list[bytes] = []
        os.mkfifo(pipe)
        reader = threading.Thread(target=lambda pipe=pipe, read=read: read.append(pipe.read_bytes()))
        reader.start()
        verb, *options = command.split()
        main([verb, "recipe.toml", *options, name])
        reader.join()

        assert stat.S_ISFIFO(pipe.stat().st_mode)
        assert read[0].startswith((b"{", b"<!"))


@pytest.mark.usefixtures("folder")
def test_devices_are_written_to_and_stay_devices(capfd: pytest.CaptureFixture[str]) -> None:
    main(["frontier", "recipe.toml", "--quiet", "--json", "/dev/null"])
    main(["frontier", "recipe.toml", "--json", "/dev/stdout"])

    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    assert Path("/dev/stdout").is_symlink()
    assert json.loads(capfd.readouterr().out)["complete"]


@pytest.mark.parametrize("is_there", [True, False])
def test_a_link_is_followed_and_stays_one(folder: Path, is_there: bool) -> None:  # noqa: FBT001
    (folder / "far").mkdir()
    commands = {
        "front.json": "frontier recipe.toml --quiet --json",
        "front.svg": "frontier recipe.toml --quiet --plot",
        "report.html": "report recipe.toml --quiet --overwrite --k 2 --out",
        "out.csv": "release recipe.toml --quiet --overwrite --k 2 --out",
        **({} if is_there else {"new.toml": "init people.csv --quiet --out"}),
    }
    for name, command in commands.items():
        target = folder / "far" / name
        if is_there:
            target.write_text("old", encoding="utf-8")
        (folder / name).symlink_to(target)
        main([*command.split(), name])

        assert (folder / name).readlink() == target
        assert target.is_file()
        assert target.read_text(encoding="utf-8") != "old"
    assert sorted(path.name for path in (folder / "far").iterdir()) == sorted(commands)
    main(["verify", "out.csv", "--quiet"])


@pytest.mark.parametrize("name", ["pipe.csv", "ring.csv"])
def test_a_release_goes_into_no_pipe_and_round_no_ring(
    folder: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(folder / "pipe.csv")
    (folder / "ring.csv").symlink_to(folder / "ring.csv")
    with pytest.raises(SystemExit) as end:
        main(["release", "recipe.toml", "--k", "2", "--overwrite", "--out", name])

    assert end.value.code == 2
    assert capsys.readouterr().err.startswith(f"paranym: Cannot write '{name}': ")
    assert stat.S_ISFIFO((folder / "pipe.csv").stat().st_mode)
    assert (folder / "ring.csv").is_symlink()


def test_a_replaced_file_keeps_its_permissions(folder: Path) -> None:
    (folder / "front.json").touch(mode=0o600)
    main(["frontier", "recipe.toml", "--quiet", "--json", "front.json"])

    assert stat.S_IMODE((folder / "front.json").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "arguments",
    [
        ["audit", "evil.csv", "--quasi-identifiers", f"age,{EVIL}"],
        ["audit", "evil.csv", "--quasi-identifiers", f"gone{EVIL}"],
        ["init", "evil.csv"],
        ["frontier", "evil.toml"],
        ["frontier", f"gone{EVIL}.toml"],
        ["frontier", f"--gone{EVIL}"],
        ["hierarchy", "show", "evil.toml"],
        ["local", "evil.toml", "--k", "2"],
        ["release", "evil.toml", "--k", "2", "--out", "evil-out.csv"],
        ["search", "evil.toml", "--k", "2"],
        ["ask", "evil.toml", "--min-k", "2"],
        ["audit", "evil.csv", "--quasi-identifiers", "age", "--json", "-"],
    ],
    ids=str,
)
def test_nothing_of_others_reaches_the_terminal_raw(
    folder: Path, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "evil.csv").write_text(f"age,{EVIL}\n31,F\x1b[31m\n34,M\n38,F\x1b[31m\n52,M\n", encoding="utf-8")
    recipe = (
        f'[data]\nsource = "evil.csv"\n[attributes.age]\nrole = "quasi-identifier"\n[attributes.{json.dumps(EVIL)}]\n'
    )
    (folder / "evil.toml").write_text(f'{recipe}role = "quasi-identifier"\n', encoding="utf-8")
    try:
        main(arguments)
    except SystemExit as end:
        assert end.code in (1, 2)  # noqa: PT017 - either ending will do

    said = "".join(capsys.readouterr())
    assert said
    assert not set(said) & {"\x1b", "\u202e"}


def forge(path: Path, change: str) -> Path:
    """A saved file with one more key."""
    document = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(document | {change: 1}), encoding="utf-8")
    return path


def test_no_key_of_others_makes_a_line_of_an_error(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In a manifest, in a recipe, and in a hierarchy within it."""
    key = "x\nSignature: signed by the office"
    main(["release", "recipe.toml", "--k", "2", "--out", "out.csv", "--quiet"])
    forge(folder / "out.csv.manifest.json", key)
    (folder / "section.toml").write_text(f"{RECIPE}[{json.dumps(key)}]\na = 1\n", encoding="utf-8")
    (folder / "builder.toml").write_text(RECIPE.replace("intervals", json.dumps(key)), encoding="utf-8")
    for arguments in (["verify", "out.csv"], ["frontier", "section.toml"], ["frontier", "builder.toml"]):
        with pytest.raises(SystemExit):
            main(arguments)

        said = capsys.readouterr().err
        assert "Signature: signed" in said
        assert not any(line.lstrip().startswith("Signature:") for line in said.splitlines())


def test_errors_keep_the_lines_of_their_own(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "two.toml").write_text(RECIPE.replace("quasi-identifier", "queasy"), encoding="utf-8")
    (folder / "more.csv").write_text("naïve,sex,note\n31,F,a\n34,M,b\n", encoding="utf-8")
    (folder / "more.toml").write_text(RECIPE.replace("people", "more"), encoding="utf-8")
    for arguments, lines in (
        (["frontier", "two.toml"], 2),
        (["release", "more.toml", "--k", "2", "--out", "m.csv", "--quiet"], 3),
        (["frontier", "recipe.toml", "--gone"], 2),
    ):
        with pytest.raises(SystemExit):
            main(arguments)

        said = capsys.readouterr().err
        assert len(said.splitlines()) >= lines
        assert "\\n" not in said


def test_a_column_cannot_speak_for_a_verification(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = "sex.\nSignature: signed by the office"
    (folder / "evil.csv").write_text(f'age,"{name}"\n31,F\n34,M\n38,F\n52,M\n', encoding="utf-8")
    quasi = f'[attributes.age]\nrole = "quasi-identifier"\n[attributes.{json.dumps(name)}]\nrole = "quasi-identifier"\n'
    (folder / "evil.toml").write_text(f'[data]\nsource = "evil.csv"\n{quasi}', encoding="utf-8")
    main(["release", "evil.toml", "--k", "2", "--out", "evil-out.csv"])
    main(["verify", "evil-out.csv"])
    main(["frontier", "evil.toml"])

    said = capsys.readouterr().out
    assert "Signature: signed" in said
    assert not any(line.lstrip().startswith("Signature:") for line in said.splitlines())
