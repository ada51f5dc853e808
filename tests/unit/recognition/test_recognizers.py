"""Recognizers on values one by one, and on those that look alike and are something else."""

import pytest

from paranym.recognition.contacts import holds_addresses, holds_mail, holds_pages, holds_phones
from paranym.recognition.numbers import holds_accounts, holds_identities, is_account_number
from paranym.recognition.people import holds_names
from paranym.recognition.prose import holds_prose
from paranym.recognition.sample import Sample


def sample(*texts: str, name: str = "x", rows: int | None = None) -> Sample:
    return Sample(name, texts, rows=len(texts) if rows is None else rows, different=len(set(texts)))


@pytest.mark.parametrize(
    ("texts", "name", "expected"),
    [
        (("Anna Schmidt", "Jürgen Nagel", "Ayşe Öztürk"), "x", True),
        (("SCHMIDT, Anna", "nagel, jürgen"), "x", True),
        (("Mme Delacroix", "M. Girard", "Dr. Perrot"), "x", True),
        (("María del Carmen García Ruiz", "José Luis de la Torre"), "x", True),
        (("J. Smith", "A.-M. Johnson", "B. Garcia"), "x", True),
        (("Anna", "Lukas", "Léa", "Pablo"), "x", True),
        (("Okonkwo", "Wójcik", "Tanaka", "Haugen"), "last_name", True),
        (("Okonkwo", "Wójcik", "Tanaka", "Haugen"), "region", False),
        (("Paris", "Sofia", "Charlotte", "Victoria", "Madison"), "x", False),
        (("Baker", "Cook", "Fischer", "Schneider", "Judge"), "x", False),
        (("Brown", "White", "Green", "Rose", "Violet"), "x", False),
        (("Parkinson disease", "Hodgkin lymphoma", "Crohn disease"), "x", False),
        (("Rue Victor Hugo", "Calle Juan Bravo", "Martin Luther Platz"), "x", False),
        (("yes", "no"), "first name known", False),
        (("Sig.ra Tozzi", "Dott. Zecca", "Signor Vespa"), "x", True),
        (("Chiara Vespa", "TOZZI Matteo", "Gianluca Zecca"), "x", True),
        (("Anna Schmidt (1980)", "4711 Jürgen Nagel", "Ayşe Öztürk *12.3.1975"), "x", True),
        (("Anna Schmidt / Jürgen Nagel", "Léa Girard; Luis Ortega"), "x", True),
        (("Quux, A.", "Zzyzx, B. C.", "van Blorp, D."), "x", True),
        (("A. Quux", "B. C. Zzyzx", "D. Blorp-Quux"), "x", True),
        (("E. coli", "S. aureus", "C. difficile"), "x", False),
        (("Hepatitis, B", "Hepatitis, C", "Vitamin, D"), "x", False),
        (("anna.schmidt", "juergen_garcia", "lea.moreau"), "x", True),
        (("Clio 2", "Golf 3", "Giulia 4", "Octavia 1"), "x", False),
        (("Berlin/Hamburg", "Paris/Lyon", "example.com"), "x", False),
    ],
)
def test_names(texts: tuple[str, ...], name: str, expected: bool) -> None:  # noqa: FBT001
    assert holds_names(sample(*texts, name=name)) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("DE89370400440532013000", True),
        ("pay to FR14 2004 1010 0505 0001 3M02 606 please", True),
        ("DE89370400440532013001", False),
        ("XX89370400440532013000", False),
        ("it60x0542811101000000123456", True),
    ],
)
def test_account_numbers_are_checked_by_their_digits(text: str, expected: bool) -> None:  # noqa: FBT001
    assert is_account_number(text) is expected


