"""Checks of the size and number of updates: learning rate, passes over the same answers, the form of the loss."""

import math

from diagnostics.model.algorithms import GROUP_FAMILY, PPO_FAMILY
from diagnostics.model.outcome import Severity
from diagnostics.model.setup import Setup
from diagnostics.rules.config.check import Check, Concern, Finding, Fine, Limit, Limits, fixed

_BILLION = 1e9
_SMALL_RATE = "too-small"


class LearningRateRange(Check):
    """The learning rate is outside of what models of this size are trained with.

    Typical are 1e-6 (GRPO), 3e-6 (PPO) and 3e-7 to 1e-6 for large models; a LoRA adapter takes ten times as much. The
    limits are those of models of a billion parameters and more. For a smaller one they are multiplied by the square
    root of (a billion / its parameters): a narrower model bears a higher rate in proportion to its width (arXiv
    2203.03466), and parameters grow with the square of the width. That scaling is ours and only a rule of thumb.
    Where the size is not known nothing here is critical. A rate of 0 trains nothing.
    """

    code = "PF201"
    name = "pf-lr-range"
    grade = "D"
    source = "TRL defaults; verl: 1e-5 or 1e-6; LoRA without regret: ten times as much"
    reads = ("learning_rate",)
    limits = fixed(
        {
            "warning": Limit(1e-5, "", "verl documentation: 1e-5 or 1e-6"),
            "critical": Limit(3e-5, "", "transformers' 5e-5 is for supervised training; public runs collapsed at it"),
            "adapter": Limit(10.0, "times", "LoRA without regret: ten times the rate of full training"),
            "adapter_least": Limit(3e-6, "", "LoRA without regret"),
            "scaled_below": Limit(
                _BILLION, "parameters", "engineering default: the published rates are for models this large"
            ),
        }
    )
    texts = fixed(
        {
            "fired": "{parameter} is {value}{origin}, above {limit}, the most that is usual for {size}.",
            "zero": "{parameter} is 0{origin}: no weight will move.",
            _SMALL_RATE: "{parameter} is {value}{origin}: an adapter hardly learns below {limit}.",
            "why": "A learning rate of the usual size keeps each update small enough for the clipping to be "
            "the exception.",
        }
    )

    def judge(self, setup: Setup, limits: Limits) -> Finding:
        setting = setup.known("learning_rate")
        if setting.number is None:
            return Fine()
        adapter = limits["adapter"] if setup.trains_an_adapter else 1.0
        factor = adapter * _bearing(setup.model.parameters, limits["scaled_below"])
        highest, deadly, rate = limits["warning"] * factor, limits["critical"] * factor, setting.number
        usual = None if setup.model.parameters is None else _two_digits(highest / 3)
        if rate == 0:
            return self.concern(Severity.WARNING, setting, key="zero", suggested=usual, limit=highest)
        if rate <= highest:
            least = limits["adapter_least"]
            if setup.trains_an_adapter and 0 < rate < least:
                return self.concern(
                    Severity.INFO, setting, key=_SMALL_RATE, suggested=_two_digits(least * 3), limit=least
                )
            return Fine(rate, highest)
        is_critical = rate > deadly and setup.model.parameters is not None
        return self.concern(
            Severity.CRITICAL if is_critical else Severity.WARNING,
            setting,
            suggested=usual,
            limit=deadly if is_critical else highest,
            size=_size(setup),
        )


