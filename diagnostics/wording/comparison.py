"""The comparison of a relaunched run with its parent, in words."""

from collections.abc import Iterator

from diagnostics.comparison import AVERAGED_STEPS, Comparison, Fate, ParentFinding
from diagnostics.language import N_, _
from diagnostics.model.finding import Finding
from diagnostics.model.messages import format_setting, format_value
from diagnostics.model.outcome import Outcome
from diagnostics.model.run import Run
from diagnostics.punctuation import listed, sentences
from diagnostics.wording.messages import message_text
from diagnostics.wording.steps import steps_of

_LABELS = {
    Fate.GONE: N_("gone"),
    Fate.STILL: N_("still"),
    Fate.TOO_EARLY: N_("open"),
    Fate.UNCHECKED: N_("unchecked"),
}


def comparison_heading(comparison: Comparison) -> str:
    """The parent and what was changed: "Since remarks-1, with kl_coef 0 → 0.05, seed 42 → 43"."""
    return _("Since {parent}, with {changes}").format(
        parent=comparison.parent.run.name, changes=changed_settings(comparison)
    )


def changed_settings(comparison: Comparison) -> str:
    """What was changed in the relaunch: "kl_coef 0 → 0.05, seed 42 → 43", or "the same settings"."""
    changes = listed(
        f"{name} {format_setting(there)} → {format_setting(here)}" for name, (there, here) in comparison.changes.items()
    )
    return changes or _("the same settings")


def comparison_lines(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """Each line of the comparison with its label: "gone", "still", "open", "unchecked", "new" or "reward"."""
    for item in comparison.inherited:
        yield _(_LABELS[item.fate]), sentences((message_text(item.finding.summary), fate_sentence(item)))
    for finding in comparison.new:
        here = _("It is {severity} here: {steps}.").format(severity=severity_word(finding), steps=steps_of(finding))
        yield _("new"), sentences((message_text(finding.summary), here))
    if sentence := reward_sentence(comparison):
        yield _("reward"), sentence


def fate_sentence(item: ParentFinding) -> str:
    """What became of a parent's finding: "There it is critical from step 1 on; here it is not found up to step 30."."""
    return _("There it is {severity} from step {step} on; {here}").format(
        severity=severity_word(item.finding), step=item.finding.first_step, here=_step_here(item)
    )


def severity_word(subject: Finding | Outcome) -> str:
    """How bad it is, in the field's words: "info" is not called a note here."""
    return _(str(subject.severity))


def _step_here(item: ParentFinding) -> str:
    if item.fate is Fate.TOO_EARLY:
        return _("this run is at step {step}.").format(step=item.last_step)
    if item.fate is Fate.UNCHECKED:
        reason = message_text(item.here.message) if item.here else _("No check of it applies here.")
        return _("here it could not be checked. {reason}").format(reason=reason)
    if item.here is None:
        return _("here it is not found up to step {step}.").format(step=item.last_step)
    if item.fate is Fate.STILL:
        return _("here it is {severity} from step {step} on.").format(
            severity=severity_word(item.here), step=item.here.first_step
        )
    return _("here a note is left of it, from step {step} on.").format(step=item.here.first_step)


def reward_sentence(comparison: Comparison) -> str:
    """How the scores of both runs compare, or which settings forbid it; empty where one of them logs none."""
    if comparison.score_changes:
        return _("The scores are not compared: {settings} differ.").format(settings=listed(comparison.score_changes))
    reward = comparison.reward
    if reward is None:
        return ""
    means = f"{format_value(reward.parent)} → {format_value(reward.child)}"
    return _("{metric} up to step {step}, mean of {count} logged steps: {means}.").format(
        metric=reward.metric, step=reward.step, count=AVERAGED_STEPS, means=means
    )


def missing_parent_sentence(run: Run) -> str:
    """What to say of a relaunched run whose parent was not found."""
    return _(
        "Relaunched from run {parent}, which was not found beside it: nothing is said of what that one had."
    ).format(parent=run.parent)
