"""Answers drift into a script other than their prompt's.

What it checks
    The letters of an answer by script (Latin, Cyrillic, Chinese and Japanese, Arabic …). A row has drifted if more than
    a fifth of its letters are of scripts that its prompt does not use, or that mixes three scripts. The share of such
    rows, beyond that in the first tables: 0.05 is a warning, 0.2 is critical.

Why it matters
    Mixed scripts are a known side effect of rewarding only the result, and a sign of an entropy growing without bound.

When it is wrong
    Translation tasks answer in another script from the start; only a rise counts. Two languages of one script (English
    and French) are not told apart.

What to try
    Add a reward for the prompt's language, raise the KL coefficient, lower the learning rate.

References
    DeepSeek-R1 (arXiv 2501.12948) · ConvSearch-R1 issue 6 (gibberish of many languages at step 270).
"""

from diagnostics.model.outcome import Severity
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Skipped, english
from diagnostics.rules.samples.sample_rule import Judgement, SampleRule
from diagnostics.rules.samples.shares import risen_shares
from diagnostics.rules.samples.tables import Row, View
from diagnostics.rules.samples.text_measures import scripts


class Limits(RuleLimits):
    """What counts as drift, and which rise is too much."""

    foreign: float = limit(0.2, "of the letters", "engineering default")
    used: float = limit(0.1, "of the prompt's letters", "a quoted name does not make a second language")
    least: int = limit(20, "letters", "fewer may be a name or a symbol")
    warning: float = limit(0.05, "of the samples, above the start", "engineering default")
    critical: float = limit(0.2, "of the samples, above the start", "engineering default")


class SmpLanguageDrift(SampleRule[Limits]):
    """Judges the scripts of prompt and answer."""

    code = "SM303"
    name = "smp-language-drift"
    grade = "P"
    source = "DeepSeek-R1 (arXiv 2501.12948): language consistency reward"
    limits = Limits()
    remedies = (
        "checked-reward",
        "stronger-kl",
        "lower-learning-rate",
    )
    texts = english(
        headline="Answers drift into another language than their prompt's.",
        fired="{count} of the {rows} newest samples are written in other scripts than their prompt ({before} % at "
        "the start).",
        shown="Written in another script than its prompt.",
    )

    def judge(self, seen: View, limits: Limits) -> Judgement | Skipped:
        levels = {Severity.WARNING: limits.warning, Severity.CRITICAL: limits.critical}
        return risen_shares(seen, lambda row: _has_drifted(row, limits), levels)


def _has_drifted(row: Row, limits: Limits) -> bool:
    prompt, answer = scripts(row.sample.query), scripts(row.sample.response)
    asked, said = sum(prompt.values()), sum(answer.values())
    if asked == 0 or said < limits.least:
        return False
    used = {script for script, letters in prompt.items() if letters >= limits.used * asked}
    foreign = sum(letters for script, letters in answer.items() if script not in used)
    mixed = sum(letters >= limits.used * said for letters in answer.values())
    return foreign > limits.foreign * said or mixed > 2
