"""`rlvitals ui`: starts the dashboard as a child process, prints its address once it answers, and ends with it."""

import argparse
import getpass
import os
import signal
import socket
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from diagnostics.cli.command import CommandError, note, parser, write
from diagnostics.cli.packages import folder_of
from diagnostics.cli.reading import add_map, names_of
from diagnostics.cli.server import Server

_NEEDS = ("streamlit", "plotly", "pandas")
_PORTS_TO_TRY = 50
_WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}
_HIGHEST_PORT = 65535


def run(words: Sequence[str]) -> int:
    """Serve until Ctrl-C or SIGTERM; the exit code is 0 then, and the dashboard's own when it ends by itself."""
    arguments = _parser().parse_args(words)
    if missing := [path for path in arguments.paths if not path.exists()]:
        raise CommandError(f"there is no folder {missing[0]}; give one that holds runs")
    names_of(arguments.map)  # report a mistake here rather than on every run's page
    script = folder_of("app", "app", _NEEDS) / "main.py"
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    try:
        return _serve(script, arguments)
    except KeyboardInterrupt:
        return 0


def _serve(script: Path, arguments: argparse.Namespace) -> int:
    """Serve on the first free port that the server really gets: another process may be quicker."""
    local = _WILDCARDS.get(arguments.host, arguments.host)
    for port in _free_ports(arguments.host, arguments.port):
        with Server.start(script, arguments.host, local, port, _environment(arguments)) as server:
            if server.becomes_ready():
                _announce(arguments.host, port)
                return server.process.wait()
        if _is_free(arguments.host, port):
            raise CommandError("the dashboard ended before it could be opened; what it said stands above")
    raise CommandError(f"none of the {_PORTS_TO_TRY} ports from {arguments.port} on is free; name another with --port")


def _announce(host: str, port: int) -> None:
    write(_address(host, port))
    if tunnel := _tunnel(port):
        write(f"from your own machine: {tunnel}")
    if host in _WILDCARDS:
        note(f"rlvitals: everybody who reaches this machine can open it, as http://{socket.gethostname()}:{port}")
    sys.stdout.flush()


def _environment(arguments: argparse.Namespace) -> dict[str, str]:
    """The app's environment: the folders to show, and whether it may start and stop trainings."""
    settings = {"RLVITALS_READ_ONLY": "1"} if arguments.read_only else {}
    if arguments.map:
        settings["RLVITALS_MAP"] = str(arguments.map.resolve())
    if arguments.paths:
        settings["RLVITALS_PATHS"] = os.pathsep.join(str(path.resolve()) for path in arguments.paths)
    return {**os.environ, **settings}


def _free_ports(host: str, first: int) -> Iterator[int]:
    ports = range(first, min(first + _PORTS_TO_TRY, _HIGHEST_PORT + 1))
    return (port for port in ports if _is_free(host, port))


def _is_free(host: str, port: int) -> bool:
    try:
        address = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    except socket.gaierror as error:
        raise CommandError(f"--host {host} is no address of this machine: {error.strerror}") from error
    with socket.socket(address[0], socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address[4])
        except PermissionError as error:
            raise CommandError(f"port {port} needs root; name one from 1024 on with --port") from error
        except OSError:
            return False
    return True


def _address(host: str, port: int) -> str:
    shown = _WILDCARDS.get(host, host)
    return f"http://[{shown}]:{port}" if ":" in shown else f"http://{shown}:{port}"


def _tunnel(port: int) -> str:
    """The command that brings the page to the machine from which somebody is logged in here; empty without SSH."""
    connection = os.environ.get("SSH_CONNECTION", "").split()
    if len(connection) != 4:
        return ""
    server, server_port = connection[2:]
    entry = "" if server_port == "22" else f"-p {server_port} "
    return f"ssh {entry}-L {port}:127.0.0.1:{port} {getpass.getuser()}@{server}"


def _port(text: str) -> int:
    port = int(text) if text.isdigit() else -1
    if not 1 <= port <= _HIGHEST_PORT:
        raise argparse.ArgumentTypeError(f"{text!r} is no port; give a number from 1 to {_HIGHEST_PORT}")
    return port


def _parser() -> argparse.ArgumentParser:
    arguments = parser(
        "ui",
        "Open the dashboard over these folders (default: ./runs and the sample runs).",
        ("rlvitals", "rlvitals ~/experiments", "rlvitals ui runs --port 8600 --read-only"),
    )
    arguments.add_argument("paths", metavar="PATH", nargs="*", type=Path, help="a folder that holds runs, or a run")
    arguments.add_argument(
        "--host", default="127.0.0.1", help="address to serve on (default: 127.0.0.1, this machine only)"
    )
    arguments.add_argument("--port", type=_port, default=8501, help="port, or the next free one (default: 8501)")
    arguments.add_argument("--read-only", action="store_true", help="show runs, but start and stop nothing")
    add_map(arguments)
    return arguments
