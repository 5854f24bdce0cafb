"""Runs side by side, in words: what they share, what differs, and by how much."""

from collections.abc import Iterator, Mapping, Sequence

from diagnostics.comparison import LETTERS, Fate, SideBySide
from diagnostics.comparison.figures import Change, Reading
from diagnostics.comparison.prompts import MOST_STEPS, SharedPrompt
from diagnostics.comparison.settings import SettingsTable, SettingValue
from diagnostics.comparison.side_by_side import Relaunch
from diagnostics.comparison.tried_fixes import Result, TriedFix, tried_fixes
from diagnostics.language import N_, _, ngettext
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.messages import format_value, shortened
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.model.vocabulary import metric
from diagnostics.punctuation import clauses, labelled, listed, sentences
from diagnostics.wording.comparison import changed_settings, reward_sentence
from diagnostics.wording.messages import message_text
from diagnostics.wording.series import last_value, series_title
from diagnostics.wording.steps import progress, steps_of
from diagnostics.wording.values import counted, setting_text
from diagnostics.wording.verdicts import verdict_headline

NOTHING = "–"
_MANY_TIMES = 11  # the baseline: from there a factor says more than a percentage
_LONGEST_VALUE = 60  # characters of a setting
_RESULTS = {
    Result.WORKED: N_("worked, what {parent} had is gone"),
    Result.TRADED: N_("what {parent} had is gone, and something else is wrong"),
    Result.STILL: N_("did not work, what {parent} had is still so"),
    Result.TOO_EARLY: N_("too early to say"),
    Result.UNCHECKED: N_("could not be checked"),
}


def letters(places: Sequence[int]) -> str:
    """The letters of runs in a row: "A", "A and B", "A, B and C"."""
    *others, last = [LETTERS[place] for place in places]
    return _("{others} and {last}").format(others=listed(others), last=last) if others else last


def differences_line(table: SettingsTable) -> str:
    """How many settings differ, and in what else they might: "2 of 70 settings differ · 3 stand in some logs only"."""
    if not table.total:
        return _("No log holds settings.")
    differing, settings = len(table.differing), counted(table.total, "setting")
    template = ngettext("{count} of {settings} differs", "{count} of {settings} differ", differing)
    parts = [template.format(count=differing, settings=settings)]
    parts += [_("{count} in some of the logs only").format(count=len(table.partial))] if table.partial else []
    return " · ".join(parts)


def setting_value_text(item: SettingValue | None) -> str:
    """A setting's value as one types it; a dash where it is not known."""
    if item is None:
        return NOTHING
    return _("not set") if item.value is None else shortened(setting_text(item.value), _LONGEST_VALUE)


def origin_word(item: SettingValue | None) -> str:
    """ "default" for a value that is its producer's, else nothing."""
    return _("default") if item is not None and item.is_default else ""


def verdict_facts(diagnosis: Diagnosis) -> str:
    """Since when the worst finding is so and how many checks could not run; of a run without one, how far it got."""
    found = diagnosis.findings
    parts = [steps_of(found[0]) if found else progress(diagnosis.run)]
    parts += [counted(len(found) - 1, "more finding")] if len(found) > 1 else []
    parts += [_("{count} muted").format(count=len(diagnosis.muted))] if found and diagnosis.muted else []
    unchecked = len(diagnosis.blind_spots) if found else 0  # without a finding the verdict's sentence counts them
    parts += [_("{checks} could not run").format(checks=counted(unchecked, "check"))] if unchecked else []
    return " · ".join(filter(None, parts))


def verdict_in_a_sentence(diagnosis: Diagnosis) -> str:
    """What ended a run in which nothing was found, else its cause or worst finding, else how much was checked."""
    error = "" if diagnosis.fired else diagnosis.run.status.short_error
    return error or verdict_headline(diagnosis)


def figure_title(name: str, step: int) -> str:
    """A metric at a step with its unit: "KL to the reference at step 60, nats/token"."""
    entry = metric(name)
    title, unit = (entry.title, entry.unit) if entry else (name, "")
    words = _("{title} at step {step}").format(title=_(title), step=step)
    return listed((words, _(unit))) if unit and unit != title.lower() else words


def reading_text(reading: Reading | None, step: int) -> str:
    """A value, and its own step where that is another: "0.56", "0.56 (step 50)"; a dash where there is none."""
    if reading is None:
        return NOTHING
    value = format_value(reading.value)
    return value if reading.step == step else _("{value} (step {step})").format(value=value, step=reading.step)


def change_text(change: Change | None) -> str:
    """How far a value is from the baseline's: "+0.112, +20 %"; empty where that cannot be said."""
    if change is None:
        return ""
    if change.absolute == 0:
        return _("unchanged")
    parts = [_signed(change.absolute)]
    parts += [] if change.relative is None else [_share(change.relative)]
    return listed(parts)


def _score_notes(side: SideBySide) -> Iterator[str]:
    """Whose rewards mean something else than the baseline's, and why."""
    for settings in dict.fromkeys(side.score_changes.values()):
        places = [place for place, names in side.score_changes.items() if names == settings]
        of_all = ngettext(
            "Rewards are not compared: {settings} differs.",
            "Rewards are not compared: {settings} differ.",
            len(settings),
        )
        of_some = ngettext(
            "Rewards of {runs} are not compared with those of A: {settings} differs.",
            "Rewards of {runs} are not compared with those of A: {settings} differ.",
            len(settings),
        )
        template = of_all if len(places) == len(side.runs) - 1 else of_some
        yield template.format(runs=letters(places), settings=listed(settings))


