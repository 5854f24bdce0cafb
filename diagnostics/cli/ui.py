"""`rlvitals ui`: starts the dashboard as a child process, prints its address once it answers, and ends with it."""

import argparse
import os
import signal
import socket
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import NoReturn

from diagnostics.addresses import address_of, shown
from diagnostics.cli.access_token import access_token
from diagnostics.cli.address import Address, base_path, host_name
from diagnostics.cli.command import CommandError, command_parser, print_note, write_result
from diagnostics.cli.dashboard_alerts import alerts_over
from diagnostics.cli.packages import folder_of
from diagnostics.cli.reading import add_map, log_path, names_of
from diagnostics.cli.recipes import recipes_help
from diagnostics.cli.server import Server
from diagnostics.language import _
from diagnostics.remote.following import find_there, silence_of, waiting_at_most
from diagnostics.told import said

_NEEDS = ("streamlit", "plotly", "pandas")
_PORTS_TO_TRY = 50
_SECONDS_FOR_ELSEWHERE = 15.0  # for the first answer of an address
_HIGHEST_PORT = 65535


def run(words: Sequence[str]) -> int:
    """Serve until Ctrl-C or SIGTERM; the exit code is 0 then, and the dashboard's own when it ends by itself."""
    arguments = _parser().parse_args(words)
    _look_elsewhere(arguments.paths)
    if missing := [path for path in arguments.paths if not path.exists()]:
        raise CommandError(_("there is no folder {first}; give one that holds runs").format(first=missing[0]))
    _check_access(arguments)
    names_of(arguments.map)  # report a mistake here rather than on every run's page
    script = folder_of("app", "app", _NEEDS) / "asgi.py"
    ending = _Ending()
    signal.signal(signal.SIGTERM, ending)
    for number in (signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as `nohup` and `&` in a script ask for
            signal.signal(number, ending)
    try:
        return _serve(script, arguments, ending)
    except KeyboardInterrupt:
        return 0


class _Ending:
    """Handles the signals that end the dashboard: raises KeyboardInterrupt, and remembers that it did."""

    is_asked = False

    def __call__(self, _number: int, _frame: FrameType | None) -> NoReturn:
        self.is_asked = True
        raise KeyboardInterrupt


def _look_elsewhere(paths: Iterable[Path]) -> None:
    """Make sure that what lies elsewhere can be shown, now or once it answers. Raises CommandError."""
    for path in (path for path in paths if address_of(path)):
        if os.pathsep in str(path):
            sentence = _("{path} holds a {sign}, which stands between paths; give the address of a folder above it")
            raise CommandError(sentence.format(path=shown(path), sign=repr(os.pathsep)))
        with waiting_at_most(_SECONDS_FOR_ELSEWHERE):
            find_there(path)
        silence, is_known = said(silence_of(path)), path.exists()
        if silence and not is_known:
            raise CommandError(silence)
        if silence:
            print_note(f"rlvitals: {silence}")
        path.mkdir(parents=True, exist_ok=True)  # still empty where it does not answer yet


def _serve(script: Path, arguments: argparse.Namespace, ending: _Ending) -> int:
    """Serve on the first free port that the server really gets: another process may be quicker."""
    token = None if arguments.no_token else access_token()
    for port in _free_ports(arguments.host, arguments.port):
        address = Address(arguments.host, port, arguments.base_path)
        with Server.start(script, address, _environment(arguments, address, token)) as server:
            if server.becomes_ready():
                _announce(address, token, _what_it_opens(arguments))
                with alerts_over(arguments.paths, address.url()):
                    return server.wait(lambda: ending.is_asked)
        if _is_free(arguments.host, port):
            raise CommandError(_("the dashboard ended before it could be opened; what it said stands above"))
    raise CommandError(
        _("none of the {count} ports from {port} on is free; name another with --port").format(
            count=_PORTS_TO_TRY, port=arguments.port
        )
    )


def _check_access(arguments: argparse.Namespace) -> None:
    """Raise CommandError where everybody in the network could run code."""
    if arguments.no_token and not arguments.read_only and not Address(arguments.host, arguments.port).is_loopback:
        raise CommandError(
            _(
                "--no-token on --host {host} lets everybody who reaches this machine run code "
                "as you; leave one of the two away, or add --read-only. A proxy with login can send the token: "
                "'Authorization: Bearer …' with what RLVITALS_TOKEN holds"
            ).format(host=arguments.host)
        )


def _announce(address: Address, token: str | None, what_it_opens: str) -> None:
    write_result(address.url(token))
    if tunnel := address.tunnel():
        write_result(_("from your own machine: {tunnel}").format(tunnel=tunnel))
    sys.stdout.flush()
    if token is None:
        print_note(
            _(
                "rlvitals: no token is asked for: every user and every process of this machine can {what_it_opens}"
            ).format(what_it_opens=what_it_opens)
        )
    if not address.is_loopback:
        url = address.url(token, host=socket.gethostname() if address.is_wildcard else None)
        holder = _("everybody who reaches this machine") if token is None else _("whoever has this address")
        print_note(
            _(
                "rlvitals: {holder} can {what_it_opens}: {url} (nothing is encrypted on the "
                "way; an SSH tunnel or a proxy with TLS is safer)"
            ).format(holder=holder, what_it_opens=what_it_opens, url=url)
        )


def _what_it_opens(arguments: argparse.Namespace) -> str:
    return _("read these runs") if arguments.read_only else _("start trainings, and so run code as you")


def _environment(arguments: argparse.Namespace, address: Address, token: str | None) -> dict[str, str]:
    """The app's environment: the folders to show, whether it may start and stop trainings, and whom it lets in."""
    settings = {"RLVITALS_ALLOWED_HOSTS": " ".join(address.names(arguments.allow_host))}
    settings |= {"RLVITALS_TOKEN": token} if token else {"RLVITALS_TOKEN": "", "RLVITALS_NO_TOKEN": "1"}
    if arguments.read_only:
        settings["RLVITALS_READ_ONLY"] = "1"
    if arguments.map:
        settings["RLVITALS_MAP"] = str(arguments.map.resolve())
    if arguments.recipes:
        settings["RLVITALS_RECIPES"] = str(arguments.recipes.resolve())
    if arguments.paths:
        settings["RLVITALS_PATHS"] = os.pathsep.join(map(_absolute, arguments.paths))
    return {**os.environ, **settings}


def _absolute(path: Path) -> str:
    """A copy keeps its path, which tells its address."""
    return str(path if address_of(path) else path.resolve())


def _free_ports(host: str, first: int) -> Iterator[int]:
    ports = range(first, min(first + _PORTS_TO_TRY, _HIGHEST_PORT + 1))
    return (port for port in ports if _is_free(host, port))


def _is_free(host: str, port: int) -> bool:
    try:
        address = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    except socket.gaierror as error:
        raise CommandError(
            _("--host {host} is no address of this machine: {why}").format(host=host, why=error.strerror)
        ) from error
    with socket.socket(address[0], socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address[4])
        except PermissionError as error:
            raise CommandError(
                _("port {port} needs root; name one from 1024 on with --port").format(port=port)
            ) from error
        except OSError:
            return False
    return True


def _port(text: str) -> int:
    port = int(text) if text.isdigit() else -1
    if not 1 <= port <= _HIGHEST_PORT:
        sentence = _("{text} is no port; give a number from 1 to {highest}")
        raise argparse.ArgumentTypeError(sentence.format(text=repr(text), highest=_HIGHEST_PORT))
    return port


def _parser() -> argparse.ArgumentParser:
    arguments = command_parser(
        "ui",
        _("Open the dashboard over these folders (default: ./runs and the sample runs)."),
        (
            "rlvitals",
            "rlvitals ~/experiments",
            "rlvitals s3://bucket/runs",
            "rlvitals ui runs --port 8600 --read-only",
            "rlvitals --allow-host runs.example.org --base-path /rl    # behind a proxy",
        ),
    )
    arguments.add_argument(
        "paths", metavar="PATH", nargs="*", type=log_path, help=_("a folder that holds runs, or a run")
    )
    arguments.add_argument(
        "--host", default="127.0.0.1", help=_("address to serve on (default: 127.0.0.1, this machine only)")
    )
    arguments.add_argument("--port", type=_port, default=8501, help=_("port, or the next free one (default: 8501)"))
    arguments.add_argument("--read-only", action="store_true", help=_("show runs, but start and stop nothing"))
    arguments.add_argument(
        "--no-token",
        action="store_true",
        help=_("let every user and process of this machine in, without the token of the printed address"),
    )
    arguments.add_argument(
        "--allow-host",
        metavar="NAME",
        action="append",
        default=[],
        type=host_name,
        help=_("also answer to this host name, such as that of a proxy (repeatable)"),
    )
    arguments.add_argument(
        "--base-path", metavar="/PATH", default="", type=base_path, help=_("serve below this path (default: /)")
    )
    arguments.add_argument("--recipes", metavar="FILE", type=Path, help=recipes_help())
    add_map(arguments)
    return arguments
