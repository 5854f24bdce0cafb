"""Padding is counted as end tokens: the two are the same token.

What it checks
    More end tokens than answers in a step (`val/num_eos_tokens`) for three logged points, or a configuration
    whose padding token is its end token: a warning.

Why it matters
    End tokens are then masked as padding: the value of ending is never learned, and the count of ended answers means
    nothing.

When it is wrong
    TRL up to 0.13 does not stop at the end token, so one answer may hold several. The old TRL FAQ recommends this
    padding for generation; it harms training.

What to try
    Give the tokenizer a padding token of its own.

References
    The N+ Implementation Details of RLHF with PPO (arXiv 2403.17031): pad is not eos · TRL issue 5303.
"""

from dataclasses import replace

import numpy as np

from diagnostics.detectors.episodes import Episode
from diagnostics.model.algorithms import PPO_FAMILY
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.rules.batch_size import most_answers
from diagnostics.rules.levels import Level, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import RuleResult, Skipped, english
from diagnostics.rules.run.run_rule import RunRule, series_of


class Limits(RuleLimits):
    """How many end tokens are too many."""

    per_answer: float = limit(1.0, "end tokens per answer", "an answer ends once")
    patience: int = limit(3, "logged points", "engineering default")


class PadEqualsEos(RunRule[Limits]):
    """Judges `val/num_eos_tokens` against the number of answers."""

    code = "RV604"
    name = "pad-equals-eos"
    grade = "C"
    source = "an answer ends once: more end tokens than answers are padding"
    algorithms = PPO_FAMILY
    inputs = ("eos_tokens",)
    limits = Limits()
    remedies = ("own-padding",)
    texts = english(
        headline="Padding is counted as end tokens.",
        fired="{measured} end tokens were counted at step {peak}, {times} for each answer of the step (step {first} "
        "to {last}).",
        same="The padding token and the end token are both token {measured}.",
        unknown="The configuration does not say how many answers a step generates.",
        unknown_enable="Keep the batch size and its parts in the logged configuration.",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        series = series_of(run, "eos_tokens")
        answers = most_answers(run)
        if _is_configured(run):
            whole = Episode(0, len(series) - 1, still=True)
            measured = float(run.settings.value("pad_token_id"))
            return self.fired(
                series, whole, Severity.WARNING, measured=measured, limit=None, key="same", unit="token id"
            )
        if answers is None:
            return Skipped(self.message("unknown"), self.message("unknown_enable"))
        per_answer = replace(series, values=series.values / answers)
        more_than_one = float(np.nextafter(limits.per_answer, np.inf))
        level = Level(Severity.WARNING, more_than_one, limits.patience)
        reading = read_levels(per_answer, (level,), smooth=False)
        return self.judged_in_unit(
            series, np.broadcast_to(float(answers), len(series)), reading, unit="end tokens per answer"
        )


def _is_configured(run: Run) -> bool:
    padding = run.settings.value("pad_token_id")
    return isinstance(padding, int) and padding == run.settings.value("eos_token_id")
