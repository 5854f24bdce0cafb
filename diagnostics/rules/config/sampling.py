"""Checks of how completions are sampled: from the policy as it is scored, or from something else."""

from typing import Any

from diagnostics.model.algorithms import GROUP_FAMILY
from diagnostics.model.outcome import Severity
from diagnostics.model.setup import Setup
from diagnostics.rules.config.check import Check, Finding, Fine, Limit, Limits, fixed

FAQ = "TRL training FAQ: how to generate text for training"
_WHOLE_VOCABULARY = (-1.0, 0.0)


class TopK(Check):
    """Only the k likeliest tokens are sampled, but log-probabilities are those of the whole vocabulary.

    Answers then come from another distribution than the one that is scored: the KL estimate can become negative and
    is rewarded for it, and importance ratios are biased. What counts is the value that reaches `generate`: TRL's GRPO
    had a default of 50 in versions 0.16 and 0.17, and where a trainer says nothing the model's generation_config.json
    does.
    """

    code = "PF301"
    name = "pf-top-k"
    grade = "S"
    source = f"{FAQ}; TRL issue 6789"
    reads = ("top_k",)
    texts = fixed(
        {
            "fired": "{parameter} is {value}{origin}: answers are sampled from a cut distribution and scored by the "
            "whole one, "
            "which can make the KL negative.",
            "why": "Sampling from the whole vocabulary is what the log-probabilities are of.",
        }
    )

    def judge(self, setup: Setup, limits: Limits) -> Finding:
        setting = setup.known("top_k")
        if setting.number is None or setting.number in _WHOLE_VOCABULARY:
            return Fine(setting.number)
        neutral = setup.settings.neutral.get("top_k", 0)
        return self.concern(Severity.WARNING, setting, suggested=neutral)


class TopP(Check):
    """Only the likeliest tokens that make up a probability are sampled, but all are scored.

    Nucleus sampling never draws the tail that the log-probabilities include, so that KL and importance ratios are
    those of another distribution.
    """

    code = "PF302"
    name = "pf-top-p"
    grade = "S"
    source = FAQ
    reads = ("top_p",)
    limits = fixed({"whole": Limit(1.0, "", "TRL training FAQ: top_p 1.0")})
    texts = fixed(
        {
            "fired": "{parameter} is {value}{origin}: the tail of the distribution is scored but never sampled.",
            "why": "1.0 samples from the distribution that is scored.",
        }
    )

    def judge(self, setup: Setup, limits: Limits) -> Finding:
        setting = setup.known("top_p")
        if setting.number is None or setting.number >= limits["whole"]:
            return Fine(setting.number, limits["whole"])
        return self.concern(Severity.WARNING, setting, suggested=1.0, limit=limits["whole"])


class MinP(Check):
    """Tokens below a share of the likeliest one's probability are never sampled, but they are scored.

    The same bias as with top_k and top_p, with a cut that depends on the likeliest token.
    """

    code = "PF303"
    name = "pf-min-p"
    grade = "S"
    source = FAQ
    reads = ("min_p",)
    texts = fixed(
        {
            "fired": "{parameter} is {value}{origin}: unlikely tokens are scored but never sampled.",
            "why": "0 samples from the distribution that is scored.",
        }
    )

    def judge(self, setup: Setup, limits: Limits) -> Finding:
        setting = setup.known("min_p")
        if not setting.number or setting.number < 0:
            return Fine(setting.number)
        return self.concern(Severity.WARNING, setting, suggested=0.0)


class RepetitionPenalty(Check):
    """A repetition penalty samples from a distribution that depends on what was said before.

    The log-probabilities know nothing of it. In ms-swift issue 3582 a penalty of 1.1 with top_k 50 and top_p 0.9 ended
    in gibberish.
    """

    code = "PF304"
    name = "pf-repetition-penalty"
    grade = "I"
    source = "ms-swift issue 3582"
    reads = ("repetition_penalty",)
    limits = fixed({"off": Limit(1.0, "", "transformers GenerationConfig: 1.0 is off")})
    texts = fixed(
        {
            "fired": "{parameter} is {value}{origin}: answers come from a distribution that is not the one scored.",
            "why": "1.0 switches the penalty off; pay for repetition in the reward instead.",
        }
    )

    def judge(self, setup: Setup, limits: Limits) -> Finding:
        setting = setup.known("repetition_penalty")
        if setting.number is None or setting.number == limits["off"]:
            return Fine(setting.number, limits["off"])
        return self.concern(Severity.WARNING, setting, suggested=1.0, limit=limits["off"])


