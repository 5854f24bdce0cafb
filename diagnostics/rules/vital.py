"""What is vital in a run of each algorithm: the checks that must have run before it may be called healthy."""

from collections.abc import Mapping

from diagnostics.model.algorithms import PPO_FAMILY
from diagnostics.model.messages import Message
from diagnostics.model.vital import VitalCheck

TEXTS: Mapping[str, str] = {
    "vital.numbers": "whether all numbers are finite",
    "vital.numbers.enable": "Log the loss or the gradient norm.",
    "vital.reward": "the reward",
    "vital.reward.enable": "Log the mean reward.",
    "vital.spread": "the spread of the rewards",
    "vital.spread.enable": "Log the standard deviation of the rewards.",
    "vital.critic": "the value model",
    "vital.critic.enable": "Log the value loss.",
    "vital.update": "the size of the updates, or the KL",
    "vital.update.enable": "Log the KL to the reference, the approximate KL of the updates, or the clipped share.",
    "vital.ends": "the length of the answers, or how they end",
    "vital.ends.enable": "Log the mean length of the answers and the share that was cut off.",
    "vital.variety": "the entropy, or samples",
    "vital.variety.enable": "Log the entropy, or some of the answers.",
}


def _check(name: str, *rules: str) -> VitalCheck:
    return VitalCheck(Message(f"vital.{name}"), rules, Message(f"vital.{name}.enable"))


_NUMBERS = _check("numbers", "nonfinite-metric")
_REWARD = _check("reward", "reward-regression", "reward-not-improving")
_UPDATE = _check(
    "update",
    "update-too-large",
    "grpo-clip-ratio-high",
    "clipfrac-high",
    "ratio-far-from-one",
    "kl-too-high",
    "is-ratio-off",
)
_ENDS = _check("ends", "truncation-high", "length-collapse", "length-explosion", "eos-never-generated", "smp-truncated")
_VARIETY = _check(
    "variety",
    "entropy-explosion",
    "entropy-collapse",
    "smp-repetition",
    "smp-nonlanguage",
    "smp-group-duplicates",
    "smp-template-collapse",
)
_SPREAD = _check("spread", "zero-variance-groups", "reward-std-shrink", "smp-score-identical")
_CRITIC = _check("critic", "value-loss-spike", "explained-variance-low", "value-clipfrac-high")


def vital_checks(algorithm: str) -> tuple[VitalCheck, ...]:
    """The vital checks of an algorithm.

    A method that compares the answers of a group learns from the spread of their rewards; one with a value model learns
    through that, and some of its trainers log no spread.
    """
    signal = _CRITIC if algorithm in PPO_FAMILY else _SPREAD
    return (_NUMBERS, _REWARD, signal, _UPDATE, _ENDS, _VARIETY)
