"""Rules: judge a run or its settings against what documents, papers and trainers warn of; one outcome per rule."""

from collections.abc import Mapping
from typing import Any

from diagnostics.model.diagnosis import LimitOverrides
from diagnostics.model.outcome import Outcome
from diagnostics.model.run import Run
from diagnostics.model.setup import Setup
from diagnostics.rules import engine, harm, lasting, lists, missing_metrics, stretch_phrases, telling_samples, vital
from diagnostics.rules.config import config_rule, grader_trials, pf_lr_range, pf_reward_smoke
from diagnostics.rules.config.catalog import CONFIG_RULES
from diagnostics.rules.rule import Rule
from diagnostics.rules.run import endings, speed_rule
from diagnostics.rules.run.catalog import RUN_RULES
from diagnostics.rules.samples import sample_rule
from diagnostics.rules.samples.catalog import SAMPLE_RULES

__all__ = ["CATALOG", "CONFIG_RULES", "RUN_RULES", "SAMPLE_RULES", "TEXTS", "evaluate"]

CATALOG: tuple[Rule[Any, Any], ...] = (*RUN_RULES, *SAMPLE_RULES, *CONFIG_RULES)
"""Every rule: those that judge series, those that judge samples, and those that judge settings, each by code."""

TEXTS: Mapping[str, str] = {
    **engine.TEXTS,
    **missing_metrics.TEXTS,
    **lists.TEXTS,
    **harm.TEXTS,
    **lasting.TEXTS,
    **stretch_phrases.TEXTS,
    **endings.TEXTS,
    **vital.TEXTS,
    **telling_samples.TEXTS,
    **sample_rule.TEXTS,
    **speed_rule.TEXTS,
    **config_rule.TEXTS,
    **grader_trials.TEXTS,
    **pf_lr_range.TEXTS,
    **pf_reward_smoke.TEXTS,
    **{key: text for rule in CATALOG for key, text in rule.templates.items()},
}
"""Every message of the rules in English: template id → format string."""


def evaluate(subject: Run | Setup, limits: LimitOverrides | None = None) -> tuple[Outcome, ...]:
    """The outcome of every rule that applies to a run, or of every pre-flight check that applies to a setup.

    `limits` overrides defaults: rule name → field of its Limits → value; it may name rules of any subject.

    Raises:
        UnknownLimitError: `limits` names a rule or a field that does not exist, or gives it no number.
    """
    return engine.evaluate(subject, CATALOG, limits)
