"""Episodes: what of a run has been told, and what a new diagnosis adds that is worth telling."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any, Self

from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.finding import Finding
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.wording.live import silence

OLD = 86_400.0
"""Seconds: a run that had ended, or fallen silent, before that is no news when it is seen for the first time."""


class Kind(StrEnum):
    """What happened to a run."""

    OPENED = "opened"
    WORSENED = "worsened"
    CLOSED = "closed"
    FAILED = "failed"
    SILENT = "silent"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Episode:
    """A finding that holds: what it is called, the rules that show it, and when its opening was told, if it was."""

    name: str
    rules: tuple[str, ...]
    severity: Severity
    opened: float  # seconds since the epoch
    is_told: bool = True

    @classmethod
    def of_json(cls, row: Mapping[str, Any]) -> Self:
        """What `asdict` made."""
        return cls(**{**row, "rules": tuple(row["rules"]), "severity": Severity(row["severity"])})


@dataclass(frozen=True, slots=True)
class Told:
    """What has been told of one run. `opened` is when each finding opened last, of those that are over too."""

    episodes: tuple[Episode, ...] = ()
    opened: Mapping[str, float] = field(default_factory=dict)
    is_silent: bool = False
    has_ended: bool = False
    observed_at: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """As JSON's types."""
        return asdict(self)

    @classmethod
    def of_json(cls, row: Mapping[str, Any]) -> Self:
        """What `to_json` made."""
        return cls(**{**row, "episodes": tuple(map(Episode.of_json, row["episodes"]))})


@dataclass(frozen=True, slots=True)
class Event:
    """One thing worth telling. `finding` is empty where it is about the run itself."""

    kind: Kind
    finding: str = ""
    severity: Severity | None = None


def news(told: Told | None, diagnosis: Diagnosis, now: float, cooldown: float) -> tuple[list[Event], Told]:
    """What a diagnosis adds to what was told, and what then has been told.

    A finding that opens again within `cooldown` seconds of its last opening is not told again, nor is its end. A
    diagnosis that is older than what was told, as another watcher's may be, adds nothing. None: never seen before.
    """
    run = diagnosis.run
    if told is not None and run.observed_at < told.observed_at:
        return [], told
    before = told or Told()
    is_silent = not run.status.has_ended and bool(run.status.state == "silent" or silence(run, now))
    after = replace(before, observed_at=run.observed_at, is_silent=is_silent, has_ended=run.status.has_ended)
    if told is None and _is_old(run, now, is_silent=is_silent):
        return [], after
    events, after = ([], after) if run.status.has_ended else _of_findings(after, diagnosis.findings, now, cooldown)
    if is_silent and not before.is_silent:
        events.append(Event(Kind.SILENT))
    if run.status.has_ended and not before.has_ended:
        kind = Kind.FAILED if run.status.has_failed else Kind.ENDED
        events.append(Event(kind, severity=_worst(diagnosis)))
    return events, after


def _worst(diagnosis: Diagnosis) -> Severity | None:
    return diagnosis.findings[0].severity if diagnosis.findings else None


def _is_old(run: Run, now: float, *, is_silent: bool) -> bool:
    last = run.status.last_written or run.newest_time
    return (run.status.has_ended or is_silent) and last is not None and now - last > OLD


def _of_findings(told: Told, findings: tuple[Finding, ...], now: float, cooldown: float) -> tuple[list[Event], Told]:
    """The findings that opened, worsened or closed.

    A finding may come under another name when more is known of it, first as a rule and then as a cause: it goes on the
    episode that shares a rule with it and whose own name is gone.
    """
    holding = [finding for finding in findings if finding.still]
    by_name = {episode.name: episode for episode in told.episodes}
    ending = {name: by_name[name] for name in by_name.keys() - {finding.name for finding in holding}}
    events, episodes, opened = list[Event](), list[Episode](), dict(told.opened)
    for finding in holding:
        rules = tuple(outcome.rule for outcome in finding.outcomes)
        earlier = by_name.get(finding.name) or _taken_over(ending, rules)
        if earlier is None:
            is_told = now - opened.get(finding.name, -math.inf) >= cooldown
            episodes.append(Episode(finding.name, rules, finding.severity, now, is_told))
            if is_told:
                opened[finding.name] = now
                events.append(Event(Kind.OPENED, finding.name, finding.severity))
            continue
        is_worse = finding.severity.rank > earlier.severity.rank
        if is_worse:
            # A note is no alarm: what comes of it opens as one.
            kind = Kind.OPENED if earlier.severity is Severity.INFO else Kind.WORSENED
            events.append(Event(kind, finding.name, finding.severity))
        # The worst severity stays the episode's: one that goes down and up again has not worsened.
        severity = finding.severity if is_worse else earlier.severity
        episodes.append(Episode(finding.name, rules, severity, earlier.opened, earlier.is_told or is_worse))
    events += _closings(ending)
    return events, replace(told, episodes=tuple(episodes), opened=opened)


def _taken_over(ending: dict[str, Episode], rules: tuple[str, ...]) -> Episode | None:
    """The ending episodes that share a rule, taken out of those that end: the gravest of them."""
    shared = [name for name, episode in ending.items() if set(episode.rules) & set(rules)]
    found = [ending.pop(name) for name in shared]
    return max(found, key=lambda episode: episode.severity.rank, default=None)


def _closings(ending: Mapping[str, Episode]) -> Iterator[Event]:
    for episode in ending.values():
        if episode.is_told:
            yield Event(Kind.CLOSED, episode.name, episode.severity)
