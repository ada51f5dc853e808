"""Tables of ten trades with what a publisher may well keep, and columns to plant in them that must not go out."""

import random
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa

ROWS = 400
LANGUAGES = ("en", "de", "fr", "es", "it")

WORDS: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def names(draw: random.Random, language: str) -> str:
    surnames = draw.choices(WORDS["surnames"][language], k=2 if language == "es" else 1)
    return " ".join([draw.choice(WORDS["given"][language]), *surnames])


def reversed_names(draw: random.Random, language: str) -> str:
    return ", ".join([draw.choice(WORDS["surnames"][language]), draw.choice(WORDS["given"][language])])


def given_names(draw: random.Random, language: str) -> str:
    return str(draw.choice(WORDS["given"][language]))


def titled_names(draw: random.Random, language: str) -> str:
    titles = {
        "en": ("Mr", "Mrs", "Dr."),
        "de": ("Herr", "Frau", "Dr."),
        "fr": ("M.", "Mme", "Dr"),
        "es": ("Sr.", "Sra.", "Don"),
        "it": ("Sig.", "Sig.ra", "Dott.ssa"),
    }
    return " ".join([draw.choice(titles[language]), draw.choice(WORDS["surnames"][language])])


def mails(draw: random.Random, _: str) -> str:
    letters = "".join(draw.choice("abcdefghijklmnoprstuvw") for _ in range(draw.randint(3, 9)))
    return letters + draw.choice(["", ".x", "_1", str(draw.randint(1, 99))]) + "@" + str(draw.choice(WORDS["domains"]))


def phones(draw: random.Random, language: str) -> str:
    def digits(number: int) -> str:
        return "".join(str(draw.randint(0, 9)) for _ in range(number))

    forms: dict[str, list[Callable[[], str]]] = {
        "en": [
            lambda: f"({draw.randint(201, 989)}) {draw.randint(200, 999)}-{digits(4)}",
            lambda: f"+1 {digits(3)} {digits(3)} {digits(4)}",
        ],
        "de": [lambda: f"0{draw.randint(151, 179)} {digits(7)}", lambda: f"+49 {draw.randint(30, 99)} {digits(6)}"],
        "fr": [lambda: f"0{draw.randint(1, 9)} " + " ".join(digits(2) for _ in range(4))],
        "es": [lambda: f"6{digits(2)} {digits(3)} {digits(3)}", lambda: f"+34 {draw.randint(600, 799)}{digits(6)}"],
        "it": [lambda: f"3{digits(2)} {digits(7)}", lambda: f"+39 06 {digits(4)} {digits(4)}"],
    }
    return draw.choice(forms[language])()


def plain_phones(draw: random.Random, language: str) -> str:
    first = {"en": f"555{draw.randint(2, 9)}", "de": "017", "fr": "06", "es": "6", "it": "34"}[language]
    length = {"en": 10, "de": 11, "fr": 10, "es": 9, "it": 10}[language]
    return first + "".join(str(draw.randint(0, 9)) for _ in range(length - len(first)))


def accounts(draw: random.Random, language: str) -> str:
    """An international account number with right check digits, grouped by fours or not."""
    country, length = {"en": ("GB", 18), "de": ("DE", 18), "fr": ("FR", 23), "es": ("ES", 20), "it": ("IT", 23)}[
        language
    ]
    body = "".join(str(draw.randint(0, 9)) for _ in range(length))
    body = {"GB": f"NWBK{body[4:]}", "IT": f"X{body[1:]}"}.get(country, body)
    rest = int("".join(str(int(each, 36)) for each in f"{body}{country}00")) % 97
    number = f"{country}{98 - rest:02d}{body}"
    return number if language != "de" else " ".join(number[n : n + 4] for n in range(0, len(number), 4))


