"""Spark sessions: the caller's own, or one that is started at the master that a recipe names."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paranym.errors import BadInput, MissingExtra, UnreadableSource

OLDEST_JAVA = 17
_INSTALL = (
    f"Install Java {OLDEST_JAVA} or newer (Debian and Ubuntu: apt-get install openjdk-17-jre-headless), "
    "or set JAVA_HOME to where it is."
)
_SETTINGS = {
    "spark.log.level": "ERROR",
    "spark.sql.session.timeZone": "UTC",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
_ALONE = {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}
"""Settings for one machine: no other machine needs to connect to it."""


@dataclass(frozen=True, slots=True)
class SparkSource:
    """A table that Spark reads: a path (a file, a folder, a pattern, a bucket) or the name of a catalog table."""

    path: str | None = None
    table: str | None = None
    master: str | None = None
    """The Spark master: `local[*]`, `spark://host:7077`, `sc://host:15002`; by default, this machine."""
    session: Any = None
    """An existing session."""

    @property
    def name(self) -> str:
        """The name in messages, without folder."""
        return self.table or Path(str(self.path)).name or "the table"


def is_frame(data: object) -> bool:
    """True if an object is a data frame of Spark or Spark Connect."""
    kinds = {f"{kind.__module__.split('.')[0]}.{kind.__name__}" for kind in type(data).__mro__}
    return "pyspark.DataFrame" in kinds


def start(source: SparkSource) -> Any:
    """Return the session of a source; one that is started here ends with the program."""
    if source.session is not None:
        return source.session
    try:
        from pyspark.sql import SparkSession  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtra("pyspark", "spark") from error
    if source.master is not None and source.master.startswith("sc://"):
        return _connect(source.master, source.name)
    session: Any = SparkSession.getActiveSession()  # a running session is used as it is, with its settings
    if session is None:
        check_java()
        return _new(SparkSession.builder, source)
    running = session.sparkContext.master
    if source.master is not None and running != source.master:
        raise BadInput(f"Spark is already running at {running!r}; it cannot run at {source.master!r} too.")
    return session


def _new(builder: Any, source: SparkSource) -> Any:
    master = source.master or "local[*]"
    builder = builder.appName("paranym").master(master)
    for key, value in (_SETTINGS | (_ALONE if master.startswith("local") else {})).items():
        builder = builder.config(key, value)
    try:
        return builder.getOrCreate()
    except Exception as error:  # a virtual machine that fails to start raises many types
        raise UnreadableSource(source.name, f"Spark does not start at {master!r}.") from error


def _connect(address: str, name: str) -> Any:
    try:
        from pyspark.sql.connect.session import SparkSession  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtra("pyspark with what Spark Connect needs", "spark") from error
    try:
        session = SparkSession.builder.remote(address).getOrCreate()
        session.version  # noqa: B018 - asks the server
    except Exception as error:  # several libraries raise their own errors
        raise UnreadableSource(name, f"no connection to Spark Connect at {address!r}.") from error
    return session


def check_java() -> None:
    """Raise if Spark would not find a suitable Java."""
    home = os.environ.get("JAVA_HOME")
    found = shutil.which("java", path=str(Path(home) / "bin") if home else None)
    if found is None:
        where = f" in JAVA_HOME ({home})" if home else ""
        raise BadInput(f"Spark needs Java, and there is none{where}. {_INSTALL}")
    said = subprocess.run([found, "-version"], capture_output=True, text=True, check=False).stderr  # noqa: S603
    version = re.search(r'version "(?:1\.)?(\d+)', said)
    if version is None or int(version[1]) < OLDEST_JAVA:
        which = f"Java {version[1]}" if version else "one that does not run"
        raise BadInput(f"Spark needs Java {OLDEST_JAVA} or newer; {found} is {which}. {_INSTALL}")
