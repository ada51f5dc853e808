"""Servers of their own for the tests: started on loopback when first asked for, and ended with the tests.

Tests that are themselves ended, even by SIGKILL, leave nothing behind: beside every server stands a guard, a process
that waits for the end of the tests and then ends the server, with all that it started, and removes its files.
"""

import itertools
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

LOOPBACK = "127.0.0.1"
_PATIENCE = 900.0
"""So many seconds mean that something hangs, however busy the machine is."""
_GUARD = """
import os, shutil, signal, sys, time
group, folder = int(sys.argv[1]), sys.argv[2]
if not sys.stdin.buffer.read():  # nothing was said, and there is nobody left who could
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            for _ in range(100):
                os.killpg(group, number)
                time.sleep(0.1)
                number = 0
        except ProcessLookupError:
            break
    shutil.rmtree(folder, ignore_errors=True)
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def running(command: list[str], log: Path, folder: Path, **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    """A process with all that it starts, gone when the block ends; gone with its folder when this process does."""
    with log.open("wb") as stream:
        process = subprocess.Popen(command, stdout=stream, stderr=stream, start_new_session=True, **options)
        try:
            with guarded(process, folder):
                yield process
        finally:
            end(process)


@contextmanager
def guarded(process: "subprocess.Popen[bytes]", folder: Path) -> Iterator[None]:
    """Have a server and its folder outlive neither the block nor this process."""
    command = [sys.executable, "-I", "-c", _GUARD, str(process.pid), str(folder)]
    guard = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True, cwd="/")
    try:
        yield
    finally:
        end(process)
        guard.communicate(b"it is done")


def end(process: "subprocess.Popen[bytes]") -> None:
    """Ask it to end, and then see to it, also with what it started last."""
    if process.poll() is None:
        process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(60)
    kill(process)


def kill(process: "subprocess.Popen[bytes]") -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def wait_until(is_there: Callable[[], bool], what: str, log: Path) -> None:
    limit = time.monotonic() + _PATIENCE
    while not is_there():
        if time.monotonic() > limit:
            raise AssertionError(f"{what} does not start: {log.read_text()[-2000:]}")
        time.sleep(0.1)


def answers(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex((LOOPBACK, port)) == 0


def _postgres_programs() -> Path:
    found = shutil.which("initdb")
    folders = [Path(found).parent] if found else sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not folders:
        raise AssertionError("there is no Postgres: install it (Debian and Ubuntu: apt-get install postgresql)")
    return folders[-1]


@contextmanager
def postgres_server() -> Iterator[str]:
    """The address of a new server, whose owner needs no password on loopback; everybody else does."""
    programs, port = _postgres_programs(), free_port()
    with tempfile.TemporaryDirectory(prefix="paranym-postgres-") as name:
        folder = Path(name)
        options: dict[str, Any] = {}
        if os.geteuid() == 0:  # a server refuses to run as root
            shutil.chown(folder, "postgres", "postgres")
            options = {"user": "postgres", "group": "postgres", "extra_groups": []}
        data = str(folder / "data")
        initdb = [str(programs / "initdb"), "-D", data, "-U", "owner", "--auth=trust", "-E", "UTF8", "--no-sync"]
        subprocess.run([*initdb, "--locale=C.UTF-8"], check=True, capture_output=True, cwd="/", **options)
        rules = folder / "data" / "pg_hba.conf"
        rules.write_text(f"host all owner,reader {LOOPBACK}/32 trust\nhost all all {LOOPBACK}/32 scram-sha-256\n")
        settings = {"listen_addresses": LOOPBACK, "unix_socket_directories": "", "fsync": "off"}
        command = [str(programs / "postgres"), "-D", data, "-p", str(port)]
        command += [part for key, value in settings.items() for part in ("-c", f"{key}={value}")]
        log = folder / "server.log"
        with running(command, log, folder, cwd="/", **options):
            wait_until(lambda: answers(port), "Postgres", log)
            wait_until(lambda: "ready to accept" in log.read_text(), "Postgres", log)
            yield f"postgresql://owner@{LOOPBACK}:{port}/postgres"


JAVA = {"JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
"""Programs that run for a minute are not worth the last bit of compiling."""
QUICK = {
    "spark.driver.bindAddress": LOOPBACK,
    "spark.driver.host": LOOPBACK,
    "spark.log.level": "ERROR",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",  # small tables: compiling takes longer than counting
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.timestampType": "TIMESTAMP_NTZ",  # as Arrow tables have them
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


@contextmanager
def spark_session() -> Iterator[tuple[Any, str]]:
    """A session on this machine, and the address at which the same Spark answers to Spark Connect."""
    from pyspark.sql import SparkSession  # noqa: PLC0415 - slow

    port = free_port()
    with tempfile.TemporaryDirectory(prefix="paranym-spark-") as name:
        builder: Any = SparkSession.builder
        builder = builder.appName("tests").master("local[2]")
        connect = {
            "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
            "spark.connect.grpc.binding.address": LOOPBACK,
            "spark.connect.grpc.binding.port": str(port),
            "spark.local.dir": name,
            "spark.sql.warehouse.dir": f"{name}/warehouse",
        }
        for key, value in (QUICK | connect).items():
            builder = builder.config(key, value)
        os.environ |= JAVA
        session = builder.getOrCreate()
        gateway = session.sparkContext._gateway
        with guarded(gateway.proc, Path(name)):
            try:
                yield session, f"sc://{LOOPBACK}:{port}"
            finally:
                session.stop()
                gateway.shutdown()
                gateway.proc.stdin.close()
                gateway.proc.wait(_PATIENCE)


@contextmanager
def connect_server(settings: dict[str, str], *, master: str = "local[2]") -> Iterator[str]:
    """The address of a server of Spark Connect, in a process of its own, that computes here or on a cluster."""
    import pyspark  # noqa: PLC0415 - slow

    home, port = Path(pyspark.__file__).parent, free_port()
    with tempfile.TemporaryDirectory(prefix="paranym-connect-") as name:
        folder = Path(name)
        options = {
            "spark.connect.grpc.binding.address": LOOPBACK,
            "spark.connect.grpc.binding.port": str(port),
            "spark.driver.bindAddress": LOOPBACK,
            "spark.driver.host": LOOPBACK,
            "spark.local.dir": name,
            "spark.sql.warehouse.dir": f"{name}/warehouse",
            "spark.ui.enabled": "false",
        }
        command = [str(home / "bin" / "spark-submit"), "--master", master]
        command += [part for key, value in (settings | options).items() for part in ("--conf", f"{key}={value}")]
        command += ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "spark-internal"]
        log = folder / "connect.log"
        environment = os.environ | {"SPARK_HOME": str(home), "SPARK_LOCAL_IP": LOOPBACK}
        environment.pop("PYSPARK_SUBMIT_ARGS", None)
        with running(command, log, folder, env=environment):
            wait_until(lambda: answers(port), "Spark Connect", log)
            yield f"sc://{LOOPBACK}:{port}"


@dataclass
class Cluster:
    """A standalone cluster of Spark: a master and two workers, which may be lost and replaced."""

    address: str
    start_worker: "Callable[[], subprocess.Popen[bytes]]"
    workers: "list[subprocess.Popen[bytes]]" = field(default_factory=list)

    def lose(self, number: int) -> None:
        """Kill so many workers, with all that they do."""
        for worker in self.workers[:number]:
            kill(worker)
        del self.workers[:number]

    def have(self, number: int) -> None:
        """Start workers until there are so many."""
        while len(self.workers) < number:
            self.workers.append(self.start_worker())


@contextmanager
def spark_cluster(*, memory: str = "1g", java: dict[str, str] = JAVA) -> Iterator[Cluster]:
    """A cluster whose workers have one core and so much memory each."""
    import pyspark  # noqa: PLC0415 - slow

    home = Path(pyspark.__file__).parent
    port, web = free_port(), free_port()
    settings = {"SPARK_HOME": str(home), "SPARK_LOCAL_IP": LOOPBACK, "SPARK_DAEMON_MEMORY": "256m"}
    environment = os.environ | settings | java | {"PYSPARK_PYTHON": sys.executable}
    start = [str(home / "bin" / "spark-class")]
    address = f"spark://{LOOPBACK}:{port}"
    with tempfile.TemporaryDirectory(prefix="paranym-cluster-") as name, ExitStack() as stack:
        folder, numbers = Path(name), itertools.count(1)
        master = [*start, "org.apache.spark.deploy.master.Master", "-h", LOOPBACK, "-p", str(port)]
        log = folder / "master.log"
        stack.enter_context(running([*master, "--webui-port", str(web)], log, folder, env=environment))
        wait_until(lambda: answers(port), "the master", log)

        def start_worker() -> "subprocess.Popen[bytes]":
            number = next(numbers)
            command = [*start, "org.apache.spark.deploy.worker.Worker", address, "-h", LOOPBACK, "-c", "1"]
            command += ["-m", memory, "-d", str(folder / f"worker-{number}"), "--webui-port", str(free_port())]
            worker = stack.enter_context(running(command, folder / f"worker-{number}.log", folder, env=environment))
            wait_until(lambda: len(re.findall("Registering worker", log.read_text())) == number, "a worker", log)
            return worker

        cluster = Cluster(address, start_worker)
        cluster.have(2)
        yield cluster