def cards(draw: random.Random, language: str) -> str:
    digits = [int(each) for each in "4" + "".join(str(draw.randint(0, 9)) for _ in range(14))]
    total = sum(sum(divmod(2 * each, 10)) if n % 2 == 0 else each for n, each in enumerate(digits))
    number = "".join(map(str, [*digits, -total % 10]))
    return number if language in ("en", "fr") else "-".join(number[n : n + 4] for n in range(0, 16, 4))


def bare_accounts(draw: random.Random, language: str) -> str:
    return "".join(str(draw.randint(0, 9)) for _ in range({"en": 12, "de": 10, "fr": 11, "es": 20, "it": 12}[language]))


def notes(draw: random.Random, language: str) -> str:
    text = draw.choice(WORDS["notes"][language])
    given, day = draw.choice(WORDS["given"][language]), draw.choice(WORDS["days"])
    return str(text.format(given=given, day=day, amount=draw.randint(10, 400)))


def mixed_notes(draw: random.Random, _: str) -> str:
    """Some rows only, in whatever language was spoken."""
    return notes(draw, draw.choice(LANGUAGES)) if draw.random() < 0.2 else ""


def addresses(draw: random.Random, language: str) -> str:
    number, street = draw.randint(1, 180), draw.choice(WORDS["surnames"][language])
    return {
        "en": f"{number} {street} {draw.choice(['Street', 'Rd', 'Avenue', 'Lane'])}",
        "de": f"{street}{draw.choice(['straße', 'weg', 'str.'])} {number}",
        "fr": f"{number} {draw.choice(['rue', 'avenue', 'place'])} {street}",
        "es": f"{draw.choice(['Calle', 'Avenida', 'Plaza'])} {street}, {number}",
        "it": f"{draw.choice(['Via', 'Corso', 'Piazza'])} {street} {number}",
    }[language]


Plant = Callable[[random.Random, str], str]
PLANTS: dict[str, tuple[str, Plant]] = {
    "names": ("person-name", names),
    "names, surname first": ("person-name", reversed_names),
    "given names": ("person-name", given_names),
    "names with titles": ("person-name", titled_names),
    "e-mail addresses": ("e-mail", mails),
    "phone numbers": ("phone", phones),
    "phone numbers without signs": ("phone", plain_phones),
    "account numbers": ("account-number", accounts),
    "card numbers": ("account-number", cards),
    "national account numbers": ("account-number", bare_accounts),
    "notes": ("free-text", notes),
    "notes in some rows": ("free-text", mixed_notes),
    "addresses": ("address", addresses),
}
"""What may be planted: the kind that a finding has, and how a cell is drawn."""


def planted(plant: str, language: str, seed: int, rows: int = ROWS) -> pa.Array:
    draw = random.Random(f"{plant} {language} {seed}")  # noqa: S311
    cells = [PLANTS[plant][1](draw, language) for _ in range(rows)]
    return pa.array([cell or None for cell in cells], pa.string())


def _pick(values: list[str]) -> Callable[[random.Random], Any]:
    return lambda draw: draw.choice(values)


def _code(form: str) -> Callable[[random.Random], Any]:
    return lambda draw: "".join(
        str(draw.randint(0, 9)) if each == "9" else draw.choice("ABCDEFGHKLMN") if each == "A" else each
        for each in form
    )


