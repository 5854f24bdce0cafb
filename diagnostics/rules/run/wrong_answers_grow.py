"""Wrong answers grow longer than right ones: the signature of a loss that divides by the length.

What it checks
    The mean length of wrong answers over that of right ones, in the newest logged tables against the first: 1.5 times
    the first ratio is info, where wrong answers are the longer ones. Only scores of two values are judged, the higher
    one being right.

Why it matters
    Where the loss of an answer is divided by its own length, a long wrong answer is penalised less per token than a
    short one, and the policy learns to be wrong at length.

When it is wrong
    Hard prompts take longer and fail more often; once the easy ones are solved, these are what remains.

What to try
    Use a loss that divides by a constant (dr_grpo) or by the tokens of the batch (dapo).

References
    Dr. GRPO (arXiv 2503.20783): response-level length bias.
"""

from diagnostics.model.algorithms import GROUP_FAMILY
from diagnostics.model.outcome import Severity
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Skipped, english
from diagnostics.rules.samples.row_measures import is_graded, lengths_of, longest_first, scores_of, with_scores
from diagnostics.rules.samples.sample_rule import (
    Judgement,
    SampleRule,
    not_right_or_wrong,
    nothing_to_compare,
    too_few_samples,
)
from diagnostics.rules.samples.tables import Rows, View


class Limits(RuleLimits):
    """Which growth of wrong answers is worth reporting."""

    info: float = limit(1.5, "× the ratio at the start", "engineering default")
    longer: float = limit(1.0, "× the length of right answers", "shorter wrong answers are no length bias")
    answers: int = limit(8, "answers, of the right and of the wrong ones", "fewer make no mean")


class WrongAnswersGrow(SampleRule[Limits]):
    """Judges the lengths of right and wrong sampled answers."""

    code = "RV607"
    name = "wrong-answers-grow"
    grade = "P"
    source = "Dr. GRPO (arXiv 2503.20783)"
    algorithms = GROUP_FAMILY
    limits = Limits()
    remedies = ("token-loss",)
    texts = english(
        headline="Wrong answers grow longer than right ones.",
        fired="Wrong answers are {now} times as long as right ones in the newest samples, and were {before} times as "
        "long at the start.",
        shown="A long answer that is wrong.",
    )

    def judge(self, seen: View, limits: Limits) -> Judgement | Skipped:
        if not seen.can_compare:
            return nothing_to_compare()
        if is_graded(seen.recent):
            return not_right_or_wrong()
        parts = [part for rows in (seen.recent, seen.first) for part in _wrong_and_right(rows)]
        if min(map(len, parts)) < limits.answers:
            return too_few_samples("right and wrong answers each", limits.answers, min(map(len, parts)))
        wrong, right, wrong_before, right_before = (float(lengths_of(part).mean()) for part in parts)
        now, before = wrong / max(right, 1.0), wrong_before / max(right_before, 1.0)
        grown = now / max(before, 1 / max(right_before, 1.0))
        severity = Severity.INFO if grown >= limits.info and now > limits.longer else None
        values = {"now": now, "before": before}
        return Judgement(grown, limits.info, severity, "× the start", values=values, samples=longest_first(parts[0]))


def _wrong_and_right(rows: Rows) -> tuple[Rows, Rows]:
    known = with_scores(rows)
    best = max(scores_of(known), default=0.0)
    wrong = tuple(row for row in known if row.sample.score != best)
    return wrong, tuple(row for row in known if row.sample.score == best)
