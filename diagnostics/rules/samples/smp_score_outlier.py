"""One answer scores far above all others.

What it checks
    The newest logged answers whose score lies more than six robust deviations above the median (1.4826 times the median
    absolute deviation, at least 5 % of the median): info. Where most scores are the same, the standard deviation of all
    but the highest takes its place. More than one in twenty are no outliers.

Why it matters
    An exploit of the reward shows in single rows first. The documents advise looking at extreme cases.

When it is wrong
    Scores with a long tail have such rows in healthy runs. Scores of two values are not judged.

What to try
    Read the rows and ask whether a person would score them as high.

References
    TRL training FAQ: inspect the reward model, look at extreme cases.
"""

import numpy as np

from diagnostics.detectors.rolling import MAD_TO_DEVIATION
from diagnostics.model.outcome import Severity
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Skipped, english
from diagnostics.rules.samples.row_measures import is_graded, scores_of, with_scores
from diagnostics.rules.samples.sample_rule import Judgement, SampleRule, not_graded, too_few_samples
from diagnostics.rules.samples.tables import View


class Limits(RuleLimits):
    """How far above the others is worth a look."""

    info: float = limit(6.0, "robust deviations", "measured: below one false alarm in 10,000 points of normal noise")
    floor: float = limit(0.05, "of the median", "rounded scores have a deviation of 0")
    smallest: float = limit(1e-3, "reward", "a median of 0 gives no floor")
    most: float = limit(0.05, "of the samples", "engineering default: a score that many earn is a step of the scale")
    rows: int = limit(32, "samples", "below it the median deviation is uncertain")


class SmpScoreOutlier(SampleRule[Limits]):
    """Judges the highest scores of the samples."""

    code = "SM406"
    name = "smp-score-outlier"
    grade = "S"
    source = "TRL training FAQ: inspect the reward model, look at extreme cases"
    limits = Limits()
    remedies = ("checked-reward",)
    texts = english(
        headline="Single answers score far above all others.",
        fired="{count} of the newest samples score up to {score}, where the median is {median}.",
        shown="Its score is far above the others.",
    )

    def judge(self, seen: View, limits: Limits) -> Judgement | Skipped:
        known = with_scores(seen.recent)
        if not is_graded(known):
            return not_graded()
        if len(known) < limits.rows:
            return too_few_samples("scored samples", limits.rows, len(known))
        scores = scores_of(known)
        median = float(np.median(scores))
        deviation = MAD_TO_DEVIATION * float(np.median(np.abs(scores - median)))
        if not deviation:
            deviation = float(np.std(scores[scores < scores.max()])) if scores.min() < scores.max() else 0.0
        z = (scores - median) / max(deviation, limits.floor * abs(median), limits.smallest)
        far = [known[place] for place in np.argsort(-z) if z[place] > limits.info]
        if len(far) > max(1, limits.most * len(known)):
            far, z = [], np.minimum(z, limits.info)  # a step of the scale, and no outlier
        values = {"count": len(far), "score": float(scores.max()), "median": median}
        severity = Severity.INFO if far else None
        return Judgement(float(z.max()), limits.info, severity, "robust deviations", values=values, samples=far)
