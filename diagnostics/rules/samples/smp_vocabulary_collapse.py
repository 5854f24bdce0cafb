"""The answers use only a fraction of the words they used at the start.

What it checks
    The distinct words among the newest logged answers, counted in as many words as the first tables hold (without
    numbers): half of the number at the start, or fewer, is a warning. Where the answers at the start that scored as
    well hold some 30 words, it must be half of theirs as well: an answer may have but one right form, which more
    answers have now. Where answers are single words, as many different ones as there are prompts are enough. Nor
    have answers collapsed that depend on their prompts, so that those to the same one share twice as many words as
    those to different ones: the task has few words then, and what was lost are wrong ones.

Why it matters
    A policy that has found a few rewarded words says them in any order. Each answer may look varied; all of them
    together do not.

When it is wrong
    A task whose answers converge to one form uses fewer words too, and the log may hold too few right answers of the
    start to tell. Healthy runs of the remarks demo kept three quarters of theirs.

What to try
    Read the top-scored rows to see which words are rewarded. Correct the reward, raise the KL coefficient, go back to a
    checkpoint.

References
    Engineering default · RAGEN (arXiv 2504.20073).
"""

from collections.abc import Sequence
from itertools import combinations
from statistics import fmean

import numpy as np

from diagnostics.detectors.averages import finite_median
from diagnostics.model.outcome import Severity
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Skipped, english
from diagnostics.rules.samples.row_measures import scores_of, with_scores
from diagnostics.rules.samples.sample_rule import Judgement, SampleRule, nothing_to_compare, too_few_samples
from diagnostics.rules.samples.tables import Rows, View
from diagnostics.rules.samples.text_measures import words

LEAST = 0.1  # of the words of two answers to the same prompt, which they share where anything depends on it
PAIRS = 16  # of answers to the same prompt: fewer say little of what these share


class Limits(RuleLimits):
    """Which vocabulary is too small."""

    warning: float = limit(
        0.5, "of the distinct words at the start", "engineering default; healthy runs of a demo kept 0.75 and more"
    )
    words: int = limit(100, "words", "of fewer words nearly all are distinct")
    words_as_good: int = limit(32, "words of answers that scored as well", "engineering default: a third of the above")
    dependent: float = limit(
        2.0,
        "× the words that answers to different prompts share",
        "measured: 3 in a translation with few words, at most 1.5 in policies that say a few words to any prompt",
    )


class SmpVocabularyCollapse(SampleRule[Limits]):
    """Judges how many different words the answers use together."""

    code = "SM207"
    name = "smp-vocabulary-collapse"
    grade = "F"
    source = "engineering default; RAGEN (arXiv 2504.20073): collapse of diversity"
    limits = Limits()
    remedies = (
        "checked-reward",
        "stronger-kl",
        "earlier-checkpoint",
    )
    texts = english(
        headline="The answers use a fraction of the words that they used at the start.",
        fired="{words} words of the newest samples hold {now} different ones; as many at the start held {before}.",
        shown="Among the highest scores of its step.",
    )

    def judge(self, seen: View, limits: Limits) -> Judgement | Skipped:
        if not seen.can_compare:
            return nothing_to_compare()
        now, at_start, as_good = map(_all_words, (seen.recent, seen.first, _as_good_at_start(seen)))
        fewest = min(len(now), len(at_start))
        if fewest < limits.words:
            return too_few_samples("words, at the start and now", limits.words, fewest)
        compared = [_compared(now, before) for before in (at_start, as_good) if len(before) >= limits.words_as_good]
        values = max(compared, key=lambda found: found["now"] / found["before"])
        kept = values["now"] / values["before"]
        is_small = kept <= limits.warning and not (
            _has_a_word_for_each_prompt(seen.recent, values["now"])
            or _depend_on_their_prompts(seen.recent, limits.dependent)
        )
        severity = Severity.WARNING if is_small else None
        by_score = sorted(with_scores(seen.recent), key=lambda row: -(row.sample.score or 0.0))
        return Judgement(kept, limits.warning, severity, "of the start's", values=values, samples=by_score)


def _has_a_word_for_each_prompt(rows: Rows, different: int) -> bool:
    """Whether answers are single words, of which there are as many different ones as there are prompts."""
    usual = finite_median(np.array([len(words(row.sample.response)) for row in rows], dtype=np.float64))
    return usual <= 1 and different >= len({row.sample.query for row in rows})


def _depend_on_their_prompts(rows: Rows, times: float) -> bool:
    """Whether answers to the same prompt share so many times the words that answers to different prompts share."""
    used = [(row.sample.query, frozenset(words(row.sample.response))) for row in rows if words(row.sample.response)]
    shares: dict[bool, list[float]] = {True: [], False: []}
    for (prompt, some), (other_prompt, others) in combinations(used, 2):
        shares[prompt == other_prompt].append(len(some & others) / len(some | others))
    same, different = shares[True], shares[False]
    return min(len(same), len(different)) >= PAIRS and fmean(same) >= max(times * fmean(different), LEAST)


def _compared(now: Sequence[str], before: Sequence[str]) -> dict[str, int]:
    """How many words are compared, and how many different ones there are among them now and before."""
    count = min(len(now), len(before))
    return {"now": len(set(now[:count])), "before": len(set(before[:count])), "words": count}


def _as_good_at_start(seen: View) -> Rows:
    """The answers at the start that scored no worse than most of the newest."""
    usual = finite_median(scores_of(seen.recent))
    return tuple(row for row in with_scores(seen.first) if row.sample.score is not None and row.sample.score >= usual)


def _all_words(rows: Rows) -> list[str]:
    return [word for row in rows for word in words(row.sample.response) if not word.isdigit()]
