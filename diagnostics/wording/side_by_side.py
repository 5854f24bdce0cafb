"""Runs side by side, in words: what they share, what differs, and by how much."""

from collections.abc import Iterator, Mapping, Sequence

from diagnostics.comparison import LETTERS, Fate, SideBySide
from diagnostics.comparison.figures import Change, Reading
from diagnostics.comparison.prompts import MOST_STEPS, SharedPrompt
from diagnostics.comparison.settings import SettingsTable, SettingValue
from diagnostics.comparison.side_by_side import Relaunch
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.messages import format_value, shortened
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.model.vocabulary import metric
from diagnostics.wording.comparison import changed_settings, reward_sentence
from diagnostics.wording.messages import message_text
from diagnostics.wording.series import last_value, series_title
from diagnostics.wording.steps import progress, steps_of
from diagnostics.wording.values import counted, setting_text
from diagnostics.wording.verdicts import verdict_headline

NOTHING = "–"
_MANY_TIMES = 11  # the baseline: from there a factor says more than a percentage
_LONGEST_VALUE = 60  # characters of a setting


def letters(places: Sequence[int]) -> str:
    """The letters of runs in a row: "A", "A and B", "A, B and C"."""
    found = [LETTERS[place] for place in places]
    return " and ".join(filter(None, (", ".join(found[:-1]), found[-1])))


def differences_line(table: SettingsTable) -> str:
    """How many settings differ, and in what else they might: "2 of 70 settings differ · 3 stand in some logs only"."""
    if not table.total:
        return "No log holds settings."
    verb = "differs" if len(table.differing) == 1 else "differ"
    parts = [f"{len(table.differing)} of {counted(table.total, 'setting')} {verb}"]
    parts += [f"{len(table.partial)} in some of the logs only"] if table.partial else []
    return " · ".join(parts)


def setting_value_text(item: SettingValue | None) -> str:
    """A setting's value as one types it; a dash where it is not known."""
    if item is None:
        return NOTHING
    return "not set" if item.value is None else shortened(setting_text(item.value), _LONGEST_VALUE)


def origin_word(item: SettingValue | None) -> str:
    """ "default" for a value that is its producer's, else nothing."""
    return "default" if item is not None and item.is_default else ""


def verdict_facts(diagnosis: Diagnosis) -> str:
    """Since when the worst finding is so and how many checks could not run; of a run without one, how far it got."""
    found = diagnosis.findings
    parts = [steps_of(found[0]) if found else progress(diagnosis.run)]
    parts += [f"{counted(len(found) - 1, 'more finding')}"] if len(found) > 1 else []
    parts += [f"{len(diagnosis.muted)} muted"] if found and diagnosis.muted else []
    unchecked = len(diagnosis.blind_spots) if found else 0  # without a finding the verdict's sentence counts them
    parts += [f"{counted(unchecked, 'check')} could not run"] if unchecked else []
    return " · ".join(filter(None, parts))


def verdict_in_a_sentence(diagnosis: Diagnosis) -> str:
    """What ended a run in which nothing was found, else its cause or worst finding, else how much was checked."""
    error = "" if diagnosis.fired else diagnosis.run.status.short_error
    return error or verdict_headline(diagnosis)


def figure_title(name: str, step: int) -> str:
    """A metric at a step with its unit: "KL to the reference at step 60, nats/token"."""
    entry = metric(name)
    title, unit = (entry.title, entry.unit) if entry else (name, "")
    return f"{title} at step {step}" + (f", {unit}" if unit and unit != title.lower() else "")


def reading_text(reading: Reading | None, step: int) -> str:
    """A value, and its own step where that is another: "0.56", "0.56 (step 50)"; a dash where there is none."""
    if reading is None:
        return NOTHING
    value = format_value(reading.value)
    return value if reading.step == step else f"{value} (step {reading.step})"


