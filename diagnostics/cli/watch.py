"""`rlvitals watch`: the runs below some paths, live and headless: status lines, alerts, and a stop where one is due."""

import argparse
import json
import math
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from diagnostics.addresses import shown
from diagnostics.alerts.alert import Alert
from diagnostics.alerts.alerts_file import AlertRules, AlertsFileError, alert_rules, users_file
from diagnostics.alerts.journal import Journal
from diagnostics.alerts.sender import Sender
from diagnostics.alerts.watching import Look, Watching
from diagnostics.api import find_runs
from diagnostics.cli.command import BAD_INPUT, CommandError, command_parser, print_note, write_result
from diagnostics.cli.reading import log_path
from diagnostics.cli.watch_stops import Stops
from diagnostics.language import ENGLISH, _, set_language
from diagnostics.model.outcome import Severity
from diagnostics.punctuation import labelled
from diagnostics.remote.following import silence_of
from diagnostics.runlog import BESIDE_OUTPUTS
from diagnostics.stop_policy import CONFIRMATIONS
from diagnostics.told import said
from diagnostics.visible_text import one_line
from diagnostics.wording.messages import message_text
from diagnostics.wording.runs import state
from diagnostics.wording.severities import VERDICT_SHAPES, verdict_word
from diagnostics.wording.steps import progress
from diagnostics.wording.verdicts import verdict_headline

TEXT, JSON = "text", "json"
INTERVAL = 1.0  # seconds between two looks, which cost microseconds where nothing was written
_SHORTEST, _LONGEST = 0.01, 3600.0  # of the intervals that can be asked for
_LAST_DELIVERIES = 20.0  # seconds for them at the end
_REACHED = 1
_POLITE = 10  # added to the niceness: what is watched comes first


def run(words: Sequence[str]) -> int:
    """0 · 1 when something at --fail-on or above holds at the end · 2 when a path could not be read."""
    given = _parser().parse_args(words)
    given.format = given.format or (TEXT if sys.stdout.isatty() else JSON)
    if given.format == JSON and given.lang is None:
        set_language(ENGLISH)
    try:
        rules = alert_rules(given.alerts)
        rules = replace(rules, page=rules.page or given.page)
        stops = Stops(given.stop_on, 1 if given.once else given.confirmations)
    except (AlertsFileError, ValueError) as error:
        raise CommandError(str(error)) from error
    with suppress(OSError):
        os.nice(_POLITE)
    watch = _Watch(given, rules, stops)
    try:
        watch.until_done()
    finally:
        watch.sender.finish(_LAST_DELIVERIES)
    return watch.exit_code()


class _Watch:
    """One call of the command."""

    def __init__(self, given: argparse.Namespace, rules: AlertRules, stops: Stops) -> None:
        self._given, self._stops = given, stops
        self._terminal = [route for route in rules.routes if route.channel == "terminal"]
        self._printed: dict[Path, str] = {}
        self._silent = set[Path]()
        self._verdicts: dict[Path, str] = {}
        self.sender = Sender(rules.routes, print_note)
        self._watching = Watching(given.paths, rules, Journal.of_user(), print_note)
        self._watching.shows_old_runs = given.once
        self._ends = given.until_end or all(map(_is_a_run, given.paths))

    def until_done(self) -> None:
        while True:
            for look in self._watching.look():
                self._take(look)
            self._tell_of_silence()
            if self._given.once or (self._ends and self._watching.have_ended):
                return
            time.sleep(self._given.interval)

    def _tell_of_silence(self) -> None:
        """Say once that an address does not answer, and once that it does again."""
        for path in self._given.paths:
            silence = said(silence_of(path))
            if silence and path not in self._silent:
                print_note(f"rlvitals: {silence}")
                self._silent.add(path)
            elif not silence and path in self._silent:
                print_note(_("rlvitals: {address} answers again").format(address=shown(path)))
                self._silent.discard(path)

    def exit_code(self) -> int:
        missing = self._watching.missing()
        for path in missing:
            print_note(_("rlvitals: {path} holds no known run").format(path=shown(path)))
        if missing or self._silent or self._watching.unreadable:
            return BAD_INPUT
        worst = max((Severity(found).rank for found in self._verdicts.values() if found in list(Severity)), default=-1)
        return _REACHED if worst >= Severity(self._given.fail_on).rank else 0

    def _take(self, look: Look) -> None:
        for alert in look.alerts:
            self.sender.send(alert)
        told = [alert for alert in look.alerts if any(route.takes(alert) for route in self._terminal)]
        self._verdicts[look.diagnosis.run.path] = look.diagnosis.verdict
        try:
            self._print(look, told)
            sys.stdout.flush()
        except BrokenPipeError:
            if not self._given.detached:
                raise
            sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115 - who read it is gone; what is watched is not
        if sentence := self._stops.take(look.diagnosis):
            print_note(sentence)

    def _print(self, look: Look, told: Sequence[Alert]) -> None:
        if self._given.format == JSON:
            write_result(json.dumps(_document(look, told)))
            return
        for alert in told:
            write_result("\n  ".join([one_line(alert.title), *alert.lines()]))
        line = _status_line(look)
        if line != self._printed.get(look.diagnosis.run.path):
            self._printed[look.diagnosis.run.path] = line
            write_result(f"{datetime.now():%H:%M:%S}  {line}")


