"""Signatures of manifests, made and checked by OpenSSH.

The signed message is the manifest without its signature, as JSON with sorted keys and no blanks. The manifest contains
the hash of the release, so the signature covers the release as well.
"""

import json
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from paranym.errors import BadInput, NoKeygen
from paranym.results.release import SignatureCheck

NAMESPACE = "paranym-manifest"
"""The namespace of the signatures: OpenSSH rejects signatures that the same key made for another purpose."""
_PROGRAM = "ssh-keygen"


def canonical(manifest: Mapping[str, Any]) -> bytes:
    """Return the bytes that are signed.

    >>> canonical({"b": 1.5, "a": ["é"], "signature": "..."}).decode()
    '{"a":["é"],"b":1.5}'
    """
    unsigned = {name: value for name, value in manifest.items() if name != "signature"}
    return json.dumps(unsigned, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def check_key(key: Path | str) -> None:
    """Raise if the key or the program to sign with does not exist, before a long search begins."""
    _program()
    if not Path(key).is_file():
        raise BadInput(f"There is no key {str(key)!r} to sign with. `ssh-keygen -t ed25519 -f FILE` makes one.")


def sign(manifest: Mapping[str, Any], key: Path | str) -> str:
    """Return the signature of a manifest by a private key, or by the public half of a key that an agent holds.

    OpenSSH prompts for a passphrase on the terminal.
    """
    with tempfile.TemporaryDirectory(prefix="paranym-") as folder:
        message = Path(folder) / "manifest"
        message.write_bytes(canonical(manifest))
        # not by standard input: there ssh-keygen would look for a passphrase
        done = _run(["-Y", "sign", "-q", "-f", str(key), "-n", NAMESPACE, str(message)])
        made = message.with_name("manifest.sig")
        if done.returncode or not made.exists():
            raise BadInput(f"The manifest could not be signed with {str(key)!r}: {_reason(done)}.")
        return made.read_text(encoding="ascii")


def check_signature(manifest: Mapping[str, Any], signers: Path | str | None) -> SignatureCheck | None:
    """Check that an allowed signer signed a manifest; without a list of signers, that it is signed at all."""
    signature = manifest.get("signature")
    if signers is None:
        says = "signed; the signer was not checked (--signers FILE)"
        return None if signature is None else SignatureCheck(holds=None, signer=None, says=says)
    if not Path(signers).is_file():
        raise BadInput(f"There is no file {str(signers)!r} of allowed signers, in the form that ssh-keygen reads.")
    if not isinstance(signature, str):
        return SignatureCheck(holds=False, signer=None, says="the manifest is not signed")
    with tempfile.TemporaryDirectory(prefix="paranym-") as folder:
        file = Path(folder) / "signature"
        file.write_text(signature, encoding="utf-8")
        return _checked(canonical(manifest), file, Path(signers))


def _checked(message: bytes, signature: Path, signers: Path) -> SignatureCheck:
    given = ["-s", str(signature), "-f", str(signers)]
    named = _run(["-Y", "find-principals", *given], message)
    listed = [name for line in named.stdout.decode(errors="replace").splitlines() for name in line.split(",")]
    names = [name for name in listed if name and not name.startswith("!")]
    if named.returncode or not names:
        says = f"the signature is not of a signer in {signers.name!r} ({_reason(named)})"
        return SignatureCheck(holds=False, signer=None, says=says)
    done = _run(["-Y", "verify", *given, "-I", names[0], "-n", NAMESPACE], message)
    if done.returncode:
        says = f"the signature of {names[0]} is not of this manifest ({_reason(done)})"
        return SignatureCheck(holds=False, signer=names[0], says=says)
    return SignatureCheck(holds=True, signer=names[0], says=f"signed by {names[0]}")


def _run(arguments: Sequence[str], message: bytes | None = None) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run([_program(), *arguments], input=message, capture_output=True, check=False)  # noqa: S603


def _program() -> str:
    found = shutil.which(_PROGRAM)
    if found is None:
        raise NoKeygen
    return found


def _reason(done: "subprocess.CompletedProcess[bytes]") -> str:
    """Return the last line that the program printed."""
    said = [line.strip() for line in (done.stderr + done.stdout).decode(errors="replace").splitlines() if line.strip()]
    return said[-1].rstrip(".") if said else f"exit code {done.returncode}"