def change_text(change: Change | None) -> str:
    """How far a value is from the baseline's: "+0.112, +20 %"; empty where that cannot be said."""
    if change is None:
        return ""
    if change.absolute == 0:
        return "unchanged"
    parts = [_signed(change.absolute)]
    parts += [] if change.relative is None else [_share(change.relative)]
    return ", ".join(parts)


def side_by_side_notes(side: SideBySide) -> Iterator[str]:
    """What to know before comparing: other algorithms, rewards of another meaning, logs without settings, no step."""
    if len(side.algorithms) > 1:
        yield f"The algorithms differ ({', '.join(side.algorithms)}): only metrics that two runs share are compared."
    if side.score_changes:
        verb = "differs" if len(side.score_changes) == 1 else "differ"
        yield f"Rewards are not compared: {', '.join(side.score_changes)} {verb}."
    if side.settings.silent and side.settings.total:
        verb = "logs" if len(side.settings.silent) == 1 else "log"
        yield f"{letters(side.settings.silent)} {verb} no settings."
    if side.step is None:
        yield "No step was reached by all runs: one ended before another began."
    yield from map(seed_sentence, side.seed_groups)


def seed_sentence(places: Sequence[int]) -> str:
    """ "A, B and C differ in the seed alone: their mean and range are one band, n = 3."."""
    return f"{letters(places)} differ in the seed alone: their mean and range are one band, n = {len(places)}."


def relaunch_sentence(item: Relaunch) -> str:
    """A child beside its parent: what was changed, what became of each finding, and of the reward."""
    comparison = item.comparison
    start = f"{LETTERS[item.child]}, relaunched from {LETTERS[item.parent]} with {changed_settings(comparison)}"
    parts = [
        f"“{message_text(found.finding.summary).rstrip('.')}” {_fate(found.fate, found.finding.first_step)}"
        for found in comparison.inherited
    ]
    parts += [f"new: “{message_text(finding.summary).rstrip('.')}”" for finding in comparison.new]
    rest = "; ".join(parts or ["neither has a finding above a note"])
    return " ".join(filter(None, (f"{start}: {rest}.", reward_sentence(comparison))))


def shared_prompts_line(shared: Sequence[SharedPrompt], runs: Sequence[Run]) -> str:
    """How many prompts can be compared: "312 prompts in two runs or more, none in all, …"."""
    where = f"the newest {MOST_STEPS} steps with samples"
    if not shared:
        return f"No prompt was logged by two of the runs among {where}."
    everywhere = sum(prompt.runs == len(runs) for prompt in shared)
    return f"{counted(len(shared), 'prompt')} in two runs or more, {everywhere or 'none'} in all, among {where}"


def overlay_description(
    found: Mapping[int, Series], bands: Sequence[Sequence[int]], reference: Series | None = None
) -> str:
    """An overlay as text: the last value of each run by its place, what is not finite, the bands, the reference."""
    parts = []
    for place, series in found.items():
        broken = int((~series.finite).sum())
        missing = f", {broken} of {len(series)} points NaN or infinite" if broken else ""
        parts.append(f"{LETTERS[place]} {last_value(series)} at step {series.steps[-1]}{missing}")
    parts += [f"mean and range of {letters(places)}" for places in bands]
    parts += [] if reference is None else [f"reference {last_value(reference)} at step {reference.steps[-1]}"]
    return f"{series_title(next(iter(found.values())))}: {'; '.join(parts)}"


def _fate(fate: Fate, since: int) -> str:
    words = {
        Fate.GONE: f"is gone (there since step {since})",
        Fate.STILL: "is still so",
        Fate.TOO_EARLY: "cannot be judged yet",
        Fate.UNCHECKED: "could not be checked",
    }
    return words[fate]


def _share(relative: float) -> str:
    """ "+20 %"; "76×" where the percentage would have four digits."""
    if relative >= _MANY_TIMES - 1:
        return f"{format_value(float(round(1 + relative)))}×"
    return f"{_signed(round(100 * relative, 1))} %"


def _signed(number: float) -> str:
    return ("+" if number > 0 else "") + format_value(number)
