"""The model does not end its answers: hardly any completion contains the end-of-sequence token.

What it checks
    PPO: the number of end tokens generated (`val/num_eos_tokens`): none for ten logged points is critical, fewer than
    one per ten answers for three is a warning; where the batch size is not known, the largest number of end tokens in
    any step stands for it. GRPO: 97 % or more of the completions cut off for
    ten points is critical.

Why it matters
    Answers without an end run into the length limit and are scored with whatever they trail off into, and the model
    never sees that ending pays.

When it is wrong
    TRL counts on one process only, and counts padding where the padding token is the end token. A model that ends on a
    token other than the tokenizer's looks the same.

What to try
    The EOS trick: `missing_eos_penalty` 1.0 with `stop_token` eos. Use a padding token of its own. Check that the
    supervised model ended its answers. Raise the length limit if the answers are simply long.

References
    TRL PPO page, usage tip: the EOS trick · TRL logging page: val/num_eos_tokens, completions/clipped_ratio.
"""

import numpy as np

from diagnostics.detectors.extremes import finite_range
from diagnostics.model.algorithms import PPO_FAMILY
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.rules.batch_size import answers_per_step
from diagnostics.rules.lengths import ended_unseen
from diagnostics.rules.levels import Level, Reading, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.missing_metrics import unseen_ends
from diagnostics.rules.rule import RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, series_of


class Limits(RuleLimits):
    """How few ended answers are too few."""

    fewest: float = limit(0.0, "end tokens", "none at all")
    few: float = limit(0.1, "end tokens per answer", "engineering default")
    few_for: int = limit(
        3, "logged points", "by arithmetic: three batches of 32 answers know a share of a tenth to within a sixteenth"
    )
    truncated: float = limit(0.97, "fraction", "public runs that never ended an answer showed 0.97 and more")
    patience: int = limit(10, "logged points", "engineering default")


class EosNeverGenerated(RunRule[Limits]):
    """Judges `val/num_eos_tokens` of PPO and `completions/clipped_ratio` of GRPO."""

    code = "RV602"
    name = "eos-never-generated"
    grade = "S"
    source = "TRL PPO page: the EOS trick"
    algorithms = PPO_FAMILY | {"grpo", "rloo"}
    inputs = (("eos_tokens", "truncated_fraction"),)
    limits = Limits()
    remedies = ("eos-trick", "stop-at-eos", "free-end", "longer-completions")
    telling_samples = "cut-off"
    texts = english(
        headline="The model does not end its answers.",
        none="No end token was generated in any step from {first} to {last}.",
        hardly="Hardly any end token was generated from step {first} to {last}: none at {percent} % of the points.",
        counted="At most {limit} end tokens were generated in each step from {first} to {last} (fewest {measured} at "
        "step {peak}).",
        cut="Up to {percent} % of completions ended only because they were cut off; {limit_percent} % or more{mostly} "
        "from step {first} to {last}.",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        series = series_of(run, "eos_tokens", "truncated_fraction")
        if series.name == "eos_tokens":
            return self._counted(series, answers_per_step(run), limits)
        level = Level(Severity.CRITICAL, limits.truncated, limits.patience)
        reading = read_levels(series, (level,), smooth=False)
        breach = reading.breach.episode if isinstance(reading, Reading) and reading.breach else None
        if breach and ended_unseen(run, *series.steps[[breach.first, breach.last]].tolist()):
            return unseen_ends()
        percent = 100 * float(np.fmax(finite_range(series.values)[1], 0.0))
        return self.judged(reading, key="cut", percent=percent, limit_percent=100 * limits.truncated)

    def _counted(self, series: Series, answers: int | None, limits: Limits) -> RuleResult:
        levels = [Level(Severity.CRITICAL, limits.fewest, limits.patience)]
        most = answers or max(finite_range(series.values)[1], 0.0)
        if most > 0:
            levels.insert(0, Level(Severity.WARNING, limits.few * most, limits.few_for))
        reading = read_levels(series, levels, above=False, smooth=False)
        breach = reading.breach if isinstance(reading, Reading) else None
        if breach is None or breach.level.limit > 0:
            return self.judged(reading, key="counted")
        if breach.share is None or breach.share == 1.0:
            return self.judged(reading, key="none")
        return self.judged(reading, key="hardly", percent=int(100 * breach.share))