class Epochs(Check):
    """Many passes over the same answers move the policy far from the one that wrote them.

    What is learned from them grows ever more off-policy; in Skywork-OR1 more off-policy steps ended in a faster
    collapse of entropy.
    """

    code = "PF202"
    name = "pf-epochs"
    grade = "F"
    source = "engineering default; Skywork-OR1 (arXiv 2505.22312): more off-policy, faster collapse of entropy"
    reads = ("epochs",)
    limits = fixed(
        {
            "passes": Limit(4, "passes", "TRL PPOConfig: num_ppo_epochs 4"),
            "updates": Limit(16, "updates of one generation", "engineering default"),
        }
    )
    texts = fixed(
        {
            "fired": "{parameter} is {value}{origin}: more than {limit} passes over the same answers.",
            "updates": "{parameter} is {value}: one generation is used for {updates} updates, more than {limit}.",
            "why": "Fewer passes let the policy move less before it writes new answers.",
        }
    )

    def judge(self, setup: Setup, limits: Limits) -> Finding:
        setting = setup.known("epochs")
        passes = setting.number or 1.0
        if passes > limits["passes"]:
            return self.concern(Severity.WARNING, setting, suggested=int(limits["passes"]), limit=limits["passes"])
        steps, updates = setup.get("steps_per_generation"), _updates_of_a_generation(setup)
        if steps is not None and updates > limits["updates"]:
            return self.concern(
                Severity.WARNING,
                steps,
                key="updates",
                measured=updates,
                limit=limits["updates"],
                updates=f"{updates:g}",
            )
        return Fine(passes, limits["passes"], "passes")


class OnPolicyNote(Check):
    """Each generation is used for one update: the probability ratio is 1, and clipping does nothing.

    The clip metrics will then be 0 and the clip range does not matter. That is no fault.
    """

    code = "PF203"
    name = "pf-on-policy-note"
    grade = "C"
    source = "TRL, grpo_trainer.py: the old log-probabilities are the current ones at the first update"
    reads = ("epochs",)
    texts = fixed(
        {
            "fired": "Each generation is used for one update only, so the clip metrics will be 0 and {clip} does not "
            "matter. "
            "That is no fault."
        }
    )

    def judge(self, setup: Setup, limits: Limits) -> Finding:
        epochs = setup.known("epochs")
        updates = (epochs.number or 1.0) * (setup.number("num_mini_batches") or 1.0)
        updates *= 1.0 if setup.algorithm in PPO_FAMILY else _updates_of_a_generation(setup) / (epochs.number or 1.0)
        if updates > 1:
            return Fine(updates, 1.0, "updates")
        return self.concern(Severity.INFO, epochs, measured=updates, limit=1.0, clip=setup.parameter("epsilon"))


class SequenceRatio(Check):
    """The importance ratio is that of whole sequences (GSPO), but the loss or its clip range is made for tokens.

    A sequence's ratio is a mean over its tokens and stays very near to 1: GSPO clips it at 3e-4 and 4e-4, and a range
    of 0.2 never clips. Its loss is averaged over sequences, TRL's `grpo`.
    """

    code = "PF204"
    name = "pf-gspo"
    grade = "P"
    source = "GSPO (arXiv 2507.18071); TRL's own warning"
    reads = ("importance_sampling_level",)
    algorithms = frozenset({"grpo"})
    limits = fixed({"epsilon": Limit(0.01, "", "GSPO: 3e-4 and 4e-4; engineering default well above them")})
    texts = fixed(
        {
            "fired": "{parameter} is {value} with {loss}: GSPO averages over sequences, loss_type grpo.",
            "wide": "{parameter} is {value}{origin} with ratios of sequences: they stay so near to 1 that nothing is "
            "ever clipped.",
            "why": "That is what GSPO was published with.",
        }
    )

    def judge(self, setup: Setup, limits: Limits) -> Finding:
        level, loss, epsilon = setup.known("importance_sampling_level"), setup.get("loss_type"), setup.get("epsilon")
        if not str(level.value).startswith("sequence"):
            return Fine()
        if loss is not None and loss.value != "grpo":
            found = self.concern(Severity.WARNING, loss, suggested="grpo")
            message = self.say(
                "fired", parameter=level.parameter, value=str(level.value), loss=f"loss_type {loss.value}"
            )
            return Concern(found.severity, message, (level.parameter, loss.parameter), fixes=found.fixes)
        if epsilon is not None and epsilon.number is not None and epsilon.number > limits["epsilon"]:
            return self.concern(Severity.WARNING, epsilon, key="wide", suggested=3e-4, limit=limits["epsilon"])
        return Fine()


