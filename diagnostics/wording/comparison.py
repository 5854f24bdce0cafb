"""The comparison of a relaunched run with its parent, in words."""

from collections.abc import Iterator

from diagnostics.comparison import AVERAGED_STEPS, Comparison, Fate, ParentFinding
from diagnostics.model.messages import format_setting, format_value
from diagnostics.model.run import Run
from diagnostics.wording.messages import message_text
from diagnostics.wording.steps import steps_of

_LABELS = {Fate.GONE: "gone", Fate.STILL: "still", Fate.TOO_EARLY: "open", Fate.UNCHECKED: "unchecked"}


def comparison_heading(comparison: Comparison) -> str:
    """The parent and what was changed: "Since remarks-1, with kl_coef 0 → 0.05, seed 42 → 43"."""
    return f"Since {comparison.parent.run.name}, with {changed_settings(comparison)}"


def changed_settings(comparison: Comparison) -> str:
    """What was changed in the relaunch: "kl_coef 0 → 0.05, seed 42 → 43", or "the same settings"."""
    changes = ", ".join(
        f"{name} {format_setting(there)} → {format_setting(here)}" for name, (there, here) in comparison.changes.items()
    )
    return changes or "the same settings"


def comparison_lines(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """Each line of the comparison with its label: "gone", "still", "open", "unchecked", "new" or "reward"."""
    for item in comparison.inherited:
        yield _LABELS[item.fate], f"{message_text(item.finding.summary)} {fate_sentence(item)}"
    for finding in comparison.new:
        yield "new", f"{message_text(finding.summary)} It is {finding.severity} here: {steps_of(finding)}."
    if sentence := reward_sentence(comparison):
        yield "reward", sentence


def fate_sentence(item: ParentFinding) -> str:
    """What became of a parent's finding: "There it is critical from step 1 on; here it is not found up to step 30."."""
    return f"There it is {item.finding.severity} from step {item.finding.first_step} on; {_step_here(item)}"


def _step_here(item: ParentFinding) -> str:
    if item.fate is Fate.TOO_EARLY:
        return f"this run is at step {item.last_step}."
    if item.fate is Fate.UNCHECKED:
        reason = message_text(item.here.message) if item.here else "No check of it applies here."
        return f"here it could not be checked. {reason}"
    if item.here is None:
        return f"here it is not found up to step {item.last_step}."
    if item.fate is Fate.STILL:
        return f"here it is {item.here.severity} from step {item.here.first_step} on."
    return f"here a note is left of it, from step {item.here.first_step} on."


def reward_sentence(comparison: Comparison) -> str:
    """How the scores of both runs compare, or which settings forbid it; empty where one of them logs none."""
    if comparison.score_changes:
        return f"The scores are not compared: {', '.join(comparison.score_changes)} differ."
    reward = comparison.reward
    if reward is None:
        return ""
    means = f"{format_value(reward.parent)} → {format_value(reward.child)}"
    return f"{reward.metric} up to step {reward.step}, mean of {AVERAGED_STEPS} logged steps: {means}."


def missing_parent_sentence(run: Run) -> str:
    """What to say of a relaunched run whose parent was not found."""
    return f"Relaunched from run {run.parent}, which was not found beside it: nothing is said of what that one had."