@pytest.mark.parametrize(
    ("holds", "texts", "expected"),
    [
        (holds_accounts, ("4111111111111111", "5500005555555559"), True),
        (holds_accounts, ("4111-1111-1111-1112", "1234-5678-1234-5678"), True),
        (holds_accounts, ("1600000000", "1650000000", "1699999999"), False),
        (holds_accounts, ("20230101", "20231231", "20240229"), False),
        (holds_accounts, ("00345678", "91345678", "12345678"), True),
        (holds_identities, ("123-45-6789", "987-65-4321"), True),
        (holds_identities, ("10.0.0.1", "192.168.1.20"), True),
        (holds_identities, ("1.2.3", "10.2.0"), False),
        (holds_accounts, ("1600000000000000000", "1650000000000000001", "1699999999999999999"), False),
        (holds_accounts, ("Konto 1234567", "Konto 7654321", "Konto 5555123"), True),
        (holds_accounts, ("Raum 1234567", "Raum 7654321", "Raum 5555123"), False),
        (holds_accounts, ("0034567891", "91345678", "123456780123"), True),
        (holds_accounts, ("1034567891", "91345678", "123456780123"), False),
        (holds_identities, ("12345678Z", "X1234567L"), True),
        (holds_identities, ("RSSMRA85T10A562S", "VRDGPP13R10B293P"), True),
        (holds_identities, ("123.456.789-09", "987.654.321-00"), True),
        (holds_identities, ("756.9217.0769.85", "756.1234.5678.97"), True),
        (holds_identities, ("19811218-9876", "811218-9876"), True),
        (holds_identities, ("131052-308T", "010190+123A"), True),
        (holds_identities, ("736028/5163", "855220/1234"), True),
        (holds_identities, ("12345-6789", "53715-0001"), False),
        (holds_phones, ("555-123-4567", "(555) 123-4567 x12"), True),
        (holds_phones, ("0171 2345678", "030/1234567"), True),
        (holds_phones, ("06-12345678", "347 1234567", "(11) 91234-5678"), True),
        (holds_phones, ("06.12.34.56.78", "07.12.34.56.79"), True),
        (holds_phones, ("Tel. 0621 123456", "Telefon: 030 1234567"), True),
        (holds_phones, ("Los 0621 123456", "Los 030 1234567"), False),
        (holds_phones, ("120/80", "135/95"), False),
        (holds_phones, ("2023-01-31", "31.01.2023"), False),
        (holds_phones, ("06.12.2023 10:15", "07.12.2023, 09:30", "2023-01-31T10:15:00"), False),
        (holds_mail, ("unknown", "none", "a.b+c@mail.example.org"), True),
        (holds_mail, ("@handle", "a@b", "x@"), False),
        (holds_mail, ("none", "ann (at) example.org"), True),
        (holds_mail, ("none", "at (home) example.org"), False),
        (holds_addresses, ("12 Main Street", "Hauptstr. 5", "7 bis rue Hugo", "Calle Mayor, 3"), True),
        (
            holds_addresses,
            (
                "Piazza Dante 4",
                "Kerkstraat 12",
                "Rua Augusta, 7",
                "Am Hang 3, 89073 Ulm",
                "ul. Długa 3/5",
                "Storgatan 8",
            ),
            True,
        ),
        (holds_addresses, ("Main Street", "Hauptstraße", "Rue Hugo"), False),
        (holds_pages, ("https://example.org/a", "https://example.org/b"), True),
    ],
)
def test_numbers_and_contacts(holds: object, texts: tuple[str, ...], expected: bool) -> None:  # noqa: FBT001
    assert callable(holds)
    assert holds(sample(*texts)) is expected


def test_free_text_is_told_from_labels_and_answers() -> None:
    notes = ("She was seen on Monday and will come back", "Der Patient klagt über Schmerzen und war müde")
    answers = ("I strongly agree", "I do not agree", "I do not know")
    labels = ("Other and unspecified injuries of head", "Fracture of lower end of radius", "Low back pain")

    assert holds_prose(sample(*notes))
    assert not holds_prose(sample(*answers, rows=90))
    assert not holds_prose(sample(*labels, rows=90))
    assert not holds_prose(sample("same text in every row, whatever it says about somebody", rows=90))


def test_answers_that_are_sentences_are_told_from_notes_by_how_often_they_repeat() -> None:
    """Twelve reasons to choose from are a list; seven notes beside a thousand times `ok` are not."""
    reasons = tuple(f"I did not take part because of reason number {n}" for n in range(12))
    notes = ("ok", *(f"She called about her bill on day {n}" for n in range(7)))

    assert not holds_prose(Sample("x", reasons, rows=120, different=12, alone=1))
    assert holds_prose(Sample("x", reasons, rows=120, different=12, alone=11))
    assert holds_prose(Sample("x", notes, rows=1000, different=8, alone=7))


def test_a_column_of_surnames_is_found_however_often_each_repeats() -> None:
    """Three hundred rows by ten doctors: their names are no answers to choose from."""
    surnames = ("Tonelli", "Vezzali", "Hagemann", "Strobel", "Poirier", "Chauvin", "Escudero", "Tapia", "Quux", "Zink")

    assert holds_names(Sample("surname", surnames, rows=300, different=10))
    assert not holds_names(Sample("surname", ("known", "unknown"), rows=300, different=2))