class Grammar(Check):
    """Answers are forced into a form, while KL or importance sampling compare them with free ones.

    A forced token may have next to no probability under the policy itself: a public GRPO log with a grammar begins at a
    KL of 10,833 nats.
    """

    code = "PF305"
    name = "pf-grammar"
    grade = "I"
    source = "a public GRPO log with grammar-constrained decoding: KL 10,833 at step 1, reward 0"
    reads = ("grammar",)
    texts = fixed(
        {
            "fired": "{parameter} forces the form of answers while {compared} compares them with free ones.",
            "why": "Without a forced form the policy learns it by itself, from the reward.",
        }
    )

    def judge(self, setup: Setup, limits: Limits) -> Finding:
        setting = setup.known("grammar")
        compared = [
            *(["the KL penalty"] if setup.kl_weight else []),
            *(["importance sampling"] if setup.is_on("use_vllm") and setup.is_on("is_correction") else []),
        ]
        if not setting.is_on or not compared:
            return Fine()
        return self.concern(Severity.WARNING, setting, compared=" and ".join(compared))


class Greedy(Check):
    """The likeliest token is taken, or nearly so: nothing is explored, and answers to one prompt are all alike.

    Groups of equal answers have equal rewards and teach nothing; for GRPO that is the end of learning. In unsloth issue
    4189 a temperature of 0.1 was enough.
    """

    code = "PF501"
    name = "pf-greedy"
    grade = "S"
    source = f"{FAQ}; unsloth issue 4189"
    reads = ("temperature",)
    limits = fixed({"temperature": Limit(0.3, "", "unsloth issue 4189 at 0.1; engineering default above it")})
    texts = fixed(
        {
            "fired": "{parameter} is {value}{origin}, below {limit}: next to nothing is explored, and answers to one "
            "prompt are alike.",
            "off": "{parameter} is {value}{origin}: the likeliest token is always taken, so that nothing is explored.",
            "why": "Sampling at temperature 1 explores what the policy itself finds possible.",
        }
    )

    def judge(self, setup: Setup, limits: Limits) -> Finding:
        severity = Severity.CRITICAL if setup.algorithm in GROUP_FAMILY else Severity.WARNING
        sampling, temperature = setup.get("do_sample"), setup.known("temperature")
        if sampling is not None and not sampling.is_on:
            return self.concern(severity, sampling, key="off", suggested=True, measured=0.0)
        lowest = limits["temperature"]
        if temperature.number is None or temperature.number >= lowest:
            return Fine(temperature.number, lowest)
        return self.concern(severity, temperature, suggested=1.0, limit=lowest)


class TemperatureHigh(Check):
    """A high temperature samples much that the policy itself finds unlikely.

    Answers become noise before the reward can tell them apart.
    """

    code = "PF502"
    name = "pf-temp-high"
    grade = "F"
    source = "engineering default"
    reads = ("temperature",)
    limits = fixed({"highest": Limit(1.5, "", "engineering default")})
    texts = fixed(
        {
            "fired": "{parameter} is {value}{origin}: at such a temperature answers soon turn into noise.",
            "why": "1.0 is the policy's own distribution.",
        }
    )

    def judge(self, setup: Setup, limits: Limits) -> Finding:
        setting = setup.known("temperature")
        if setting.number is None or setting.number <= limits["highest"]:
            return Fine(setting.number, limits["highest"])
        return self.concern(Severity.INFO, setting, suggested=1.0, limit=limits["highest"])


class MinLength(Check):
    """The end of an answer is forbidden for some tokens, so that the probability of the end token is free to vanish.

    While the end token may not be drawn, its log-probability is scored all the same: the policy can push it to nothing
    and make the KL negative, which is rewarded.
    """

    code = "PF601"
    name = "pf-min-length"
    grade = "S"
    source = FAQ
    reads = ("min_new_tokens",)
    texts = fixed(
        {
            "fired": "{parameter} is {value}{origin}: the end token is forbidden but scored, which can make the KL "
            "negative.",
            "suppressed": "{parameter} forbids the end token{origin}: no answer can end.",
            "why": "An answer that may end at any time keeps the end token's probability honest.",
        }
    )

    def judge(self, setup: Setup, limits: Limits) -> Finding:
        suppressed = setup.get("suppress_tokens")
        if suppressed is not None and set(_ids(suppressed.value)) & set(setup.model.eos_token_ids):
            return self.concern(Severity.WARNING, suppressed, key="suppressed")
        setting = setup.known("min_new_tokens")
        if setting.number is None or setting.number <= 0:
            return Fine(setting.number)
        return self.concern(Severity.WARNING, setting, suggested=0)


def _ids(value: Any) -> list[int]:
    return [item for item in value if isinstance(item, int)] if isinstance(value, list | tuple) else []
