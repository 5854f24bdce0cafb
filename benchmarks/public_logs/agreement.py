"""How what was said of a log agrees with its judgement."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.public_logs.diagnosing import Alarm, Said, diagnosed
from benchmarks.public_logs.table import PublicLog

OF_THE_END = "run-died"
"""Readers judge curves; each death that was told of a log that is not sick was looked up, and is in its record."""

STANDS_FOR = {"length-at-limit": "truncation-high"}
"""A rule of logs that hold no share of cut-off answers, and the one that says the same by that share."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A log with what was said of it."""

    log: PublicLog
    said: Said

    @property
    def is_opened(self) -> bool:
        return self.said.verdict != "unreadable"

    @property
    def right_alarms(self) -> tuple[Alarm, ...]:
        """The alarms of rules that are right for a sick log."""
        wanted = self.log.rules
        return tuple(item for item in self.said.alarms if {item.rule, STANDS_FOR.get(item.rule)} & {*wanted})

    @property
    def is_found(self) -> bool:
        """Whether a right rule fired at warning or above."""
        return bool(self.right_alarms)

    @property
    def delay(self) -> int | None:
        """Steps from the judged onset to the first right alarm; below 0 where the alarm is earlier."""
        steps = [alarm.first_step for alarm in self.right_alarms if alarm.first_step is not None]
        return min(steps) - self.log.since if steps and self.log.since is not None else None

    @property
    def is_named(self) -> bool:
        """Whether the first cause is a right one."""
        return self.said.cause in self.log.causes

    @property
    def is_named_by_either(self) -> bool:
        """Whether one of the two readers names the first cause."""
        second = self.log.second.causes if self.log.second else ()
        return self.is_named or self.said.cause in second

    @property
    def false_alarms(self) -> tuple[Alarm, ...]:
        """All alarms of a log that is not sick, except those that are true of its record, and the one about its end."""
        return tuple(alarm for alarm in self.said.alarms if alarm.rule not in {*self.log.allowed, OF_THE_END})

    @property
    def disagreement(self) -> str:
        """In words, what is wrong with what was said; empty where nothing is, and for unclear logs."""
        if not self.is_opened:
            return "not opened"
        return _DISAGREEMENTS[self.log.counts_as](self)


def judge(folder: Path, logs: Iterable[PublicLog], seconds: float, processes: int) -> list[Judged]:
    """Diagnose each log that `folder` has, in the order given."""
    at_hand = [log for log in logs if (folder / log.place).exists()]
    with ThreadPoolExecutor(processes) as pool:
        return list(pool.map(partial(_judge, folder, seconds), at_hand))


def _judge(folder: Path, seconds: float, log: PublicLog) -> Judged:
    return Judged(log, diagnosed(folder / log.place, seconds))


def of(results: Sequence[Judged], judged: str) -> list[Judged]:
    """The results of logs that count as judged so."""
    return [result for result in results if result.log.counts_as == judged]


def _of_sick(result: Judged) -> str:
    if not result.is_found:
        return "missed"
    return "" if result.is_named or not result.log.causes else "another cause first"


def _of_healthy(result: Judged) -> str:
    worst = {alarm.severity for alarm in result.false_alarms}
    return next((f"false {severity}" for severity in ("critical", "warning") if severity in worst), "")


def _of_no_rl(result: Judged) -> str:
    return "called healthy" if result.said.verdict == "healthy" else _of_healthy(result)


_DISAGREEMENTS: dict[str, Callable[[Judged], str]] = {
    "sick": _of_sick,
    "healthy": _of_healthy,
    "no-rl": _of_no_rl,
    "unclear": lambda result: "",
}
