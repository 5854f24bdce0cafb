"""Rules: from a run to one outcome for each condition that the documents, papers and trainers warn of."""

from collections.abc import Mapping
from typing import Any

from diagnostics.model.diagnosis import LimitOverrides, UnknownLimitError
from diagnostics.model.outcome import Outcome
from diagnostics.model.run import Run
from diagnostics.rules import engine
from diagnostics.rules import missing_metrics as missing
from diagnostics.rules import telling_samples as exhibits
from diagnostics.rules.config import TEXTS as PREFLIGHT_TEXTS
from diagnostics.rules.rule import GRADES, SECTIONS, LimitDoc, Rule
from diagnostics.rules.run import CATALOG as RUN_RULES
from diagnostics.rules.samples import sample_rule
from diagnostics.rules.samples.catalog import SAMPLE_CHECKS

__all__ = [
    "CATALOG",
    "GRADES",
    "SECTIONS",
    "TEXTS",
    "LimitDoc",
    "Rule",
    "UnknownLimitError",
    "evaluate",
]

CATALOG: tuple[Rule[Any], ...] = (*RUN_RULES, *SAMPLE_CHECKS)
"""Every rule, in the order of their codes: those that judge series, then those that read samples."""


def evaluate(run: Run, limits: LimitOverrides | None = None) -> tuple[Outcome, ...]:
    """The outcome of every rule of the catalog that applies to the run.

    `limits` overrides defaults: rule name → field of its Limits → value.

    Raises:
        UnknownLimitError: `limits` names a rule or a field that does not exist, or gives it no number.
    """
    return engine.evaluate(run, CATALOG, limits)


TEXTS: Mapping[str, str] = {
    **engine.TEXTS,
    **missing.TEXTS,
    **exhibits.TEXTS,
    **sample_rule.TEXTS,
    **PREFLIGHT_TEXTS,
    **{key: text for rule in CATALOG for key, text in rule.templates.items()},
}
"""Every message of the rules in English: template id → format string."""
