"""Manifests signed and checked by OpenSSH."""

import json
import subprocess
from pathlib import Path

import pyarrow as pa
import pytest

import paranym as pn
from paranym.cli.app import main
from paranym.errors import BadInput, NoKeygen

PEOPLE = pa.table({"age": [31, 34, 38, 52, 55, 58], "sex": ["F", "M", "F", "M", "F", "M"]})
PROBLEM = pn.Problem(PEOPLE, quasi_identifiers={"age": {"intervals": [10, 20]}, "sex": None})
POINT = pn.point_at(PROBLEM, {"age": 1, "sex": 1})


def make_key(folder: Path, name: str) -> Path:
    command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", str(folder / name)]
    subprocess.run(command, check=True)
    return folder / name


def allow(folder: Path, **keys: Path) -> Path:
    """An allowed-signers file."""
    lines = [
        f'{name}@example.org namespaces="paranym-manifest" {key.with_suffix(".pub").read_text(encoding="utf-8")}'
        for name, key in keys.items()
    ]
    (folder / "allowed").write_text("".join(lines), encoding="utf-8")
    return folder / "allowed"


def change(file: Path, **fields: object) -> None:
    manifest = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps(manifest | fields), encoding="utf-8")


@pytest.mark.parametrize("name", ["out.csv", "out.duckdb"])
def test_a_signed_release_is_recognized(tmp_path: Path, name: str) -> None:
    key = make_key(tmp_path, "key")
    released = pn.release(PROBLEM, POINT, tmp_path / name, sign=key)
    found = pn.verify_release(tmp_path / name, signers=allow(tmp_path, alice=key))

    assert found.holds
    assert found.signature is not None
    assert (found.signature.holds, found.signature.signer) == (True, "alice@example.org")
    assert "PRIVATE" not in json.dumps(released.manifest)
    [file] = tmp_path.glob("*.manifest.json")
    indented = json.dumps(json.loads(file.read_text(encoding="utf-8")), indent=7, sort_keys=True)
    file.write_text(indented, encoding="utf-8")  # how a manifest is laid out does not matter
    assert pn.verify_release(tmp_path / name, signers=allow(tmp_path, alice=key)).holds


def test_a_signature_that_is_not_asked_about_is_mentioned(tmp_path: Path) -> None:
    pn.release(PROBLEM, POINT, tmp_path / "out.csv", sign=make_key(tmp_path, "key"))
    found = pn.verify_release(tmp_path / "out.csv")

    assert found.holds
    assert found.signature is not None
    assert found.signature.holds is None


def test_missing_foreign_and_forged_signatures_are_faults(tmp_path: Path) -> None:
    key, other = make_key(tmp_path, "key"), make_key(tmp_path, "other")
    signers = allow(tmp_path, alice=key)
    file = tmp_path / "out.csv.manifest.json"

    pn.release(PROBLEM, POINT, tmp_path / "out.csv")
    assert pn.verify_release(tmp_path / "out.csv", signers=signers).faults == ("the manifest is not signed",)
    pn.release(PROBLEM, POINT, tmp_path / "out.csv", sign=other, overwrite=True)
    [fault] = pn.verify_release(tmp_path / "out.csv", signers=signers).faults
    assert "not of a signer in 'allowed'" in fault
    released = pn.release(PROBLEM, POINT, tmp_path / "out.csv", sign=key, overwrite=True)
    change(file, warnings=["none"])  # which nothing else could tell
    [fault] = pn.verify_release(tmp_path / "out.csv", signers=signers).faults
    assert "the signature of alice@example.org is not of this manifest" in fault
    for rubbish in ("rubbish", 5, dict(released.manifest or {})["signature"][:90]):
        change(file, signature=rubbish)
        assert not pn.verify_release(tmp_path / "out.csv", signers=signers).holds


def test_a_signature_for_another_purpose_is_none(tmp_path: Path) -> None:
    key = make_key(tmp_path, "key")
    pn.release(PROBLEM, POINT, tmp_path / "out.csv", sign=key)
    signers = tmp_path / "allowed"
    signers.write_text(
        f'alice@example.org namespaces="git" {key.with_suffix(".pub").read_text(encoding="utf-8")}', encoding="utf-8"
    )

    assert not pn.verify_release(tmp_path / "out.csv", signers=signers).holds


