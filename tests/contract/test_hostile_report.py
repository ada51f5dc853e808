"""Whatever a table, its columns and its hierarchies hold: a report shows it as text, runs nothing and asks for nothing.

The page is opened in a real browser whose only way out is a server that writes down what it is asked. A page that is
not a report, with the same content, shows that the browser would run it and that the server would hear of it.
"""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from html.parser import HTMLParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest

import paranym as pn
from paranym.report.printing import browser

LEAK = "http://leak.example/"
SCRIPT = "<script>document.title='owned'</script>"
IMAGE = f'"><img src="{LEAK}image" onerror="document.title=\'owned\'">'
STYLE = f"</style><style>body{{background:url({LEAK}style)}}</style><link rel=stylesheet href={LEAK}link>"
FRAME = f"</title></textarea>--><svg/onload=document.title='owned'><iframe src='{LEAK}frame'></iframe>"
FORMULA = '=HYPERLINK("http://leak.example/","x")\'; DROP TABLE people; --'
TANGLED = "a\r\nb\t\u202eevil\u202c \u0000\ud7ff 名前 🙈 ]]> &lt;script&gt;"
HUGE = "x" * 1_000_000
AWKWARD = [SCRIPT, IMAGE, STYLE, FRAME, FORMULA, TANGLED]
FORBIDDEN = {
    "script",
    "img",
    "iframe",
    "object",
    "embed",
    "link",
    "a",
    "form",
    "base",
    "audio",
    "video",
    "image",
    "use",
}


class Elements(HTMLParser):
    """The elements of a page, and attributes that would run or load something."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.risky: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            if name.startswith("on") or name in {"src", "href", "srcset", "action", "data"}:
                self.risky.append(f"{tag} {name}={value}")


@pytest.fixture
def asked() -> Iterator[tuple[int, list[str]]]:
    """The port of a server that all requests of the browser go through, and what it was asked for."""
    heard: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def _note(self) -> None:
            heard.append(self.requestline)
            self.send_error(404)

        do_GET = do_POST = do_HEAD = do_CONNECT = _note  # noqa: N815 - names that the base class looks up

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name in the base class
            """Stay silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_port, heard
    server.shutdown()
    thread.join()
    server.server_close()


def opened(page: Path, port: int, profile: Path) -> str:
    """The page as the browser has it once everything has loaded and run."""
    command = [
        *(browser(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"),
        *("--disable-background-networking", f"--user-data-dir={profile}"),
        *(f"--proxy-server=127.0.0.1:{port}", "--proxy-bypass-list=<-loopback>"),
        *("--virtual-time-budget=4000", "--dump-dom", page.resolve().as_uri()),
    ]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=True)
    return done.stdout


def people() -> pa.Table:
    """A table whose names, keys and other columns are all of them hostile; every key is repeated five times."""
    rows = 10 * len(AWKWARD)
    keys = [AWKWARD[n // 10] for n in range(rows)]
    return pa.table(
        {
            "select": [n // 5 for n in range(rows)],
            SCRIPT: keys,
            f"{IMAGE}{HUGE}": [HUGE if n % 2 else "short" for n in range(rows)],
            'from "where"': [AWKWARD[n % 5] for n in range(rows)],
            STYLE: [FORMULA] * rows,
            TANGLED: [f"name {n}" for n in range(rows)],
        }
    )


def problem(data: object) -> pn.Problem:
    tree = [[text, f"{FRAME}{n // 3}", "*"] for n, text in enumerate(AWKWARD)]
    return pn.Problem(
        data,
        quasi_identifiers={"select": {"intervals": [10]}, SCRIPT: tree, f"{IMAGE}{HUGE}": None},
        sensitive=['from "where"'],
        identifiers=[TANGLED],
        keep=[STYLE],
        suppression=0.2,
    )


@pytest.mark.browser
@pytest.mark.parametrize("kind", ["frame", "parquet"])
def test_nothing_in_a_table_runs_or_leaves(kind: str, tmp_path: Path, asked: tuple[int, list[str]]) -> None:
    data: object = people()
    if kind == "parquet":
        data = tmp_path / "<b>people.parquet"
        pq.write_table(people(), data)
    stated = problem(data)
    front = pn.frontier(stated)
    point = pn.ask(front, min_k=10).point
    released = pn.release(stated, point, None if kind == "frame" else tmp_path / "<i>out.parquet")

    file = pn.write_report(stated, front, tmp_path / "report.html", point=point, release=released)
    page = file.read_text(encoding="utf-8")
    shown = opened(file, asked[0], tmp_path / "profile")

    for text in (page, shown):
        elements = Elements(text)
        assert not elements.tags & FORBIDDEN
        assert elements.risky == []
        assert "&lt;script&gt;document.title" in text  # it is there, as text
    assert "<title>Release report" in shown
    assert not [line for line in asked[1] if "leak" in line]
    assert len(page) < 400_000  # a cell of a megabyte does not take the page over
    assert "\u202e" not in page


@pytest.mark.browser
def test_the_browser_would_run_and_ask_if_it_were_let(tmp_path: Path, asked: tuple[int, list[str]]) -> None:
    page = tmp_path / "open.html"
    page.write_text(f"<!DOCTYPE html><title>still</title>{IMAGE}{SCRIPT}", encoding="utf-8")

    shown = opened(page, asked[0], tmp_path / "profile")

    assert "<title>owned</title>" in shown
    assert any("leak.example/image" in line for line in asked[1])


def test_a_hostile_release_as_csv_keeps_every_cell_and_is_harmless_in_a_spreadsheet(tmp_path: Path) -> None:
    data = people().drop_columns([f"{IMAGE}{HUGE}", TANGLED, STYLE]).append_column("=1+1", pa.array([FORMULA] * 60))
    asked = {"select": {"intervals": [10]}, SCRIPT: None}
    stated = pn.Problem(data, quasi_identifiers=asked, keep=["=1+1", 'from "where"'], suppression=0.2)
    point = pn.ask(pn.frontier(stated), min_k=10).point

    pn.release(stated, point, tmp_path / "out.csv", neutralize_formulas=True)

    written = pa_csv.read_csv(tmp_path / "out.csv", parse_options=pa_csv.ParseOptions(newlines_in_values=True))
    assert set(written.column("'=1+1").to_pylist()) == {f"'{FORMULA}"}
    assert set(written.column('from "where"').to_pylist()) == {
        f"'{text}" if text.startswith(("=", "+", "-", "@")) else text for text in AWKWARD[:5]
    }


def test_a_recipe_with_hostile_names_runs_from_the_command_line(tmp_path: Path) -> None:
    table = people().select(["select", SCRIPT, 'from "where"'])
    pq.write_table(table, tmp_path / "people.parquet")
    roles = {"select": "quasi-identifier", SCRIPT: "quasi-identifier", 'from "where"': "sensitive"}
    recipe = tmp_path / "recipe.toml"
    lines = ["[data]", "source = 'people.parquet'"]
    lines += [f"[attributes.{json.dumps(name)}]\nrole = '{role}'" for name, role in roles.items()]
    recipe.write_text("\n".join(lines), encoding="utf-8")

    command = [sys.executable, "-m", "paranym", "run", recipe.name, "--k", "5"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False)

    assert done.returncode == 0, done.stderr
    assert "people-report.html" in done.stdout
    assert "<script" not in (tmp_path / "people-report.html").read_text(encoding="utf-8")