def side_by_side_notes(side: SideBySide) -> Iterator[str]:
    """What to know before comparing: other algorithms, rewards of another meaning, logs without settings, no step."""
    if len(side.algorithms) > 1:
        yield _("The algorithms differ ({algorithms}): only metrics that two runs share are compared.").format(
            algorithms=listed(side.algorithms)
        )
    yield from _score_notes(side)
    if side.settings.silent and side.settings.total:
        silent = side.settings.silent
        template = ngettext("{runs} logs no settings.", "{runs} log no settings.", len(silent))
        yield template.format(runs=letters(silent))
    if side.step is None:
        yield _("No step was reached by all runs: one ended before another began.")
    yield from map(seed_sentence, side.seed_groups)
    yield from tried_sentences(side)


def seed_sentence(places: Sequence[int]) -> str:
    """ "A, B and C differ in the seed alone: their mean and range are one band, n = 3."."""
    return _("{runs} differ in the seed alone: their mean and range are one band, n = {count}.").format(
        runs=letters(places), count=len(places)
    )


def relaunch_sentence(item: Relaunch) -> str:
    """A child beside its parent: what was changed, what became of each finding, and of the reward."""
    comparison = item.comparison
    start = _("{child}, relaunched from {parent} with {changes}").format(
        child=LETTERS[item.child], parent=LETTERS[item.parent], changes=changed_settings(comparison)
    )
    parts = [
        _("“{finding}” {fate}").format(
            finding=message_text(found.finding.summary).rstrip(".。"),
            fate=_fate(found.fate, found.finding.first_step),
        )
        for found in comparison.inherited
    ]
    new = [message_text(finding.summary).rstrip(".。") for finding in comparison.new]
    parts += [_("new: “{finding}”").format(finding=finding) for finding in new]
    rest = clauses(parts or [_("neither has a finding above a note")])
    told = _("{start}: {clauses}.").format(start=start, clauses=rest)
    return sentences((told, reward_sentence(comparison)))


def tried_sentences(side: SideBySide) -> Iterator[str]:
    """Of two or more fixes tried on one run: which worked, first, and how much of the difference may be chance."""
    fixes = sorted(tried_fixes(side), key=lambda fix: -fix.worked / len(fix.places))
    yield from map(_tried_sentence, fixes)
    if fixes and all(len(fix.places) == 1 for fix in fixes):
        yield _("One seed each: a difference of their rewards may be chance. --try-each --seeds 1,2,3 tells more.")


def _tried_sentence(fix: TriedFix) -> str:
    changes = listed(
        f"{name} {setting_text(there)} → {setting_text(here)}" for name, (there, here) in fix.changes.items()
    )
    start = _("{changes} ({runs})").format(changes=changes or _("the same settings"), runs=letters(fix.places))
    count = len(fix.places)
    if count == 1:
        told = _(_RESULTS[fix.results[0]]).format(parent=LETTERS[fix.parent])
    else:
        words = _("worked with {worked} of {count} seeds")
        told = words.format(worked=fix.worked, count=count)
    return f"{labelled(start, clauses(filter(None, (told, _reward_range(fix)))))}."


def _reward_range(fix: TriedFix) -> str:
    """The mean and the range of the seeds' rewards: what differs by less may be chance."""
    if len(fix.rewards) < len(fix.places) or len(fix.places) == 1:
        return ""
    mean, low, high = sum(fix.rewards) / len(fix.rewards), min(fix.rewards), max(fix.rewards)
    words = _("reward {mean}, from {low} to {high} over the seeds")
    return words.format(mean=format_value(mean), low=format_value(low), high=format_value(high))


def shared_prompts_line(shared: Sequence[SharedPrompt], runs: Sequence[Run]) -> str:
    """How many prompts can be compared: "312 prompts in two runs or more, none in all, …"."""
    if not shared:
        return _("No prompt was logged by two of the runs among the newest {steps} steps with samples.").format(
            steps=MOST_STEPS
        )
    everywhere = sum(prompt.runs == len(runs) for prompt in shared)
    return _("{prompts} in two runs or more, {everywhere} in all, among the newest {steps} steps with samples").format(
        prompts=counted(len(shared), "prompt"), everywhere=everywhere or _("none"), steps=MOST_STEPS
    )


def overlay_description(
    found: Mapping[int, Series], bands: Sequence[Sequence[int]], reference: Series | None = None
) -> str:
    """An overlay as text: the last value of each run by its place, what is not finite, the bands, the reference."""
    parts = []
    for place, series in found.items():
        broken = int((~series.finite).sum())
        missing = _(", {count} of {total} points NaN or infinite").format(count=broken, total=len(series))
        words = _("{run} {value} at step {step}")
        told = words.format(run=LETTERS[place], value=last_value(series), step=series.steps[-1])
        parts.append(told + missing if broken else told)
    parts += [_("mean and range of {runs}").format(runs=letters(places)) for places in bands]
    if reference is not None:
        words = _("reference {value} at step {step}")
        parts.append(words.format(value=last_value(reference), step=reference.steps[-1]))
    return labelled(series_title(next(iter(found.values()))), clauses(parts))


def _fate(fate: Fate, since: int) -> str:
    words = {
        Fate.GONE: _("is gone (there since step {step})").format(step=since),
        Fate.STILL: _("is still so"),
        Fate.TOO_EARLY: _("cannot be judged yet"),
        Fate.UNCHECKED: _("could not be checked"),
    }
    return words[fate]


def _share(relative: float) -> str:
    """ "+20 %"; "76×" where the percentage would have four digits."""
    if relative >= _MANY_TIMES - 1:
        return f"{format_value(float(round(1 + relative)))}×"
    return f"{_signed(round(100 * relative, 1))} %"


def _signed(number: float) -> str:
    return ("+" if number > 0 else "") + format_value(number)
