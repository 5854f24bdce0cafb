"""Fixes as data: what to change, under the name that the run's trainer gives it, to what, and why."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from diagnostics.diagnosis import Fix
from diagnostics.messages import Message
from diagnostics.run import Run

Config = Mapping[str, Any]
Suggest = Callable[[Any, Config], Any]


class Keep(Enum):
    """The answer of a remedy that finds its argument well set."""

    AS_IS = "as is"


ANY = ""
LEARNING_RATE = {ANY: ("learning_rate",)}
EPOCHS = {
    "ppo": ("num_ppo_epochs",),
    "ppo-legacy": ("ppo_epochs",),
    "grpo": ("num_iterations",),
    "rloo": ("num_iterations",),
}
KL_WEIGHT = {"ppo": ("kl_coef",), "ppo-legacy": ("init_kl_coef",), ANY: ("beta",)}
LENGTH_LIMIT = {"ppo": ("response_length",), "ppo-legacy": ("max_new_tokens",), ANY: ("max_completion_length",)}
VALUE_CLIP_RANGE = {"ppo": ("cliprange_value",), "ppo-legacy": ("cliprange_value",)}
CLIP_RANGE = {"ppo": ("cliprange",), "ppo-legacy": ("cliprange",), ANY: ("epsilon",)}
REWARD_SOURCE = {"ppo": ("reward_model_path", "reward_funcs"), ANY: ("reward_funcs",)}
LEAST_LENGTH = {"ppo-legacy": ("min_length",), ANY: ("min_new_tokens", "min_length")}
FAQ = "TRL training FAQ: how to generate text for training"


@dataclass(frozen=True, slots=True)
class Remedy:
    """One thing to try.

    `parameters` maps an algorithm (ANY: every other) to the argument's possible names. `suggest` turns the current
    value and the whole configuration into a better value: the same or `Keep.AS_IS` where nothing is to be changed, None
    where something is and only a person can say to what.
    `unstated` is suggested where the configuration does not state the argument; with `only_stated` nothing is.
    """

    name: str
    parameters: Mapping[str, tuple[str, ...]]
    suggest: Suggest
    why: str
    source: str
    unstated: Any = None
    only_stated: bool = False

    @property
    def template(self) -> str:
        """The id of the sentence that says why."""
        return f"remedy.{self.name}"

    def parameter(self, run: Run) -> str | None:
        """The argument's name in this run: one that its configuration states, else its algorithm's first."""
        names = self.parameters.get(run.algorithm, self.parameters.get(ANY, ()))
        if run.algorithm == "unknown":
            names = tuple(name for group in self.parameters.values() for name in group)
        return next((name for name in names if name in run.config), names[0] if names else None)

    def fix(self, run: Run) -> Fix | None:
        """This remedy for this run; None where the run has no such argument or it is well set already."""
        parameter = self.parameter(run)
        if parameter is None or (self.only_stated and parameter not in run.config):
            return None
        current = run.config.get(parameter)
        suggested = self.suggest(current, run.config) if parameter in run.config else self.unstated
        if suggested is Keep.AS_IS or (suggested == current and suggested is not None):
            return None
        return Fix(parameter, current, suggested, Message(self.template), self.source)


def fixes_for(run: Run, names: tuple[str, ...]) -> tuple[Fix, ...]:
    """The fixes of these remedies that mean something for the run, in order, each argument once."""
    found: dict[str, Fix] = {}
    for name in names:
        fix = REMEDIES[name].fix(run)
        if fix is not None:
            found.setdefault(fix.parameter, fix)
    return tuple(found.values())


def _scaled(factor: float) -> Suggest:
    def suggest(current: Any, config: Config) -> Any:
        if not _is_number(current):
            return None
        scaled = float(f"{current * factor:.2g}")
        return round(scaled) if isinstance(current, int) and scaled >= 1 else scaled

    return suggest


def _at_most(highest: float, otherwise: float) -> Suggest:
    return lambda current, config: otherwise if _is_number(current) and current > highest else current


def _set(value: Any) -> Suggest:
    return lambda current, config: value


def _halved_epochs(current: Any, config: Config) -> Any:
    return max(1, current // 2) if isinstance(current, int) else None


def _stronger_kl(current: Any, config: Config) -> Any:
    return _scaled(3)(current, config) if current else 0.05


def _clipped_gradient(current: Any, config: Config) -> Any:
    return current if _is_number(current) and 0 < current < 10 else 1.0


def _neutral_top_k(current: Any, config: Config) -> Any:
    return current if current in (-1, 0) else 0


def _neutral_least_length(current: Any, config: Config) -> Any:
    return Keep.AS_IS if current is None or current <= 0 else 0


def _scored_temperature(current: Any, config: Config) -> Any:
    return Keep.AS_IS if current is None else config.get("temperature", 1.0)


def _bf16(current: Any, config: Config) -> Any:
    return True if config.get("fp16") else current


def _unset_only(value: Any) -> Suggest:
    return lambda current, config: value if current is None else current


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_ALL = (
    Remedy(
        "much-lower-learning-rate", LEARNING_RATE, _scaled(0.1),
        "A tenth of the learning rate makes each update small enough for the clipping to be the exception.",
        "TRL logging page (val/ratio); rules of thumb from public runs: ÷3 to ÷10",
    ),
    Remedy(
        "lower-learning-rate", LEARNING_RATE, _scaled(1 / 3),
        "A third of the learning rate shrinks each update.",
        "TRL logging page: the clip fraction is high where the learning rate is too high",
    ),
    Remedy(
        "fewer-epochs", EPOCHS, _halved_epochs,
        "Fewer passes over the same samples let the policy move less before it generates new ones.",
        "Schulman et al. 2017, PPO: several epochs per batch of samples", only_stated=True,
    ),
    Remedy(
        "restored-clip-range", CLIP_RANGE, _at_most(0.3, 0.2),
        "With a clip range this wide the surrogate loss hardly holds the ratio near 1.",
        "TRL PPO page: the ratio gets clipped by cliprange 0.2", only_stated=True,
    ),
    Remedy(
        "restored-value-clip-range", VALUE_CLIP_RANGE, _at_most(1.0, 0.2),
        "A bounded step keeps the value model from following one bad batch.",
        "TRL PPOConfig: cliprange_value 0.2", only_stated=True,
    ),
    Remedy(
        "clipped-gradient", {ANY: ("max_grad_norm",)}, _clipped_gradient,
        "Clipping the gradient bounds what one bad batch can do.",
        "transformers TrainingArguments: max_grad_norm 1.0", only_stated=True,
    ),
    Remedy(
        "whitened-rewards", {"ppo": ("whiten_rewards",), "ppo-legacy": ("whiten_rewards",)}, _set(True),
        "Rewards of a common scale give advantages and returns that the critic can follow.",
        "TRL PPOConfig: whiten_rewards", unstated=True,
    ),
    Remedy(
        "no-top-k", {ANY: ("top_k",)}, _neutral_top_k,
        "Top-k sampling picks from another distribution than the one that is scored.", FAQ, unstated=0,
    ),
    Remedy(
        "no-top-p", {ANY: ("top_p",)}, _set(1.0),
        "Nucleus sampling picks from another distribution than the one that is scored.", FAQ, unstated=1.0,
    ),
    Remedy(
        "no-min-p", {ANY: ("min_p",)}, lambda current, config: 0.0 if current else Keep.AS_IS,
        "A floor on probabilities samples from another distribution than the one that is scored.", FAQ,
        only_stated=True,
    ),
    Remedy(
        "free-end", LEAST_LENGTH, _neutral_least_length,
        "While the end token is forbidden, the policy may push its probability to nothing and be paid for it.",
        FAQ, unstated=-1,
    ),
    Remedy(
        "true-sampling", {ANY: ("do_sample",)}, _set(True),
        "Taking the likeliest token explores nothing and is not what is scored.", FAQ, only_stated=True,
    ),
    Remedy(
        "no-repetition-penalty", {ANY: ("repetition_penalty",)}, _set(1.0),
        "The penalty samples from a distribution that depends on what was said, which is not the one scored.",
        FAQ, only_stated=True,
    ),
    Remedy(
        "scored-temperature", {ANY: ("rollout_temperature",)}, _scored_temperature,
        "Sampling at the temperature that is scored makes the KL an unbiased estimate again.", FAQ, only_stated=True,
    ),
    Remedy(
        "stronger-kl", KL_WEIGHT, _stronger_kl,
        "A stronger KL penalty holds the policy nearer to the reference.",
        "TRL training FAQ: keep the KL between 0 and 10",
    ),
    Remedy(
        "longer-completions", LENGTH_LIMIT, _scaled(3),
        "Answers that fit are scored for what they say and can end by themselves.",
        "TRL logging page (completions/clipped_ratio); TRL issue 5697",
    ),
    Remedy(
        "eos-trick", {"ppo": ("missing_eos_penalty",)}, _unset_only(1.0),
        "A penalty on answers without an end token teaches the policy to end them.", "TRL PPO page: the EOS trick",
        unstated=1.0,
    ),
    Remedy(
        "stop-at-eos", {"ppo": ("stop_token",)}, _unset_only("eos"),
        "Without a stop token everything behind the first end token is scored as well.", "TRL PPO page: the EOS trick",
        unstated="eos",
    ),
    Remedy(
        "wider-clip-range", {**CLIP_RANGE, "grpo": ("epsilon_high", "epsilon"), "rloo": ("epsilon_high", "epsilon")},
        lambda current, config: _scaled(1.4)(current if current is not None else config.get("epsilon"), config),
        "A wider clip range lets small updates through.", "DAPO (arXiv 2503.14476): epsilon_high 0.28",
    ),
    Remedy(
        "bf16", {ANY: ("bf16",)}, _bf16,
        "bfloat16 has the range of float32; float16 overflows at 65504.", "TRL GRPOConfig: bf16 by default",
        only_stated=True,
    ),
    Remedy(
        "checked-reward", REWARD_SOURCE, _set(None),
        "Call the reward on a right, a wrong, an empty and an extreme answer: it must be finite and rank them.",
        "TRL training FAQ: inspect the reward model",
    ),
    Remedy(
        "reweighted-rewards", {ANY: ("reward_weights",)}, _set(None),
        "Give the function that does not move more weight, or train on it alone first.",
        "TRL training FAQ: start simple",
    ),
    Remedy(
        "earlier-checkpoint", {ANY: ("model_name_or_path",)}, _set(None),
        "Go back to a checkpoint from before the first step of the finding.", "Gao et al. 2022 (arXiv 2210.10760)",
    ),
)  # fmt: skip

REMEDIES: Mapping[str, Remedy] = {remedy.name: remedy for remedy in _ALL}
TEXTS: Mapping[str, str] = {remedy.template: remedy.why for remedy in _ALL}
