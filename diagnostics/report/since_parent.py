"""What became of a run's findings in the run that was trained again from it: gone, still so, or too early to say."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.messages import setting, shown
from diagnostics.model.outcome import Outcome, Severity, Verdict
from diagnostics.model.run import Run
from diagnostics.report.contents import Finding, findings, said

ENOUGH = 10  # logged steps from the one on at which a finding began, before a run that goes on is said not to have it
AVERAGED = 10  # logged steps, whose mean reward stands for where a run is
_NO_SETTINGS = frozenset({"fault", "fault_step"})  # what a fault sets is kept, the fault itself is not
_OF_SCORES = frozenset(
    {"reward_funcs", "reward_weights", "reward_baseline", "missing_eos_penalty", "non_eos_penalty"}
    | {"penalty_reward_value", "stop_token", "stop_token_id", "task", "dataset"}
)


class Fate(StrEnum):
    """What became of a finding."""

    GONE = "gone"
    STILL = "still"
    TOO_EARLY = "too-early"
    UNCHECKED = "unchecked"


@dataclass(frozen=True, slots=True)
class Followed:
    """A finding of the parent, at warning or above, and what the child has to say of it."""

    finding: Finding
    fate: Fate
    sentence: str


@dataclass(frozen=True, slots=True)
class SinceParent:
    """A run beside the one that it was relaunched from.

    `changes` are settings with their values there and here, `new` what only the child shows at warning or above;
    `reward` compares the scores of both at the last step that both have logged, or says why it does not.
    """

    parent: Diagnosis
    changes: Mapping[str, tuple[Any, Any]]
    followed: tuple[Followed, ...]
    new: tuple[Finding, ...]
    reward: str


def since_parent(child: Diagnosis, parent: Diagnosis) -> SinceParent:
    """What the child of a relaunch says of its parent's findings."""
    bad = [finding for finding in findings(parent) if finding.severity is not Severity.INFO]
    changes = _changes(parent.run, child.run)
    return SinceParent(
        parent,
        changes,
        followed=tuple(_followed(finding, child) for finding in bad),
        new=tuple(finding for finding in findings(child) if _is_new(finding, bad)),
        reward=_reward(parent.run, child.run, changes),
    )


def heading(since: SinceParent) -> str:
    """Which run it was, and what was changed: "Since remarks-1, with kl_coef 0 → 0.05, seed 42 → 43"."""
    changes = ", ".join(f"{name} {setting(there)} → {setting(here)}" for name, (there, here) in since.changes.items())
    return f"Since {since.parent.run.name}, with {changes or 'the same settings'}"


def _is_new(finding: Finding, known: Sequence[Finding]) -> bool:
    """Whether something at warning or above that is as grave as all of this finding was not found before."""
    if finding.severity is Severity.INFO or finding.sentence in {each.sentence for each in known}:
        return False
    gravest = {outcome.rule for outcome in finding.outcomes if outcome.severity is finding.severity}
    return not gravest <= {rule for each in known for rule in _rules(each)}


def _followed(finding: Finding, child: Diagnosis) -> Followed:
    outcomes = [outcome for outcome in child.outcomes if outcome.rule in _rules(finding)]
    fired = [o for o in outcomes if o.verdict is Verdict.FIRED and o.severity is not Severity.INFO]
    steps = child.run.steps
    last, seen = int(steps[-1]) if len(steps) else 0, int(np.count_nonzero(steps >= finding.first_step))
    there = f"There it is {finding.severity} from step {finding.first_step} on"
    if fired:
        worst = max(fired, key=_rank)
        return Followed(finding, Fate.STILL, f"{there}; here it is {worst.severity} from step {worst.first_step} on.")
    if seen < (1 if child.run.status.has_ended else ENOUGH):
        return Followed(finding, Fate.TOO_EARLY, f"{there}; this run is at step {last}.")
    leading = next((outcome for outcome in outcomes if outcome.rule == finding.leading.rule), None)
    if leading is None or leading.verdict not in (Verdict.QUIET, Verdict.FIRED):  # its consequences prove nothing
        reason = said(leading.message) if leading else "No check of it applies here."
        return Followed(finding, Fate.UNCHECKED, f"{there}; here it could not be checked. {reason}")
    if notes := [outcome for outcome in outcomes if outcome.verdict is Verdict.FIRED]:
        return Followed(finding, Fate.GONE, f"{there}; here a note is left of it, from step {notes[0].first_step} on.")
    return Followed(finding, Fate.GONE, f"{there}; here it is not found up to step {last}.")


def _rules(finding: Finding) -> frozenset[str]:
    return frozenset(outcome.rule for outcome in finding.outcomes if outcome.severity is not Severity.INFO)


def _rank(outcome: Outcome) -> int:
    return (outcome.severity or Severity.INFO).rank


def _changes(parent: Run, child: Run) -> dict[str, tuple[Any, Any]]:
    names = [name for name in {**parent.config, **child.config} if name not in _NO_SETTINGS]
    pairs = {name: (parent.config.get(name), child.config.get(name)) for name in names}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def _reward(parent: Run, child: Run, changes: Mapping[str, tuple[Any, Any]]) -> str:
    """The scores without any KL penalty: its weight is what a fix changes."""
    there, here = (run.get("score", "reward") for run in (parent, child))
    if there is None or here is None or not len(there) or not len(here):
        return ""
    if differ := sorted(_OF_SCORES & set(changes)):
        return f"The scores are not compared: {', '.join(differ)} differ."
    last = int(min(there.steps[-1], here.steps[-1]))
    means = [_mean(values) for series in (there, here) if (values := series.values[series.steps <= last]).size]
    if len(means) < 2:
        return ""
    return f"{here.name} up to step {last}, mean of {AVERAGED} logged steps: {means[0]} → {means[1]}."


def _mean(values: Any) -> str:
    return shown(float(np.mean(values[-AVERAGED:])))


def not_found(run: Run) -> str:
    """What to say of a child whose parent is not at hand."""
    return f"Relaunched from run {run.parent}, which was not found beside it: nothing is said of what that one had."


def told(since: SinceParent) -> Iterator[tuple[str, str]]:
    """Each thing to say with its label, for forms of text."""
    labels = {Fate.GONE: "gone", Fate.STILL: "still", Fate.TOO_EARLY: "open", Fate.UNCHECKED: "unchecked"}
    for followed in since.followed:
        yield labels[followed.fate], f"{followed.finding.sentence} {followed.sentence}"
    for finding in since.new:
        yield "new", f"{finding.sentence} It is {finding.severity} here: {finding.steps}."
    if since.reward:
        yield "reward", since.reward