COLUMNS: dict[str, Callable[[random.Random], Any]] = {
    "city": _pick(WORDS["towns"]),
    "job title": _pick(WORDS["jobs"]),
    "diagnosis": _pick(WORDS["diagnoses"]),
    "product": _pick(WORDS["products"]),
    "product name": _pick(WORDS["products"]),
    "employer": _pick(WORDS["companies"]),
    "hospital": _pick(WORDS["hospitals"]),
    "answer": _pick(WORDS["likert"]),
    "colour": _pick(WORDS["colours"]),
    "month": _pick(WORDS["months"]),
    "state": _pick(WORDS["states"]),
    "nationality": _pick(WORDS["nations"]),
    "medication": _pick(WORDS["drugs"]),
    "street": _pick(WORDS["streets"]),
    "icd10": _code("A99.9"),
    "sku": _code("AAA-9999"),
    "ndc": lambda draw: draw.choice([f"000{n}-32{n}7-3{n}" for n in range(10, 99, 3)]),
    "ean": lambda draw: draw.choice([f"40{n:011d}" for n in range(1234567, 9999999, 300007)]),
    "isbn": lambda draw: draw.choice([f"978-3-16-1484{n:02d}-0" for n in range(40)]),
    "vehicle": _code("AAA99A9AA9A999999"),
    "order date": lambda draw: f"2023-{draw.randint(1, 12):02d}-{draw.randint(1, 28):02d}",
    "written date": lambda draw: f"{draw.randint(1, 28):02d}/{draw.randint(1, 12):02d}/{draw.randint(2019, 2024)}",
    "day": lambda draw: f"2023{draw.randint(1, 12):02d}{draw.randint(1, 28):02d}",
    "seconds since": lambda draw: draw.randint(1_600_000_000, 1_700_000_000),
    "milliseconds": lambda draw: draw.randint(1_600_000_000_000, 1_700_000_000_000),
    "price": lambda draw: round(draw.lognormvariate(3, 1), 2),
    "revenue": lambda draw: int(draw.lognormvariate(17, 1)),
    "latitude": lambda draw: f"+{draw.uniform(30, 60):.6f}",
    "longitude": lambda draw: round(draw.uniform(-10, 20), 6),
    "systolic": lambda draw: f"{draw.randint(100, 180)}/{draw.randint(60, 110)}",
    "share": lambda draw: f"{draw.randint(0, 100)}%",
    "amount": lambda draw: f"€ {draw.randint(1, 99)},{draw.randint(0, 99):02d}",
    "version": lambda draw: draw.choice(["1.2.3", "1.2.10", "2.0.0", "10.1.4"]),
    "rating": lambda draw: draw.randint(1, 5),
    "smoker": lambda draw: draw.random() < 0.3,
    "visits": lambda draw: draw.randint(0, 40),
    "interval": lambda draw: draw.choice(["0-9", "10-19", "20-29", "30 and over", "-5--1"]),
    "postal area": lambda draw: f"{draw.randint(10, 99)}***",
    "shift": _pick(["early", "late", "night", "früh", "spät"]),
    "hash group": lambda draw: draw.choice(["a1", "b2", "c3"]),
}
TRADES: dict[str, list[str]] = {
    "hospital": ["diagnosis", "icd10", "medication", "ndc", "systolic", "order date", "hospital", "smoker"],
    "payroll": ["job title", "employer", "share", "amount", "revenue", "shift", "written date"],
    "sales": ["product", "sku", "ean", "price", "order date", "city", "rating"],
    "survey": ["answer", "nationality", "colour", "rating", "visits", "state", "month"],
    "library": ["isbn", "product name", "day", "visits", "city", "smoker"],
    "traffic": ["street", "latitude", "longitude", "seconds since", "vehicle", "colour", "interval"],
    "telecom": ["milliseconds", "version", "city", "share", "visits", "hash group"],
    "insurance": ["job title", "diagnosis", "price", "postal area", "vehicle", "state"],
    "school": ["month", "rating", "state", "nationality", "street", "answer", "shift"],
    "bank": ["employer", "city", "revenue", "amount", "day", "interval", "product"],
}


def clean(trade: str, seed: int, rows: int = ROWS) -> pa.Table:
    """A table of a trade: age and sex, which are generalized, an outcome, and what the trade keeps."""
    draw = random.Random(f"{trade} {seed}")  # noqa: S311
    columns: dict[str, list[Any]] = {
        "age": [draw.randint(18, 89) for _ in range(rows)],
        "sex": [draw.choice("FM") for _ in range(rows)],
        "outcome": [draw.choice(["good", "fair", "poor"]) for _ in range(rows)],
    }
    columns |= {name: [COLUMNS[name](draw) for _ in range(rows)] for name in TRADES[trade]}
    return pa.table(columns)
