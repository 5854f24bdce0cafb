"""An alert: what is told of one event, bounded and without a character that could do anything."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from diagnostics.addresses import shown
from diagnostics.alerts.episodes import Event, Kind
from diagnostics.foreign_files import read_end
from diagnostics.language import _, pgettext
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.finding import Finding
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.punctuation import labelled, with_remark
from diagnostics.visible_text import one_line
from diagnostics.wording.findings import fix_line, in_words
from diagnostics.wording.live import silence
from diagnostics.wording.messages import message_text, message_with_rule
from diagnostics.wording.runs import run_line, state_word
from diagnostics.wording.steps import steps_of
from diagnostics.wording.verdicts import verdict_headline

LONGEST_LINE, LONGEST_CONSOLE_LINE = 500, 200  # characters
MOST_LINES, MOST_CONSOLE_LINES = 4, 10
_CONSOLE_BYTES = 8192
_ELLIPSIS = "…"


@dataclass(frozen=True, slots=True)
class Alert:
    """What is told of one event. Every text is one line."""

    kind: Kind
    run: str
    path: str
    run_id: str
    line: str  # algorithm, producer, state and progress
    state: str
    step: int | None
    verdict: str
    severity: Severity | None
    finding: str
    headline: str
    evidence: tuple[str, ...]
    fixes: tuple[str, ...]
    console: tuple[str, ...]
    page: str
    at: float

    @property
    def title(self) -> str:
        """ "CRITICAL grpo-a: KL runs away (since step 12, still so)", "FAILED grpo-a: …"."""
        severity = "" if self.severity is None else _(self.severity)
        told = {
            Kind.OPENED: severity,
            Kind.WORSENED: _("now {severity}").format(severity=severity),
            Kind.CLOSED: pgettext("what became of a finding", "over"),
        }
        return labelled(f"{told.get(self.kind, _(self.kind)).upper()} {self.run}", self.headline)

    def document(self) -> dict[str, Any]:
        """For programs."""
        return {
            "schema_version": 1,
            "kind": self.kind,
            "title": self.title,
            "run": {
                "name": self.run,
                "path": self.path,
                "run_id": self.run_id,
                "state": self.state,
                "step": self.step,
                "verdict": self.verdict,
            },
            "severity": self.severity,
            "finding": self.finding,
            "headline": self.headline,
            "evidence": list(self.evidence),
            "fixes": list(self.fixes),
            "console": list(self.console),
            "page": self.page,
            "time": datetime.fromtimestamp(self.at, UTC).isoformat(timespec="seconds"),
        }

    def lines(self) -> list[str]:
        """For people, below the title."""
        console = [_("The end of its console:"), *(f"  {line}" for line in self.console)] if self.console else []
        return [
            _("{run} · verdict {verdict}").format(run=self.line, verdict=_(self.verdict)),
            *self.evidence,
            *(_("Try {fix}").format(fix=fix) for fix in self.fixes),
            *console,
            self.path,
            *([self.page] if self.page else []),
        ]


def alert_of(event: Event, diagnosis: Diagnosis, now: float, page: str) -> Alert:
    """The alert about an event; `page` is where the dashboard is served, empty for nowhere."""
    run = diagnosis.run
    finding = next((item for item in diagnosis.findings if item.name == event.finding), None)
    main = finding or (diagnosis.findings[0] if diagnosis.findings and not event.finding else None)
    return Alert(
        kind=event.kind,
        run=_line(run.name),
        path=_line(shown(run.path)),
        run_id=_line(run.run_id),
        line=_line(run_line(run)),
        state=run.status.state,
        step=run.last_step,
        verdict=diagnosis.verdict,
        severity=event.severity,
        finding=event.finding,
        headline=_line(_headline(event, finding, diagnosis, now)),
        evidence=_lines(_evidence(main, run), MOST_LINES),
        fixes=_lines((fix_line(fix) for fix in main.fixes) if main else (), MOST_LINES),
        console=_console(run),
        page=f"{page.rstrip('/')}/?run={quote(str(run.path.absolute()))}" if page else "",
        at=now,
    )


def _headline(event: Event, finding: Finding | None, diagnosis: Diagnosis, now: float) -> str:
    run = diagnosis.run
    if event.kind is Kind.SILENT:
        return silence(run, now) or _("no new data")
    if event.kind is Kind.FAILED:
        return run.status.short_error or (
            _("the training failed") if run.status.state == "failed" else _("the training died")
        )
    if event.kind is Kind.ENDED:
        ended = _("{state} with the verdict {verdict}")
        return labelled(ended.format(state=state_word(run), verdict=_(diagnosis.verdict)), verdict_headline(diagnosis))
    if finding is None:
        return in_words(event.finding)
    return with_remark(message_text(finding.summary), steps_of(finding))


def _evidence(finding: Finding | None, run: Run) -> list[str]:
    error = [_("Error: {error}").format(error=run.status.short_error)] if run.status.error else []
    return error + ([message_with_rule(outcome) for outcome in finding.outcomes] if finding else [])


def _console(run: Run) -> tuple[str, ...]:
    """The last lines that the training printed."""
    text = run.console_tail or (_end_of(run.console) if run.console else "")
    lines = [line for line in text.replace("\r", "\n").split("\n") if line.strip()]
    return tuple(_line(line, LONGEST_CONSOLE_LINE) for line in lines[-MOST_CONSOLE_LINES:])


def _end_of(path: Path) -> str:
    try:
        return read_end(path, _CONSOLE_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


def _lines(texts: Iterable[str], most: int) -> tuple[str, ...]:
    return tuple(map(_line, list(texts)[:most]))


def _line(text: str, longest: int = LONGEST_LINE) -> str:
    line = one_line(text)
    return line if len(line) <= longest else line[: longest - 1] + _ELLIPSIS
