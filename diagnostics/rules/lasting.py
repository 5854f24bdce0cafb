"""Warnings of a run that is still training: they are notes until they have lasted.

A growing run is judged anew at each step, so that noise passes a limit at one of many looks. What is wrong stays so.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from diagnostics.model.messages import Message
from diagnostics.model.outcome import Outcome, Severity
from diagnostics.model.run import Run
from diagnostics.model.samples import Samples
from diagnostics.model.series import Series
from diagnostics.rules.rule import Rule

SHARE = 0.05  # of the logged steps: passing alarms of healthy trainings of TRL mostly ended sooner
SHARE_OF_NOTHING = 0.15  # of the logged steps: so did those of rules that say that nothing happens

TEXTS: Mapping[str, str] = {
    "lasting.new": "{told} It is new: a warning once it has held for {percent} % of the steps.",
}

Judge = Callable[[Rule[Any, Any], Run], Outcome]


def lasting(
    rules: Collection[Rule[Any, Any]], run: Run, outcomes: Sequence[Outcome], judge: Judge
) -> tuple[Outcome, ...]:
    """The outcomes; a warning that did not hold a share of the logged steps ago is a note while the run goes on.

    It is a twentieth, and three times as much where a rule says that nothing happens. What is critical, what a rule
    tells at once, and what is found in a run's last planned step does not wait.
    """
    new = {outcome.rule for outcome in outcomes if outcome.severity is Severity.WARNING}
    waiting = {rule.name: _share(rule) for rule in rules if rule.name in new and not rule.told_at_once}
    if not waiting or not _goes_on(run):
        return tuple(outcomes)
    before = {share: _before(run, share) for share in {*waiting.values()}}
    judged = (rule for rule in rules if rule.name in waiting)
    held = {rule.name for rule in judged if (earlier := before[waiting[rule.name]]) and judge(rule, earlier).is_alarm}
    return tuple(
        _as_note(item, waiting[item.rule]) if item.rule in waiting.keys() - held else item for item in outcomes
    )


def _share(rule: Rule[Any, Any]) -> float:
    return SHARE_OF_NOTHING if rule.says_nothing_happens else SHARE


def _before(run: Run, share: float) -> Run | None:
    """The run without this share of its last steps; None where it has but one."""
    steps = run.steps
    return until(run, int(steps[-1 - max(1, round(share * len(steps)))])) if len(steps) > 1 else None


def until(run: Run, step: int) -> Run:
    """The run with what was logged up to a step."""
    return replace(
        run,
        series={name: cut for name, whole in run.series.items() if len(cut := _cut(whole, step))},
        derived=_Until(run.derived, step),
        samples=_samples_until(run.samples, step),
    )


def _as_note(outcome: Outcome, share: float) -> Outcome:
    message = Message("lasting.new", {"told": outcome.message, "percent": 100 * share})
    return replace(outcome.of_severity(Severity.INFO), message=message)


@dataclass(frozen=True, slots=True)
class _Until(Mapping[str, Series]):
    """Derived metrics up to a step: each is cut when it is asked for."""

    whole: Mapping[str, Series]
    step: int

    def __getitem__(self, name: str) -> Series:
        return _cut(self.whole[name], self.step)

    def __iter__(self) -> Iterator[str]:
        return iter(self.whole)

    def __len__(self) -> int:
        return len(self.whole)


def _goes_on(run: Run) -> bool:
    """Whether the run is training and further steps are to come, as far as it is known."""
    last, total = run.last_step, run.status.total
    return run.status.state == "running" and not (total and last is not None and last >= total)


def _cut(series: Series, step: int) -> Series:
    length = int(np.searchsorted(series.steps, step, side="right"))
    return replace(
        series,
        steps=series.steps[:length],
        values=series.values[:length],
        times=series.times[: min(length, len(series.times))],
    )


def _samples_until(samples: Samples, step: int) -> Samples:
    return replace(
        samples,
        steps=tuple(at for at in samples.steps if at <= step),
        followed_steps=tuple(at for at in samples.followed_steps if at <= step),
    )