class LossType(Check):
    """Each answer's loss is divided by its own length: long wrong answers become cheap.

    With long chains of thought that is an incentive to ramble when wrong (Dr. GRPO).
    """

    code = "PF205"
    name = "pf-loss-type"
    grade = "P"
    source = "TRL documentation of loss_type; Dr. GRPO (arXiv 2503.20783)"
    reads = ("loss_type", "max_tokens")
    algorithms = frozenset({"grpo"})
    limits = fixed({"long": Limit(1024, "tokens", "engineering default: room for a chain of thought")})
    texts = fixed(
        {
            "fired": "{parameter} is {value}{origin} with answers of up to {tokens} tokens: long wrong answers are "
            "punished less.",
            "why": "dr_grpo and dapo divide by what does not depend on the single answer.",
        }
    )

    def judge(self, setup: Setup, limits: Limits) -> Finding:
        setting, longest = setup.known("loss_type"), setup.number("max_tokens") or 0.0
        if setting.value != "grpo" or longest < limits["long"]:
            return Fine(longest, limits["long"], "tokens")
        return self.concern(
            Severity.INFO, setting, suggested="dr_grpo", measured=longest, limit=limits["long"], unit="tokens",
            tokens=f"{longest:g}",
        )  # fmt: skip


class Dropout(Check):
    """Dropout stays on: the same weights give other probabilities each time they are asked.

    The KL at the first step is not 0, and ratios are not 1 although nothing has moved.
    """

    code = "PF206"
    name = "pf-dropout"
    grade = "D"
    source = "TRL GRPOConfig: disable_dropout; TRL issue 3500"
    reads = ("disable_dropout",)
    texts = fixed(
        {
            "fired": "The model has dropout of {dropout} and {parameter} is {value}{origin}: {compared} of the same "
            "weights differ.",
            "unread": "Whether the model has dropout is not known: its config.json was not found.",
            "unread.enable": "Name the model's folder.",
            "why": "Without dropout the same weights give the same probabilities.",
        }
    )

    def judge(self, setup: Setup, limits: Limits) -> Finding:
        setting, dropout = setup.known("disable_dropout"), setup.model.dropout
        if setting.is_on:
            return Fine(0.0)
        if dropout is None:
            return self.unknown("unread", "unread.enable")
        compares = bool(setup.kl_weight) or _updates_of_a_generation(setup) > 1
        if dropout <= 0 or not compares:
            return Fine(dropout)
        compared = "policy and reference" if setup.kl_weight else "the probabilities"
        return self.concern(
            Severity.WARNING, setting, suggested=True, measured=dropout, dropout=f"{dropout:g}", compared=compared
        )


def _bearing(parameters: float | None, scaled_below: float) -> float:
    """How many times the published rate a model of this size bears."""
    return 1.0 if parameters is None else max(1.0, math.sqrt(scaled_below / parameters))


def _two_digits(value: float) -> float:
    return float(f"{value:.1g}")


def _size(setup: Setup) -> str:
    count = setup.model.parameters
    kind = "a LoRA adapter on " if setup.trains_an_adapter else ""
    if count is None:
        return f"{kind}a model of a billion parameters (this one's size is not known)"
    for unit, size in (("billion", 1e9), ("million", 1e6), ("thousand", 1e3)):
        if count >= size:
            return f"{kind}a model of {count / size:.3g} {unit} parameters"
    return f"{kind}a model of {count:g} parameters"


def _updates_of_a_generation(setup: Setup) -> float:
    """Updates made from one generation, of the algorithms with groups."""
    accumulated = setup.number("gradient_accumulation_steps") or 1.0
    steps = setup.number("steps_per_generation") or accumulated
    return (setup.number("epochs") or 1.0) * max(1.0, steps / accumulated) if setup.algorithm in GROUP_FAMILY else 1.0
