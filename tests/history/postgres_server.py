"""A PostgreSQL server for a test session: an installed one, else that of the package pgserver; a socket in a folder."""

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from perfproof.machine.software import has_package

START_SECONDS, STOP_SECONDS = 120.0, 60.0
SYSTEM_FOLDERS = ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin")  # of Debian and of Red Hat: not on the PATH
USERS = ("postgres", "nobody")  # the server refuses to run as root


class NoServer(Exception):
    """No server can be started here; the text says why."""


@contextlib.contextmanager
def postgres_server() -> Iterator[str]:
    """The address of a new server, which ends with the block. NoServer if there is none."""
    if not has_package("psycopg"):
        raise NoServer("psycopg is not installed: pip install 'perfproof[postgres]'")
    reasons = []
    for running in (installed_server, packaged_server):
        with contextlib.ExitStack() as stack:
            try:
                address = stack.enter_context(running())
            except NoServer as error:
                reasons.append(str(error))
                continue
            yield address
            return
    raise NoServer("; ".join(reasons))


@contextlib.contextmanager
def installed_server() -> Iterator[str]:
    programs, user = find_programs(), server_user()
    with server_folder(user) as folder:
        data, log = folder / "data", folder / "log"
        initdb = [str(programs / "initdb"), "--pgdata", str(data), "--username", "postgres", "--auth", "trust"]
        run_once([*initdb, "--encoding", "UTF8", "--no-locale", "--no-sync"], user, folder)
        settings = {"listen_addresses": "", "unix_socket_directories": str(folder), "fsync": "off"}
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        with log.open("wb") as output:
            server = subprocess.Popen(
                [str(programs / "postgres"), "-D", str(data), *options],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=folder,
                **user,
            )
        try:
            address = f"postgresql://postgres@/postgres?host={folder}"
            wait_for(server, address, log)
            yield address
        finally:
            stop(server)


@contextlib.contextmanager
def packaged_server() -> Iterator[str]:
    try:
        import pgserver
    except ImportError:
        raise NoServer("the package pgserver is not installed") from None
    with server_folder({}) as folder:
        try:
            server = pgserver.get_server(folder / "data", cleanup_mode="delete")
        except Exception as error:
            raise NoServer(f"pgserver does not start: {type(error).__name__}: {str(error)[:200]}") from None
        try:
            yield server.get_uri()
        finally:
            server.cleanup()


def find_programs() -> Path:
    """The folder of initdb and postgres: that on the PATH, else the newest of the system's."""
    on_path = shutil.which("initdb")
    folders = [Path(on_path).resolve().parent] if on_path else []
    for pattern in SYSTEM_FOLDERS:
        folders += sorted(Path("/").glob(pattern[1:]), key=version_of, reverse=True)
    for folder in folders:
        if all(os.access(folder / name, os.X_OK) for name in ("initdb", "postgres")):
            return folder
    raise NoServer("no PostgreSQL is installed (initdb is neither on the PATH nor in /usr/lib/postgresql)")


def version_of(folder: Path) -> float:
    digits = folder.parent.name.rpartition("-")[2]
    return float(digits) if digits.replace(".", "", 1).isdigit() else 0.0


def server_user() -> dict[str, Any]:
    """Arguments of subprocess: as root another user, else nothing."""
    if os.geteuid() != 0:
        return {}
    for name in USERS:
        with contextlib.suppress(KeyError):
            found = pwd.getpwnam(name)
            return {"user": found.pw_uid, "group": found.pw_gid, "extra_groups": []}
    raise NoServer(f"PostgreSQL does not run as root, and none of the users {', '.join(USERS)} is here")


@contextlib.contextmanager
def server_folder(user: dict[str, Any]) -> Iterator[Path]:
    """Short, because the path of a socket is at most 107 bytes, and reachable for the server's user."""
    folder = Path(tempfile.mkdtemp(prefix="perfproof-pg-"))
    folder.chmod(0o755)
    if user:
        os.chown(folder, user["user"], user["group"])
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def run_once(command: list[str], user: dict[str, Any], folder: Path) -> None:
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=START_SECONDS, **user)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoServer(f"{command[0]} does not run: {error}") from None
    if done.returncode:
        raise NoServer(f"{command[0]} ended with {done.returncode}: {' '.join(done.stderr.split())[-300:]}")


def wait_for(server: subprocess.Popen, address: str, log: Path) -> None:
    import psycopg

    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            psycopg.connect(address, connect_timeout=10).close()
            return
        except psycopg.OperationalError as error:
            said = str(error)
        if server.poll() is not None or time.monotonic() > deadline:
            last = log.read_text(errors="replace").strip().splitlines()[-1:]
            raise NoServer(f"PostgreSQL does not answer: {' '.join(last) or said}")
        time.sleep(0.1)


def stop(server: subprocess.Popen) -> None:
    server.send_signal(signal.SIGINT)  # ends connections that are still open
    try:
        server.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()
