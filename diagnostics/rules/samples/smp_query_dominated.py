"""The score depends on the query, hardly on the answer.

What it checks
    Of the variance of the score, the share that lies between queries (intraclass correlation), over logged queries with
    two or more different answers. Where queries hardly recur: how much of the score's variance over at least 64 queries
    their words and lengths predict in held-out queries (R² of a ridge regression on TF-IDF, in five folds). Above 0.8,
    in the newest tables as well as in the first ones, it is a warning; the share found in a few recurring queries must
    exceed it by three standard errors.

Why it matters
    The policy can change the answer but not the query. Whatever the query decides is noise to the policy gradient and
    drowns what the answer earns.

When it is wrong
    GRPO compares answers to one query and is not affected, so it is not judged. Scores of two values are not judged,
    because hard and easy questions rightly differ. A policy that has stopped varying makes every score depend on the
    query; hence the start must show it too. A prediction of 0.8 is rare, because the answer's part cannot be predicted
    from the query; below it a query may still decide in ways that its words do not show.

What to try
    Subtract the score of the query alone, r(query + answer) − r(query), or normalise the score by query.

References
    TRL training FAQ: the reward may be dominated by the query.
"""

import numpy as np

from diagnostics.detectors.proportions import lower_bound_of_correlation
from diagnostics.model.algorithms import PPO_FAMILY
from diagnostics.model.outcome import Severity
from diagnostics.model.series import Values
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Skipped, english
from diagnostics.rules.samples.bags import predictable_share
from diagnostics.rules.samples.relations import explained_by
from diagnostics.rules.samples.row_measures import is_graded, scores_of, with_scores
from diagnostics.rules.samples.sample_rule import Judgement, SampleRule, not_graded, too_few_samples
from diagnostics.rules.samples.tables import Row, Rows, View
from diagnostics.rules.samples.text_measures import normalised

MOST_QUERIES = 256  # that are predicted from each other: the cost grows with the cube


class Limits(RuleLimits):
    """Which share of the variance the query may explain."""

    warning: float = limit(0.8, "of the variance", "engineering default")
    queries: int = limit(8, "queries with two answers", "below it the share is mostly chance")
    different: int = limit(64, "queries", "fewer cannot show what their words predict")


class SmpQueryDominated(SampleRule[Limits]):
    """Judges how much of the score's variance lies between queries."""

    code = "SM403"
    name = "smp-query-dominated"
    grade = "S"
    source = "TRL training FAQ: the reward is dominated by the query"
    algorithms = PPO_FAMILY
    limits = Limits()
    remedies = ("query-baseline",)
    pooled = 12  # tables: queries recur only now and then
    is_from_start = True
    texts = english(
        headline="The score depends on the query, hardly on the answer.",
        fired="{percent} % of the variance of the score lies between queries.",
        predicted="The query alone, without any answer, predicts {percent} % of the variance of the score (words and "
        "length of {queries} queries, on queries left out).",
        shown="Its score depends on its query.",
    )

    def judge(self, seen: View, limits: Limits) -> Judgement | Skipped:
        tables = [seen.recent, seen.first] if seen.can_compare else [seen.recent]
        parts = [_answered_twice(rows) for rows in tables]
        fewest = min(_queries(rows) for rows in parts)
        if fewest < limits.queries:
            return self._predicted([with_scores(rows) for rows in tables], fewest, limits)
        if not is_graded(parts[0]):
            return not_graded()
        shares = [explained_by([row.sample.query for row in rows], scores_of(rows)) for rows in parts]
        least = min(
            lower_bound_of_correlation(share, _queries(rows)) for share, rows in zip(shares, parts, strict=True)
        )
        severity = Severity.WARNING if least > limits.warning else None
        return Judgement(min(shares), limits.warning, severity, "of the variance", samples=parts[0])

    def _predicted(self, parts: list[Rows], repeated: int, limits: Limits) -> Judgement | Skipped:
        """The judgement where queries hardly recur: how well they alone predict the score."""
        fewest = min(map(_queries, parts))
        if fewest < limits.different:
            return too_few_samples("queries with two different scored answers", limits.queries, repeated)
        if not is_graded(parts[0]):
            return not_graded()
        share = min(predictable_share(*_mean_scores(rows)) for rows in parts)
        severity = Severity.WARNING if share > limits.warning else None
        values = {"queries": fewest}
        return Judgement(share, limits.warning, severity, "of the variance", "predicted", values, samples=parts[0])


def _queries(rows: Rows) -> int:
    return len({row.sample.query for row in rows})


def _mean_scores(rows: Rows) -> tuple[list[str], Values]:
    """The latest queries, and the mean score of each."""
    found: dict[str, list[float]] = {}
    for row, score in zip(reversed(rows), reversed(scores_of(rows)), strict=True):
        found.setdefault(row.sample.query, []).append(float(score))
    latest = list(found.items())[:MOST_QUERIES]
    return [query for query, _ in latest], np.array([np.mean(scores) for _, scores in latest])


def _answered_twice(rows: Rows) -> Rows:
    """The scored rows, each answer to a query once, of queries with two or more different answers."""
    found: dict[str, dict[str, Row]] = {}
    for row in with_scores(rows):
        found.setdefault(row.sample.query, {}).setdefault(normalised(row.sample.response), row)
    return tuple(row for answers in found.values() if len(answers) > 1 for row in answers.values())
