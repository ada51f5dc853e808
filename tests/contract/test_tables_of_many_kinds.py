"""Tables of other trades, countries and formats: what identifies is left out, the rest is generalized as one would."""

import csv
import datetime as dt
import gzip
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import paranym as pn

Row = dict[str, Any]
Pick = random.Random
Make = Callable[[Pick, int], Row]

GIVEN = ["Ann", "Ben", "Cem", "Dora", "Emil", "Fay", "Gil", "Hana", "Ivo"]
FAMILY = ["Smith", "Müller", "García", "O'Neil", "Nguyen", "Rossi", "Ivanov", "Larsen"]


def day(pick: Pick, first: int, last: int) -> dt.date:
    return dt.date(first, 1, 1) + dt.timedelta(days=pick.randrange(365 * (last - first)))


def hospital(pick: Pick, number: int) -> Row:
    return {
        "encounter_id": f"E{number:06d}",
        "mrn": f"{pick.randrange(150):07d}",
        "dob": day(pick, 1895, 2015),
        "zip": f"0{pick.randrange(2100, 2130)}-{pick.randrange(1000, 9999)}",
        "admission_date": day(pick, 2021, 2023),
        "icd10": pick.choice(["E11.9", "I10", "J45.909", "F32.1", "C50.911", "S72.001A"]),
        "attending_physician": f"{pick.choice(FAMILY)}, {pick.choice(GIVEN)}",
        "total_charges": round(pick.lognormvariate(9, 1), 2),
        "ward": "B",
        "notes": "",
    }


def payroll(pick: Pick, number: int) -> Row:
    department = pick.choice(["Sales", "Finance", "Research"])
    return {
        "Full Name": f"{pick.choice(GIVEN)} {pick.choice(FAMILY)}",
        "Work Email": f"someone{number}@example.org",
        "Department": department,
        "Dept Code": department[0] * 2,
        "Hire Date": day(pick, 1995, 2024).strftime("%m/%d/%Y"),
        "Base Salary": f"${pick.randrange(40, 90) * 1000:,}",
        "Remote?": pick.choice(["Yes", "No"]),
        "Age": pick.randrange(19, 70),
    }


def calls(pick: Pick, number: int) -> Row:
    return {
        "call": f"{number:08x}-0000-4000-8000-{pick.randrange(10**12):012d}",
        "caller": f"+49171{pick.randrange(30):07d}",
        "callee": f"+4930{pick.randrange(30):07d}",
        "start": dt.datetime(2024, 1, 1, tzinfo=dt.UTC) + dt.timedelta(seconds=pick.randrange(10**7)),
        "src": f"10.0.{pick.randrange(9)}.{pick.randrange(9)}",
        "imsi": 262010000000000 + pick.randrange(40),
        "seconds": int(pick.expovariate(1 / 12)) * 10,
        "type": pick.choice(["voice", "text"]),
    }


def survey(pick: Pick, number: int) -> Row:
    likert = ["Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"]
    return {
        "ResponseId": f"R_{pick.randrange(16**10):010x}",
        "IPAddress": f"192.0.{pick.randrange(256)}.{pick.randrange(256)}",
        "AgeGroup": pick.choice(["18-29", "30-49", "50-64", "65+"]),
        "Q1": pick.choice(likert),
        "Q2": pick.randrange(1, 6),
        "comment": f"I was told by number {number} that all of this would be kept between us" if number % 2 else "",
        "HouseholdIncome": pick.choice(["<20k", "20k-40k", ">40k"]),
        "weighting": round(pick.uniform(0.2, 3), 6),
    }


def laboratory(pick: Pick, number: int) -> Row:
    return {
        "subject": f"S{number % 60:03d}",
        "age": round(pick.uniform(18, 90), 1),
        "base_excess": round(pick.gauss(0, 3), 1),
        "glucose": pick.choice([round(pick.gauss(100, 20)), round(pick.gauss(100, 20)), ""]),
        "temp": round(pick.gauss(36.8, 0.5), 1),
        "sex": pick.choice([1, 2]),
        "diabetic": pick.choice(["true", "false"]),
    }


def german(pick: Pick, number: int) -> Row:
    return {
        "Kundennummer": 10_000 + number * 7 % 1000,
        "Vorname": pick.choice(GIVEN),
        "Geburtsdatum": day(pick, 1930, 2005).strftime("%d.%m.%Y"),
        "Geschlecht": pick.choice(["männlich", "weiblich", "divers"]),
        "Postleitzahl": f"{pick.choice(['01', '50', '53', '80'])}{pick.randrange(20):03d}",
        "Größe": f"{pick.uniform(1.5, 2):.2f}".replace(".", ","),
        "Konfession": pick.choice(["ev", "rk", "keine"]),
    }


