"""The answers to one prompt are the same text: the group explores nothing.

What it checks
    Of all pairs of logged answers to the same prompt in the same step, the share that is the same text: 0.5 is a
    warning, 0.9 is critical; similarity of the 3-grams above 0.8 is a warning too. Only free text is judged: answers of
    at least 20 words and marks. Where the repeated answers score as high as any, and each prompt has its own, they are
    the one right form of their task, and no finding.

Why it matters
    Advantages are differences within a group. A group that says only one thing has none, however many answers it holds.

When it is wrong
    A task with one right way to write a long answer (a record in JSON, a formatted calculation) ends in equal answers
    once it is solved; without scores in the samples that cannot be seen.

What to try
    Sample at temperature 1, raise the upper clip range, go back to a checkpoint before the collapse.

References
    RAGEN (arXiv 2504.20073), RAGEN-2 (arXiv 2604.06268).
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from diagnostics.model.algorithms import GROUP_FAMILY
from diagnostics.model.outcome import Severity
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Skipped, english
from diagnostics.rules.samples.relations import mean_similarity, pairs_of
from diagnostics.rules.samples.row_measures import scores_of
from diagnostics.rules.samples.sample_rule import Judgement, SampleRule, too_few_samples
from diagnostics.rules.samples.tables import LEAST_GROUPS, Rows, View, groups_of
from diagnostics.rules.samples.text_measures import normalised, units


class Limits(RuleLimits):
    """How alike a group may be."""

    warning: float = limit(0.5, "of the pairs", "engineering default")
    critical: float = limit(0.9, "of the pairs", "engineering default")
    likeness: float = limit(0.8, "Jaccard index of 3-grams", "engineering default")
    right: float = limit(0.95, "of the highest score", "engineering default: as good as any answer")
    own: float = limit(0.5, "of the prompts", "engineering default: a collapsed policy says one thing to all of them")
    free_text: int = limit(20, "words and marks", "the median answer; shorter ones are equal by chance or by the task")


class SmpGroupDuplicates(SampleRule[Limits]):
    """Judges how alike the answers to one prompt are."""

    code = "SM203"
    name = "smp-group-duplicates"
    grade = "P"
    source = "RAGEN (arXiv 2504.20073): collapse of diversity within a group"
    algorithms = GROUP_FAMILY | {"online-dpo"}
    limits = Limits()
    remedies = (
        "true-temperature",
        "wider-clip-range",
        "earlier-checkpoint",
    )
    texts = english(
        headline="The answers to one prompt are all the same.",
        fired="{percent} % of the pairs of answers to the same prompt are the same text.",
        alike="The answers to the same prompt share {percent} % of their 3-grams.",
        shown="An answer beside others of its group.",
    )

    def judge(self, seen: View, limits: Limits) -> Judgement | Skipped:
        groups = groups_of(tuple(row for row in seen.recent if len(units(row.sample.response)) >= limits.free_text))
        if len(groups) < LEAST_GROUPS or 2 * sum(map(len, groups)) < len(seen.recent):
            return too_few_samples("groups of answers in free text", LEAST_GROUPS, len(groups))
        pairs = [pair for group in groups for pair in pairs_of([normalised(row.sample.response) for row in group])]
        same = sum(one == other for one, other in pairs) / len(pairs)
        levels = {Severity.WARNING: limits.warning, Severity.CRITICAL: limits.critical}
        reached = [severity for severity, bound in levels.items() if same >= bound]
        if _are_the_right_form(groups, limits):
            return Judgement(same, limits.warning, None, "of the pairs", samples=groups[0])
        alike = mean_similarity(pairs)
        if not reached and alike >= limits.likeness:
            return Judgement(alike, limits.likeness, Severity.WARNING, "Jaccard index", "alike", samples=groups[0])
        limit = levels[reached[-1]] if reached else limits.warning
        return Judgement(same, limit, reached[-1] if reached else None, "of the pairs", samples=groups[0])


def _are_the_right_form(groups: Sequence[Rows], limits: Limits) -> bool:
    """Whether the answers that groups repeat score as high as any, and mostly differ from prompt to prompt."""
    repeated = tuple(row for group in groups for row in _repeated(group))
    scores = scores_of(repeated)
    if not len(scores) or not np.isfinite(scores).all():
        return False
    highest = float(np.nanmax(scores_of(tuple(row for group in groups for row in group))))
    texts = {normalised(row.sample.response) for row in repeated}
    prompts = {(row.step, row.sample.query) for row in repeated}
    is_right = highest > 0 and float(np.mean(scores)) >= limits.right * highest
    return is_right and len(texts) >= limits.own * len(prompts)


def _repeated(group: Rows) -> Rows:
    """The rows of a group whose text occurs twice or more."""
    counts = Counter(normalised(row.sample.response) for row in group)
    return tuple(row for row in group if counts[normalised(row.sample.response)] > 1)