@pytest.mark.parametrize("name", ["out.csv", "out.duckdb"])
def test_a_signature_binds_the_rows(tmp_path: Path, name: str) -> None:
    """Cells that nothing is promised about are bound by the hash that is signed."""
    import duckdb  # noqa: PLC0415

    table = PEOPLE.append_column("job", pa.array(["cook"] * 6))
    asked = {"age": {"intervals": [10]}, "sex": None}
    problem, key = pn.Problem(table, quasi_identifiers=asked, keep=["job"]), tmp_path / "key"
    make_key(tmp_path, "key")
    pn.release(problem, pn.point_at(problem, {"age": 1, "sex": 1}), tmp_path / name, sign=key)
    if name.endswith("csv"):
        file = tmp_path / name
        file.write_text(file.read_text(encoding="utf-8").replace("cook", "cock", 1), encoding="utf-8")
    else:
        with duckdb.connect(str(tmp_path / name)) as database:
            database.execute("UPDATE release SET job = 'cock' WHERE rowid = 0")
    found = pn.verify_release(tmp_path / name, signers=allow(tmp_path, alice=key))

    assert {check.what for check in found.checks if check.holds is False} == {
        "sha256" if name.endswith("csv") else "cells"
    }


def test_keys_and_programs_that_are_missing_are_said_to_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadInput, match="no key"):
        pn.release(PROBLEM, POINT, tmp_path / "out.csv", sign=tmp_path / "nokey")
    (tmp_path / "rubbish").write_text("rubbish", encoding="utf-8")
    with pytest.raises(BadInput, match="could not be signed"):
        pn.release(PROBLEM, POINT, tmp_path / "out.csv", sign=tmp_path / "rubbish")
    assert not (tmp_path / "out.csv").exists()
    with pytest.raises(BadInput, match="name its destination"):
        pn.release(PROBLEM, POINT, sign=tmp_path / "rubbish")
    key = make_key(tmp_path, "key")
    pn.release(PROBLEM, POINT, tmp_path / "out.csv", sign=key)
    with pytest.raises(BadInput, match="allowed signers"):
        pn.verify_release(tmp_path / "out.csv", signers=tmp_path / "nobody")
    signers = allow(tmp_path, alice=key)
    monkeypatch.setenv("PATH", str(tmp_path))
    for ask in (
        lambda: pn.release(PROBLEM, POINT, tmp_path / "more.csv", sign=key),
        lambda: pn.verify_release(tmp_path / "out.csv", signers=signers),
    ):
        with pytest.raises(NoKeygen, match="openssh-client"):
            ask()


def test_the_commands_sign_and_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def call(*arguments: str) -> tuple[int, str, str]:
        try:
            main(arguments)
        except SystemExit as end:
            return int(str(end.code)), *capsys.readouterr()
        return 0, *capsys.readouterr()

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    key = make_key(tmp_path, "key")
    allow(tmp_path, alice=key)
    Path("people.csv").write_text("age,sex\n31,F\n34,M\n38,F\n52,M\n55,F\n58,M\n", encoding="utf-8")
    Path("recipe.toml").write_text(
        '[data]\nsource = "people.csv"\n[attributes.age]\nrole = "quasi-identifier"\nhierarchy = { intervals = [10] }\n'
        '[attributes.sex]\nrole = "quasi-identifier"\n',
        encoding="utf-8",
    )
    assert call("release", "recipe.toml", "--k", "3", "--out", "out.csv", "--sign", "nokey")[0] == 2
    assert call("release", "recipe.toml", "--k", "3", "--out", "out.csv", "--sign", "key", "--quiet")[0] == 0
    code, out, _ = call("verify", "out.csv", "--signers", "allowed")
    assert code == 0
    first = out.splitlines()[0]
    assert first == "out.csv is what its manifest says: it is k-anonymous with k = 3 on age and sex."
    assert "Signature: signed by alice@example.org." in out
    code, out, _ = call("verify", "out.csv", "--signers", "allowed", "--json", "-")
    told = json.loads(out)
    assert (told["k"], told["quasi_identifiers"], told["signature"]["holds"]) == (3, ["age", "sex"], True)

    change(Path("out.csv.manifest.json"), signature="")
    code, out, err = call("verify", "out.csv", "--signers", "allowed")
    assert code == 1
    assert out.startswith("out.csv is NOT what its manifest says. Counted again, k = 3 on age and sex.")
    assert "the signature" in err
    assert call("local", "recipe.toml", "--k", "3", "--out", "local.csv", "--sign", "key", "--quiet")[0] == 0
    assert call("verify", "local.csv", "--signers", "allowed", "--quiet")[0] == 0
