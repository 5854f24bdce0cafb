"""Pre-flight: what a training's settings alone say, before its first step or beside its verdict."""

from collections.abc import Mapping

from diagnostics.model.diagnosis import LimitOverrides
from diagnostics.model.outcome import Outcome
from diagnostics.model.setup import ModelFacts, Probe, Setup, Trial, version_of
from diagnostics.rules.config import engine
from diagnostics.rules.config.check import Check, Limit
from diagnostics.rules.config.completion_length import (
    CompletionLength,
    Divisible,
    EosTrick,
    GroupSize,
    PadIsEos,
    StopToken,
)
from diagnostics.rules.config.coverage import (
    EvaluationMissing,
    ImportanceCorrection,
    LoggingSteps,
    SmallFirst,
    StopUnsupported,
)
from diagnostics.rules.config.kl_penalty import KlOff, KlScale
from diagnostics.rules.config.numerics import AdamEpsilon, GradientClip, HalfPrecision, Memory, NanFilter
from diagnostics.rules.config.rewards import ManyRewards, RewardSmoke, ValueClip
from diagnostics.rules.config.sampling import (
    Grammar,
    Greedy,
    MinLength,
    MinP,
    RepetitionPenalty,
    TemperatureHigh,
    TopK,
    TopP,
)
from diagnostics.rules.config.updates import Dropout, Epochs, LearningRateRange, LossType, OnPolicyNote, SequenceRatio

__all__ = [
    "CHECKS",
    "TEXTS",
    "Check",
    "Limit",
    "ModelFacts",
    "Probe",
    "Setup",
    "Trial",
    "divided",
    "preflight",
    "version_of",
]

CHECKS: tuple[Check, ...] = (
    HalfPrecision(),
    GradientClip(),
    NanFilter(),
    AdamEpsilon(),
    Memory(),
    LearningRateRange(),
    Epochs(),
    OnPolicyNote(),
    SequenceRatio(),
    LossType(),
    Dropout(),
    TopK(),
    TopP(),
    MinP(),
    RepetitionPenalty(),
    Grammar(),
    KlOff(),
    KlScale(),
    ManyRewards(),
    RewardSmoke(),
    Greedy(),
    TemperatureHigh(),
    GroupSize(),
    MinLength(),
    EosTrick(),
    PadIsEos(),
    CompletionLength(),
    StopToken(),
    ValueClip(),
    ImportanceCorrection(),
    Divisible(),
    LoggingSteps(),
    EvaluationMissing(),
    StopUnsupported(),
    SmallFirst(),
)
"""Every pre-flight check, in the order of the codes, whose families are those of the rules."""

PREFIX = "pf-"
"""How the name of every check begins."""

TEXTS: Mapping[str, str] = {
    **engine.TEXTS,
    **{key: text for check in CHECKS for key, text in check.templates.items()},
}


def preflight(setup: Setup, limits: LimitOverrides | None = None) -> tuple[Outcome, ...]:
    """The outcome of every check that means something for the setup: fired, quiet, skipped or broken.

    `limits` overrides defaults: check name → limit → value. Raises UnknownLimitError where they do not fit.
    """
    return engine.evaluate(setup, CHECKS, limits or {})


def divided(limits: LimitOverrides) -> tuple[LimitOverrides, LimitOverrides]:
    """Overridden limits of rules, and those of pre-flight checks, whose names begin with `pf-`."""
    of_checks = {name: values for name, values in limits.items() if name.startswith(PREFIX)}
    return {name: values for name, values in limits.items() if name not in of_checks}, of_checks
