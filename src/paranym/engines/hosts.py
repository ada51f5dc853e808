"""Remote hosts that a recipe names: the user who runs it must allow them.

A recipe may be written by another person. An address in it decides where libpq sends a password, where Spark sends
rows and which storage receives a token, so a recipe alone never makes paranym contact another machine.
"""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import unquote

from paranym.engines.installed import engine_of
from paranym.engines.postgres.session import is_address
from paranym.engines.spark.session import SparkSource
from paranym.errors import BadInput

VARIABLE = "PARANYM_HOSTS"
"""The environment variable that lists allowed hosts."""
_FILE = "hosts"
_SERVERS = re.compile(r"(?:[^@:/,]*@)?((?:[\w.-]+|\[[0-9A-Fa-f:.]+\]|%2F[\w.%-]*)?(?::\d*)?(?:,|$))+", re.ASCII)
_OWN_MASTER = re.compile(r"local(\[.*\])?|local-cluster\[.*\]|yarn")
"""Masters on this machine, or those that the user's own configuration names."""
_AUTHORITY = re.compile(r"://([^/{},\s]*)")


def check_hosts(data: object, allowed: Sequence[str], named_by: str) -> None:
    """Raise if the source of a recipe is on another machine that is not allowed."""
    known = {*allowed, *_from_environment(), *_from_file()}
    foreign = [host for host in dict.fromkeys(hosts_of(data)) if not _is_here(host) and host not in known]
    if foreign:
        where = hosts_file()
        listed = "" if where is None else f" write it into {str(where)!r}, one host per line, or"
        raise BadInput(
            f"{named_by} names another machine: {', '.join(foreign)}. Data or passwords could go there, so it must be "
            f"allowed first. If it is yours,{listed} set {VARIABLE}={','.join(foreign)} (in Python: allow_hosts)."
        )


def hosts_of(data: object) -> Iterator[str]:
    """Return the hosts that a source names, including this machine.

    >>> list(hosts_of("postgresql://me@db.example.org:5432/people?host=other.example.org"))
    ['db.example.org', 'other.example.org']
    """
    if isinstance(data, SparkSource):
        yield from _of_master(data.master or "local")
        if data.path is not None and not data.path.startswith("file:"):
            for authority in _AUTHORITY.findall(data.path):
                yield _bare(authority.rpartition("@")[2])
    elif is_address(data) or engine_of(data) is not None:
        yield from _of_address(str(data))


def hosts_file() -> Path | None:
    """Return the file in which a user lists hosts that recipes may name; None if there is no home folder."""
    given = Path(os.environ.get("XDG_CONFIG_HOME", ""))
    if given.is_absolute():
        return given / "paranym" / _FILE
    try:
        return Path.home() / ".config" / "paranym" / _FILE
    except RuntimeError:
        return None


def allow_hosts_of(data: object) -> list[str]:
    """Allow recipes to name the hosts of a source that the user typed; return the new ones."""
    known = {*_from_environment(), *_from_file()}
    new = [host for host in dict.fromkeys(hosts_of(data)) if not _is_here(host) and host not in known]
    path = hosts_file()
    if not new or path is None:
        return []
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write("".join(f"{host}\n" for host in new))
    except OSError:
        return []
    return new


def _of_address(address: str) -> Iterator[str]:
    """Parse an address as libpq does: it has no fragments, and the parameters after the question mark win."""
    place, _, options = address.partition("://")[2].partition("?")
    servers = place.partition("/")[0]
    if _SERVERS.fullmatch(servers):
        yield from (_bare(unquote(each)) for each in servers.rpartition("@")[2].split(","))
    else:
        yield servers  # an unreadable part is not an allowed host
    for option in options.split("&"):
        key, _, value = (unquote(part) for part in option.partition("="))
        if key in ("host", "hostaddr"):
            yield from (_bare(each) for each in value.split(","))
        elif key == "servicefile" or (key == "dbname" and "=" in value) or "://" in value:
            yield value


def _of_master(master: str) -> Iterator[str]:
    if _OWN_MASTER.fullmatch(master):
        return
    place = re.split("[/;?]", re.sub(r"^(\w+://)+", "", master))[0]
    yield from (_bare(each) for each in place.rpartition("@")[2].split(","))


def _bare(server: str) -> str:
    """Return a host without its port."""
    host = re.sub(r":\d*$", "", server) if server.startswith("[") or server.count(":") == 1 else server
    return host.strip("[]").lower()


def _is_here(host: str) -> bool:
    """True if a host is this machine: a socket, a loopback address, or a value from the user's own settings."""
    if host in ("", "localhost") or host.startswith("/"):
        return True
    with suppress(ValueError):
        return ip_address(host).is_loopback
    return False


def _from_environment() -> list[str]:
    return [host.lower() for host in re.split(r"[,\s]+", os.environ.get(VARIABLE, "")) if host]


def _from_file() -> list[str]:
    path = hosts_file()
    try:
        lines = [] if path is None else path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeError):
        return []
    return [line.strip().lower() for line in lines if line.strip() and not line.startswith("#")]
