"""The verdict on a run in words, and how many of its checks found something."""

from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.supervised import supervised_tags
from diagnostics.wording.messages import message_text
from diagnostics.wording.values import counted

_MOST_TAGS = 3  # named as a sign of supervised training


def verdict_sentence(diagnosis: Diagnosis) -> str:
    """The verdict on a run in which nothing fired: how many checks ran, and how many could not."""
    unchecked = len(diagnosis.blind_spots)
    applying = len(diagnosis.outcomes) - len(diagnosis.not_applicable)
    checked = applying - unchecked
    if not diagnosis.run.series:
        logged = "was logged" if diagnosis.run.status.has_ended else "is logged yet"
        return f"Nothing to judge: no metric {logged}."
    if tags := supervised_tags(diagnosis.run):
        named = ", ".join(tags[:_MOST_TAGS]) + (", …" if len(tags) > _MOST_TAGS else "")
        return f"This log holds no RL: no reward, score, advantage, KL, value or policy metric, but {named}."
    if diagnosis.verdict == "no-problem-found":
        muted = f"; {counted(len(diagnosis.muted), 'finding')} muted" if diagnosis.muted else ""
        return f"No problem found by {checked} of {counted(applying, 'check')}{muted}."
    skipped = f"; {unchecked} could not run." if unchecked else "."
    return f"No sign of trouble in {counted(checked, 'check')}{skipped}"


def vital_lines(diagnosis: Diagnosis) -> tuple[str, ...]:
    """The vital checks that kept a run from being called healthy, each with what would let it run."""
    if diagnosis.verdict != "no-problem-found" or not diagnosis.run.series:
        return ()
    return tuple(f"{message_text(gap.name)}: {message_text(gap.enable)}" for gap in diagnosis.vital_missing)


def vital_sentences(diagnosis: Diagnosis) -> tuple[str, ...]:
    """The same as sentences: "Not checked, though vital: the spread of the rewards: Log reward_std."."""
    return tuple(f"Not checked, though vital: {line}" for line in vital_lines(diagnosis))


def verdict_headline(diagnosis: Diagnosis) -> str:
    """The verdict as one sentence: the worst finding's, else how much was checked."""
    found = diagnosis.findings
    return message_text(found[0].summary) if found else verdict_sentence(diagnosis)
