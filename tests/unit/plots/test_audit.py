"""The picture of class sizes."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import paranym as pn
from paranym.errors import BadInput
from paranym.plots.audit import _bars, audit_plot, save_audit_plot


def audit(*sizes: int, name: str = "q") -> pn.Audit:
    values = [i for i, size in enumerate(sizes) for _ in range(size)]
    return pn.audit(pa.table({name: values}), quasi_identifiers=[name])


def ranges(bars: list[dict[str, Any]]) -> list[str]:
    return [bar["size"].replace("\N{EN DASH}", "-") for bar in bars]


def test_bars_hold_all_rows_and_end_with_the_largest_class() -> None:
    bars = _bars(audit(1, 1, 3, 7, 250).sizes)

    assert sum(bar["share"] for bar in bars) == pytest.approx(1)
    assert ranges(bars) == ["1", "2", "3", "4", "5-9", "10-19", "20-49", "50-99", "100-199", "200-499"]
    assert [bar["kind"] for bar in bars[:5]] == [
        "unique record",
        *["class of fewer than five"] * 3,
        "class of five or more",
    ]


def test_one_class_has_a_picture_too() -> None:
    assert ranges(_bars(audit(1).sizes)) == ["1", "2", "3", "4", "5-9"]


def test_a_name_cannot_break_out_of_the_page(tmp_path: Path) -> None:
    save_audit_plot(audit(2, name="</script><b>\n"), tmp_path / "plot.html")

    assert "</script><b>" not in (tmp_path / "plot.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_pictures_are_written(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"plot.{ending}"
    save_audit_plot(audit(1, 5), path)

    assert path.stat().st_size > 1000
    with pytest.raises(BadInput, match="A plot is written as"):
        save_audit_plot(audit(1), tmp_path / "plot.doc")


def test_the_plot_is_described_for_those_who_cannot_see_it() -> None:
    spec = json.loads(audit_plot(audit(1, 5)).to_json())

    assert "1 in 6 rows" in spec["description"]
