"""The alerts file: who gets which alerts, in TOML. It may name commands to run, so it is never one beside the runs."""

import math
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from diagnostics.alerts.alert import Alert
from diagnostics.alerts.episodes import Kind
from diagnostics.foreign_files.documents import read_toml
from diagnostics.language import _
from diagnostics.model.outcome import Severity
from diagnostics.punctuation import labelled, listed
from diagnostics.told import reason
from diagnostics.user_data import user_data_folder

FILE = "alerts.toml"
COOLDOWN_MINUTES = 10.0
CHANNELS = ("terminal", "webhook", "command", "apprise")
_FILTERS = ("severity", "when", "runs", "findings")
_TOP = ("page", "cooldown_minutes", "send")
_SHARED = stat.S_IWGRP | stat.S_IWOTH


class AlertsFileError(Exception):
    """An alerts file cannot be used; the message is one sentence that names it."""


@dataclass(frozen=True, slots=True)
class Route:
    """One receiver, and which alerts it gets.

    `target` is what the channel needs: the address of a webhook or of apprise, the words of a command, True for the
    terminal. `severity` is the least of a finding; alerts about the run itself (failed, silent, ended) are not held to
    it. `runs` and `findings` are patterns as in a shell; empty means all.
    """

    channel: str
    target: Any
    severity: Severity = Severity.WARNING
    when: frozenset[Kind] = frozenset(Kind)
    runs: str = "*"
    findings: tuple[str, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)

    def takes(self, alert: Alert) -> bool:
        """Whether it is meant for this receiver."""
        if alert.kind not in self.when or not fnmatchcase(alert.run, self.runs):
            return False
        if not alert.finding:
            return True
        is_named = not self.findings or any(fnmatchcase(alert.finding, pattern) for pattern in self.findings)
        return is_named and alert.severity is not None and alert.severity.rank >= self.severity.rank


@dataclass(frozen=True, slots=True)
class AlertRules:
    """What an alerts file says: the receivers, where the dashboard is served, and the cooldown in seconds."""

    routes: tuple[Route, ...] = (Route("terminal", True),)
    page: str = ""
    cooldown: float = COOLDOWN_MINUTES * 60


def users_file() -> Path:
    """`~/.local/share/rlvitals/alerts.toml`; it need not exist."""
    return user_data_folder() / FILE


def alert_rules(given: Path | None = None) -> AlertRules:
    """The rules of a file, else of the user's own; without any, everything from a warning on goes to the terminal.

    Raises AlertsFileError.
    """
    file = given or users_file()
    if given is None and not file.exists():
        return AlertRules()
    try:
        _check_own(file)
        return _rules(read_toml(file))
    except OSError as error:
        sentence = _("cannot read the alerts file {file}: {error}")
        raise AlertsFileError(sentence.format(file=file, error=error.strerror)) from error
    except ValueError as error:
        raise AlertsFileError(labelled(str(file), reason(error))) from error


def _check_own(file: Path) -> None:
    """It runs commands in the user's name: nobody else may have written it."""
    found = file.stat()
    if found.st_uid not in (os.geteuid(), 0) or found.st_mode & _SHARED:
        sentence = _("others can change it, and it may start commands; run: {command}")
        raise ValueError(sentence.format(command=f"chmod go-w {file}"))


def _rules(document: Mapping[str, Any]) -> AlertRules:
    _check_keys(document, _TOP, _("the file"))
    page, minutes = document.get("page", ""), document.get("cooldown_minutes", COOLDOWN_MINUTES)
    if not isinstance(page, str) or (page and not page.startswith(("http://", "https://"))):
        sentence = _("{setting} is no address such as {example}")
        raise ValueError(sentence.format(setting=f"page = {page!r}", example="http://gpu-box:8501"))
    if isinstance(minutes, bool) or not isinstance(minutes, int | float) or not 0 <= minutes < math.inf:
        raise ValueError(_("{setting} is no number of minutes").format(setting=f"cooldown_minutes = {minutes!r}"))
    tables = document.get("send", [])
    if not isinstance(tables, list) or not tables:
        raise ValueError(_("it names no receiver; write [[send]] and below it terminal = true, or a webhook"))
    return AlertRules(tuple(map(_route, tables)), page, minutes * 60.0)


def _route(table: Any) -> Route:
    if not isinstance(table, dict):
        raise ValueError(_("send holds something beside tables; write [[send]] above each"))
    channels = [name for name in CHANNELS if name in table]
    if len(channels) != 1:
        found = _(" and ").join(channels) or _("none")
        sentence = _("each [[send]] names one of {channels}; one names {found}")
        raise ValueError(sentence.format(channels=listed(CHANNELS), found=found))
    (channel,) = channels
    _check_keys(
        table,
        (channel, *_FILTERS, *(("headers",) if channel == "webhook" else ())),
        _("a {channel}").format(channel=channel),
    )
    return Route(
        channel,
        _target(channel, table[channel]),
        Severity(_choice(table.get("severity", "warning"), "severity", list(Severity))),
        frozenset(Kind(_choice(kind, "when", list(Kind))) for kind in _texts(table.get("when", list(Kind)), "when")),
        _text(table.get("runs", "*"), "runs"),
        tuple(_texts(table.get("findings", []), "findings")),
        {name: _text(value, "headers") for name, value in _mapping(table.get("headers", {}), "headers").items()},
    )


def _target(channel: str, value: Any) -> Any:
    match channel:
        case "terminal" if value is True:
            return value
        case "webhook" if isinstance(value, str) and value.startswith(("http://", "https://")):
            return value
        case "apprise" if isinstance(value, str) and "://" in value:
            return value
        case "command" if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
            return tuple(value)
    wanted = {
        "terminal": _("write terminal = true"),
        "webhook": _('write webhook = "https://…"'),
        "apprise": _('write apprise = "slack://…", an address of apprise'),
        "command": _('write command = ["program", "argument"], a list of words'),
    }
    raise ValueError(wanted[channel])  # the value stays unsaid: an address may hold a password


def _check_keys(table: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    for name in table:
        if name not in known:
            sentence = _("{where} has no key {name}; known are {known}")
            raise ValueError(sentence.format(where=where, name=repr(name), known=listed(known)))


def _choice(value: Any, name: str, known: list[Any]) -> str:
    if value not in known:
        sentence = _("{setting} is none of {known}")
        raise ValueError(sentence.format(setting=f"{name} = {value!r}", known=listed(known)))
    return str(value)


def _texts(value: Any, name: str) -> list[str]:
    if not isinstance(value, list):
        sentence = _("{setting} is no list; write {example}")
        raise ValueError(sentence.format(setting=f"{name} = {value!r}", example=f'{name} = ["…"]'))
    return [_text(item, name) for item in value]


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise ValueError(_("{setting} is no text in quotes").format(setting=f"{name} = {value!r}"))
    return value


def _mapping(value: Any, name: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        sentence = _("{name} is no table; write {example}")
        raise ValueError(sentence.format(name=name, example=f'{name} = {{ Authorization = "…" }}'))
    return value
