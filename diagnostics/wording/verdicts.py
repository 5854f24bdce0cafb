"""The verdict on a run in words, and how many of its checks found something."""

from collections.abc import Sequence

from diagnostics.language import _
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.supervised import supervised_tags
from diagnostics.model.vital import VitalGap
from diagnostics.punctuation import labelled, listed
from diagnostics.wording.messages import message_text
from diagnostics.wording.values import counted

_MOST_TAGS = 3  # named as a sign of supervised training


def verdict_sentence(diagnosis: Diagnosis) -> str:
    """The verdict on a run in which nothing fired: how many checks ran, and how many could not."""
    unchecked = len(diagnosis.blind_spots)
    applying = len(diagnosis.outcomes) - len(diagnosis.not_applicable)
    checked = applying - unchecked
    if not diagnosis.run.series:
        if diagnosis.run.status.has_ended:
            return _("Nothing to judge: no metric was logged.")
        return _("Nothing to judge yet: waiting for the first logged step.")
    if tags := supervised_tags(diagnosis.run):
        named = listed([*tags[:_MOST_TAGS], *(["…"] if len(tags) > _MOST_TAGS else [])])
        return _("This log holds no RL: no reward, score, advantage, KL, value or policy metric, but {tags}.").format(
            tags=named
        )
    if diagnosis.verdict == "no-problem-found":
        return _no_problem(checked, counted(applying, "check"), len(diagnosis.muted))
    checks = counted(checked, "check")
    if unchecked:
        return _("No sign of trouble in {checks}; {unchecked} could not run.").format(
            checks=checks, unchecked=unchecked
        )
    return _("No sign of trouble in {checks}.").format(checks=checks)


def _no_problem(checked: int, checks: str, muted: int) -> str:
    if not muted:
        return _("No problem found by {checked} of {checks}.").format(checked=checked, checks=checks)
    findings = counted(muted, "finding")
    return _("No problem found by {checked} of {checks}; {findings} muted.").format(
        checked=checked, checks=checks, findings=findings
    )


def vital_lines(diagnosis: Diagnosis) -> tuple[str, ...]:
    """The vital checks that kept a run from being called healthy, each with what would let it run."""
    return tuple(labelled(message_text(gap.name), message_text(gap.enable)) for gap in _vital_gaps(diagnosis))


def vital_sentence(diagnosis: Diagnosis) -> str:
    """The same checks in one sentence, by name; empty where there is none."""
    names = listed(message_text(gap.name) for gap in _vital_gaps(diagnosis))
    return _("Important but not checked: {checks}.").format(checks=names) if names else ""


def vital_title() -> str:
    """What stands above the lines."""
    return _("Important but not checked:")


def _vital_gaps(diagnosis: Diagnosis) -> Sequence[VitalGap]:
    is_asked = diagnosis.verdict == "no-problem-found" and bool(diagnosis.run.series)
    return diagnosis.vital_missing if is_asked else ()


def verdict_headline(diagnosis: Diagnosis) -> str:
    """The verdict as one sentence: the worst finding's, else how much was checked."""
    found = diagnosis.findings
    return message_text(found[0].summary) if found else verdict_sentence(diagnosis)