def school(pick: Pick, number: int) -> Row:
    level = pick.randrange(1, 13)
    return {
        "student_no": 2_020_000 + number,
        "student_name": f"{pick.choice(GIVEN)} {pick.choice(FAMILY)}",
        "grade_level": level,
        "birth_year": 2018 - level - pick.randrange(2),
        "gpa": round(pick.uniform(1, 4), 1),
        "parent_email": f"p{number}@example.org",
        "home_language": pick.choice(["English", "Spanish", "Hmong"]),
    }


def spanish(pick: Pick, number: int) -> Row:
    return {
        "nombre": pick.choice(GIVEN),
        "apellidos": pick.choice(FAMILY),
        "dni": f"{10**7 + number * 31}K",
        "sexo": pick.choice(["H", "M"]),
        "código_postal": f"{pick.choice(['08', '28', '41'])}{pick.randrange(30):03d}",
        "fecha_nacimiento": day(pick, 1950, 2005).strftime("%d/%m/%Y"),
        "diagnóstico": pick.choice(["asma", "gripe"]),
        "teléfono": f"6{pick.randrange(10**8):08d}",
    }


TABLES: dict[Make, dict[str, str]] = {
    hospital: {
        "encounter_id mrn attending_physician": "identifier",
        "total_charges": "drop",
        "dob admission_date": "dates",
        "zip": "prefix",
        "icd10": "sensitive",
        "ward notes": "keep",
    },
    payroll: {
        "Full_Name Work_Email": "identifier",
        "Dept_Code": "drop",
        "Hire_Date": "dates",
        "Age": "intervals",
        "Base_Salary": "sensitive",
        "Department Remote?": "quasi-identifier",
    },
    calls: {
        "call caller callee src imsi": "identifier",
        "start": "dates",
        "seconds": "intervals",
        "type": "quasi-identifier",
    },
    survey: {
        "ResponseId IPAddress": "identifier",
        "comment weighting": "drop",
        "AgeGroup Q1 Q2": "quasi-identifier",
        "HouseholdIncome": "sensitive",
    },
    laboratory: {
        "subject": "identifier",
        "age base_excess temp": "intervals",
        "sex": "quasi-identifier",
        "glucose diabetic": "sensitive",
    },
    german: {
        "Kundennummer Vorname": "identifier",
        "Geburtsdatum": "dates",
        "Postleitzahl": "prefix",
        "Geschlecht Größe": "quasi-identifier",
        "Konfession": "sensitive",
    },
    school: {
        "student_no student_name parent_email": "identifier",
        "grade_level birth_year": "intervals",
        "gpa": "sensitive",
        "home_language": "quasi-identifier",
    },
    spanish: {
        "nombre apellidos dni teléfono": "identifier",
        "código_postal": "prefix",
        "fecha_nacimiento": "dates",
        "sexo": "quasi-identifier",
        "diagnóstico": "sensitive",
    },
}
WARNED: dict[Make, set[str]] = {
    hospital: {"identifier", "repeated-identifier", "nearly-unique", "constant", "mostly-missing"},
    payroll: {"identifier", "repeated-identifier", "nearly-unique", "numbers-as-text", "determined"},
    calls: {"identifier", "repeated-identifier", "nearly-unique"},
    survey: {"identifier", "free-text", "nearly-unique"},
    laboratory: {"repeated-identifier", "nearly-unique"},
    german: {"identifier", "nearly-unique", "numbers-as-text"},
    school: {"identifier", "repeated-identifier"},
    spanish: {"identifier", "nearly-unique"},
}


def table_of(make: Make, folder: Path) -> Path:
    """The table as its trade would send it: with commas, with semicolons in the code page of Windows, or packed."""
    pick = random.Random(make.__name__)  # noqa: S311 - a table, not a secret
    rows = [make(pick, number) for number in range(240)]
    separator, encoding = (";", "cp1252") if make is german else (",", "utf-8")
    path = folder / f"{make.__name__}.csv"
    with path.open("w", encoding=encoding, newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=separator)
        writer.writeheader()
        writer.writerows(rows)
    if make is school:
        packed = path.with_suffix(".csv.gz")
        packed.write_bytes(gzip.compress(path.read_bytes()))
        return packed
    return path


@pytest.mark.parametrize("make", TABLES, ids=lambda make: make.__name__)
def test_a_table_of_another_trade(tmp_path: Path, make: Make) -> None:
    draft = pn.draft(table_of(make, tmp_path))

    found = {
        name: next(iter(column.hierarchy)) if isinstance(column.hierarchy, dict) else column.role.value
        for name, column in draft.columns.items()
    }
    assert found == {
        name.replace("_", " ") if make is payroll else name: what
        for names, what in TABLES[make].items()
        for name in names.split()
    }
    assert draft.peculiarity == ("separated by semicolons, in the encoding cp1252" if make is german else "")
    assert {concern.kind for concern in draft.concerns} == WARNED[make]
    draft.save(tmp_path / "recipe.toml")
    assert pn.frontier(pn.Problem.from_recipe(tmp_path / "recipe.toml")).complete
