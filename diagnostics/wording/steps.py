"""Step numbers in words: when something was so, and how far a run is."""

from diagnostics.language import _, ngettext
from diagnostics.model.finding import Finding
from diagnostics.model.outcome import Outcome, Stretch
from diagnostics.model.run import Run
from diagnostics.punctuation import clauses, listed, with_remark
from diagnostics.wording.severities import verdict_word
from diagnostics.wording.values import value_with_unit

_MOST_EPISODES = 2  # told beside the leading one


def step_range(first: int, last: int, *, still: bool) -> str:
    """When something was so: "step 7", "steps 12 to 61" or "since step 12, still so"."""
    if still:
        return _("since step {first}, still so").format(first=first)
    if first == last:
        return _("step {step}").format(step=first)
    return _("steps {first} to {last}").format(first=first, last=last)


def steps_of(subject: Finding | Outcome) -> str:
    """When a finding or a fired outcome was so; empty for an outcome without steps."""
    first, last = subject.first_step, subject.last_step
    return "" if first is None or last is None else step_range(first, last, still=subject.still)


def further_episodes(outcome: Outcome) -> str:
    """When else a finding was so, the gravest first: "Also steps 1 to 41 (up to 98 %)."; empty for never."""
    further = outcome.further_episodes
    if not further:
        return ""
    told, more = [_episode(episode, outcome) for episode in further[:_MOST_EPISODES]], len(further) - _MOST_EPISODES
    rest = [] if more <= 0 else [ngettext("and once more", "and {count} more times", more).format(count=more)]
    return _("Also {episodes}.").format(episodes=listed([*told, *rest]))


def _episode(episode: Stretch, outcome: Outcome) -> str:
    """ "steps 1 to 41 (up to 98 %)"; with its severity where that is not the finding's: "step 7 (up to 12 %; note)"."""
    facts = []
    if episode.peak is not None:
        is_low = outcome.limit is not None and outcome.measured is not None and outcome.measured < outcome.limit
        peak = value_with_unit(episode.peak, outcome.unit)
        facts.append((_("down to {peak}") if is_low else _("up to {peak}")).format(peak=peak))
    if episode.severity is not outcome.severity:
        facts.append(verdict_word(episode.severity))
    when = step_range(episode.first_step, episode.last_step, still=episode.still)
    return with_remark(when, clauses(facts))


def progress(run: Run, *, short: bool = False) -> str:
    """How far a run is: "step 143 of 200" ("step 143/200" if `short`), "step 143" where no total is known.

    Before the first step: "no step logged", or nothing if `short`.
    """
    step = run.last_step
    if step is None:
        return "" if short else _("no step logged")
    if not run.status.total:
        return _("step {step}").format(step=step)
    of_total = _("step {step}/{total}") if short else _("step {step} of {total}")
    return of_total.format(step=step, total=run.status.total)