def _status_line(look: Look) -> str:
    """ "▲ grpo-a  running · step 143 of 200  warning: KL runs away"."""
    diagnosis = look.diagnosis
    shape = VERDICT_SHAPES.get(diagnosis.verdict, " ")
    where = " · ".join(filter(None, (state(diagnosis.run), progress(diagnosis.run))))
    verdict = labelled(verdict_word(diagnosis.verdict), verdict_headline(diagnosis))
    return one_line(f"{shape} {diagnosis.run.name}  {where}  {verdict}")


def _document(look: Look, told: Iterable[Alert]) -> dict[str, Any]:
    diagnosis, run_ = look.diagnosis, look.diagnosis.run
    return {
        "path": shown(run_.path),
        "run_id": run_.run_id,
        "name": run_.name,
        "state": run_.status.state,
        "step": run_.last_step,
        "total": run_.status.total,
        "verdict": diagnosis.verdict,
        "headline": verdict_headline(diagnosis),
        "findings": list(_findings(look)),
        "alerts": [{"kind": alert.kind, "title": alert.title} for alert in told],
    }


def _findings(look: Look) -> Iterator[dict[str, Any]]:
    for finding in look.diagnosis.findings:
        yield {
            "name": finding.name,
            "severity": finding.severity,
            "first_step": finding.first_step,
            "last_step": finding.last_step,
            "still": finding.still,
            "summary": message_text(finding.summary),
            "rules": [outcome.rule for outcome in finding.outcomes],
        }


def _is_a_run(path: Path) -> bool:
    """Whether it is one run's own folder, or the output folder of a training that the callback follows."""
    return [found.path for found in find_runs(path)] in ([path], [path / BESIDE_OUTPUTS])


def _interval(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not _SHORTEST <= seconds <= _LONGEST:
        sentence = _("{text} is no interval; give a number of seconds from {lowest} to {highest}")
        raise argparse.ArgumentTypeError(sentence.format(text=repr(text), lowest=_SHORTEST, highest=int(_LONGEST)))
    return seconds


def _parser() -> argparse.ArgumentParser:
    arguments = command_parser(
        "watch",
        _(
            "Watch every run below these paths without a browser: print what changes, send alerts, stop what is sick.\n"
            "Who gets which alerts stands in {file}."
        ).format(file=users_file()),
        (
            _("rlvitals watch runs/a                           until it has ended"),
            _("rlvitals watch runs --stop-on critical          until Ctrl-C; new runs are found"),
            _("rlvitals watch runs --once                      one look, for cron; nothing is told twice"),
            "rlvitals watch runs --stop-on kl-runaway --stop-on memory-climbs",
        ),
    )
    arguments.add_argument(
        "paths", metavar="PATH", nargs="+", type=log_path, help=_("a run, or a folder that holds runs")
    )
    arguments.add_argument("--once", action="store_true", help=_("look once, at runs that ended long ago too, and end"))
    arguments.add_argument(
        "--until-end", action="store_true", help=_("end when no run trains any more (the default where PATH is a run)")
    )
    arguments.add_argument(
        "--stop-on",
        metavar="SEVERITY|NAME",
        action="append",
        help=_("stop a training, with a checkpoint, when a finding of this severity, rule or cause holds"),
    )
    arguments.add_argument(
        "--confirmations",
        metavar="N",
        type=int,
        default=CONFIRMATIONS,
        help=_("in so many diagnoses in a row, each with newer steps (default: {count}; 1 with --once)").format(
            count=CONFIRMATIONS
        ),
    )
    arguments.add_argument(
        "--fail-on",
        choices=[severity.value for severity in Severity],
        default=Severity.CRITICAL.value,
        help=_("exit with 1 when the last verdict on a run is this bad (default: critical)"),
    )
    arguments.add_argument("--alerts", metavar="FILE.toml", type=Path, help=_("who gets which alerts, by another file"))
    arguments.add_argument(
        "--page", metavar="URL", default="", help=_("where the dashboard is, if the file does not say")
    )
    arguments.add_argument(
        "--interval", metavar="SECONDS", type=_interval, default=INTERVAL, help=_("between two looks")
    )
    arguments.add_argument(
        "--format",
        choices=(TEXT, JSON),
        help=_("status lines, or a JSON line per change (default: text on a terminal)"),
    )
    arguments.add_argument(
        "--detached", action="store_true", help=_("go on, for the alerts, when nobody reads the output any more")
    )
    return arguments
