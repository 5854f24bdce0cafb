"""Watching: the runs below some paths, diagnosed while they grow, with what of each is worth telling."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from diagnostics.alerts.alert import Alert, alert_of
from diagnostics.alerts.alerts_file import AlertRules
from diagnostics.alerts.episodes import OLD, news
from diagnostics.alerts.journal import Journal, JournalError
from diagnostics.api import LiveDiagnosis, LiveRun, RunRef, UnreadableRun, find_runs
from diagnostics.language import _
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.run import Run
from diagnostics.remote.following import NotHereYet
from diagnostics.told import reason
from diagnostics.wording.live import silence

SECONDS_BETWEEN_SEARCHES = 10.0


@dataclass(frozen=True, slots=True)
class Look:
    """One run as it was found now, and what is to be told of it."""

    diagnosis: Diagnosis
    alerts: tuple[Alert, ...]


@dataclass(slots=True)
class _Watched:
    """A run that is followed. Without a reader it is none that can be read, or one that ended long ago."""

    live: LiveRun | None
    diagnoses: LiveDiagnosis = field(default_factory=LiveDiagnosis)
    run: Run | None = None
    told: Diagnosis | None = None
    is_silent: bool = False

    @property
    def is_over(self) -> bool:
        return self.live is None or (self.run is not None and self.run.status.has_ended and self.told is not None)


class Watching:
    """Not thread-safe. `complain` gets one sentence for each run that cannot be read."""

    def __init__(
        self, paths: Sequence[Path], rules: AlertRules, journal: Journal, complain: Callable[[str], None]
    ) -> None:
        self._paths, self._rules, self._journal, self._complain = tuple(paths), rules, journal, complain
        self._runs: dict[Path, _Watched] = {}
        self._search_due = 0.0
        self.unreadable = 0
        self.shows_old_runs = False  # whether runs that ended long ago are diagnosed as well

    @property
    def have_ended(self) -> bool:
        """Whether there was a run, and none of them still trains."""
        return bool(self._runs) and all(watched.is_over for watched in self._runs.values())

    def look(self) -> Iterator[Look]:
        """Each run of which there is something new since the last look."""
        if time.monotonic() >= self._search_due:
            self._search()
        for path, watched in self._runs.items():
            if watched.live is None:
                continue
            try:
                yield from self._look_at(watched, watched.live)
            except UnreadableRun as error:
                self._give_up(watched, reason(error))
            except Exception as error:  # a bug in one reader must not end the watch over the others
                sentence = _("{path} cannot be read, which is a mistake of rlvitals: {error}")
                self._give_up(watched, sentence.format(path=path, error=repr(error)))

    def missing(self) -> list[Path]:
        """The paths that hold no run."""
        return [path for path in self._paths if not any(run.is_relative_to(path) for run in self._runs)]

    def _search(self) -> None:
        self._search_due = time.monotonic() + SECONDS_BETWEEN_SEARCHES
        for path in self._paths:
            for found in find_runs(path):
                if found.path not in self._runs and (watched := self._open(found)):
                    self._runs[found.path] = watched

    def _open(self, found: RunRef) -> _Watched | None:
        """The run to follow; None where it lies elsewhere and is not here yet, so that it is opened later."""
        try:
            return _Watched(LiveRun(found))
        except NotHereYet:
            return None
        except UnreadableRun as error:
            self.unreadable += 1
            self._complain(reason(error))
            return _Watched(None)

    def _give_up(self, watched: _Watched, sentence: str) -> None:
        watched.live = None
        self.unreadable += 1
        self._complain(sentence)

    def _look_at(self, watched: _Watched, live: LiveRun) -> Iterator[Look]:
        now = time.time()
        is_first = watched.run is None
        watched.run = live.refresh() or watched.run
        if watched.run is None:
            return
        if is_first and not self.shows_old_runs and _ended_long_ago(watched.run, now):
            watched.live = None
            return
        diagnosis = watched.diagnoses.update(watched.run)
        is_silent = bool(silence(watched.run, now))
        if diagnosis is not watched.told or is_silent != watched.is_silent:
            watched.told, watched.is_silent = diagnosis, is_silent
            yield Look(diagnosis, self._alerts(diagnosis, now))

    def _alerts(self, diagnosis: Diagnosis, now: float) -> tuple[Alert, ...]:
        try:
            events = self._journal.advance(diagnosis.run, lambda told: news(told, diagnosis, now, self._rules.cooldown))
        except JournalError as error:
            self._complain(reason(error))
            return ()
        return tuple(alert_of(event, diagnosis, now, self._rules.page) for event in events)


def _ended_long_ago(run: Run, now: float) -> bool:
    return run.status.has_ended and now - (run.status.last_written or now) > OLD
