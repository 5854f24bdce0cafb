"""A relaunched run compared with its parent: which findings are gone, which persist, which are new."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from diagnostics.comparison.setting_groups import OF_PLACES, group_of
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.finding import Finding
from diagnostics.model.outcome import Outcome, Severity, Verdict
from diagnostics.model.run import Run
from diagnostics.model.series import Series

ENOUGH_STEPS = 10  # logged since the parent's finding began, before it counts as gone from a run that still trains
AVERAGED_STEPS = 10  # logged, whose mean reward is compared
_NOT_SETTINGS = frozenset({"fault", "fault_step"})  # the settings that a fault changed are listed, the fault is not
SCORE_SETTINGS = frozenset(
    {"reward_funcs", "reward_weights", "reward_baseline", "missing_eos_penalty", "non_eos_penalty"}
    | {"penalty_reward_value", "stop_token", "stop_token_id", "task", "dataset"}
)
"""The settings that define what a score means."""


class Fate(StrEnum):
    """What became of a parent's finding in the child."""

    GONE = "gone"
    STILL = "still"
    TOO_EARLY = "too-early"
    UNCHECKED = "unchecked"


@dataclass(frozen=True, slots=True)
class ParentFinding:
    """A finding of the parent, at warning or above, and its fate in the child, which is at `last_step`.

    `here` is the child's outcome behind that fate: the worst that still fires, the note that is left of it, or the
    check that could not run; None where there is no such outcome.
    """

    finding: Finding
    fate: Fate
    last_step: int
    here: Outcome | None = None


@dataclass(frozen=True, slots=True)
class RewardComparison:
    """The mean of a reward metric in both runs, over the last logged steps up to `step`."""

    metric: str
    step: int
    parent: float
    child: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """A run beside the one that it was relaunched from.

    `changes` are settings with their values there and here, `new` the child's own findings at warning or above.
    `reward` is None where the two cannot be compared; `score_changes` are the changed settings that forbid it.
    """

    parent: Diagnosis
    changes: Mapping[str, tuple[Any, Any]]
    inherited: tuple[ParentFinding, ...]
    new: tuple[Finding, ...]
    score_changes: tuple[str, ...]
    reward: RewardComparison | None


def compare(child: Diagnosis, parent: Diagnosis) -> Comparison:
    """What became of the parent's findings in the child of a relaunch."""
    known = [finding for finding in parent.findings if finding.severity is not Severity.INFO]
    changes = _changes(parent.run, child.run)
    rewards = _rewards(parent.run, child.run)
    score_changes = tuple(sorted(SCORE_SETTINGS & set(changes))) if len(rewards) == 2 else ()
    return Comparison(
        parent,
        changes,
        inherited=tuple(_parent_finding(finding, child) for finding in known),
        new=tuple(finding for finding in child.findings if _is_new(finding, known)),
        score_changes=score_changes,
        reward=_compared(*rewards) if len(rewards) == 2 and not score_changes else None,
    )


def _is_new(finding: Finding, known: Sequence[Finding]) -> bool:
    """Whether the child shows something at warning or above whose worst outcomes the parent did not all show."""
    if finding.severity is Severity.INFO or finding.summary.template in {each.summary.template for each in known}:
        return False
    worst = {outcome.rule for outcome in finding.outcomes if outcome.severity is finding.severity}
    return not worst <= {rule for each in known for rule in _rules(each)}


def _parent_finding(finding: Finding, child: Diagnosis) -> ParentFinding:
    outcomes = [outcome for outcome in child.outcomes if outcome.rule in _rules(finding)]
    fired = [outcome for outcome in outcomes if outcome.verdict is Verdict.FIRED]
    notes = [outcome for outcome in fired if outcome.severity is Severity.INFO]
    steps = child.run.steps
    last, since = int(steps[-1]) if len(steps) else 0, int(np.count_nonzero(steps >= finding.first_step))
    if len(notes) < len(fired):
        return ParentFinding(finding, Fate.STILL, last, max(fired, key=_rank))
    if since < (1 if child.run.status.has_ended else ENOUGH_STEPS):
        return ParentFinding(finding, Fate.TOO_EARLY, last)
    leading = next((outcome for outcome in outcomes if outcome.rule == finding.leading.rule), None)
    if leading is None or leading.verdict not in (Verdict.QUIET, Verdict.FIRED):  # its consequences prove nothing
        return ParentFinding(finding, Fate.UNCHECKED, last, leading)
    return ParentFinding(finding, Fate.GONE, last, notes[0] if notes else None)


def _rules(finding: Finding) -> frozenset[str]:
    return frozenset(outcome.rule for outcome in finding.outcomes if outcome.severity is not Severity.INFO)


def _rank(outcome: Outcome) -> int:
    return (outcome.severity or Severity.INFO).rank


def _changes(parent: Run, child: Run) -> dict[str, tuple[Any, Any]]:
    known = {**parent.config, **child.config}
    names = [name for name in known if name not in _NOT_SETTINGS and group_of(name, None) != OF_PLACES]
    pairs = {name: (parent.config.get(name), child.config.get(name)) for name in names}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def _rewards(*runs: Run) -> tuple[Series, ...]:
    """The scores of those runs that log any, without the KL penalty, whose weight a fix may change."""
    found = (run.get("score", "reward") for run in runs)
    return tuple(series for series in found if series is not None)


def _compared(there: Series, here: Series) -> RewardComparison | None:
    """None where one run had not begun when the other ended."""
    last = int(min(there.steps[-1], here.steps[-1]))
    values = [series.values[series.steps <= last][-AVERAGED_STEPS:] for series in (there, here)]
    if not all(map(len, values)):
        return None
    return RewardComparison(here.name, last, float(np.mean(values[0])), float(np.mean(values[1])))
