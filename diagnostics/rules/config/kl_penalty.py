"""Checks of the KL penalty."""

from diagnostics.model.algorithms import PPO_FAMILY
from diagnostics.model.outcome import Severity
from diagnostics.model.setup import Setup
from diagnostics.rules.config.check import Check, Finding, Fine, Limit, Limits, fixed


class KlOff(Check):
    """Nothing holds the policy near the reference model.

    Against a learned reward model it will find what the model likes by mistake (over-optimisation). Where answers are
    checked for being right there is less to exploit, and many train without.
    """

    code = "PF306"
    name = "pf-kl-off"
    grade = "P"
    source = "Gao et al. 2022 (arXiv 2210.10760); Secrets of RLHF I (arXiv 2307.04964)"
    reads = ("kl_weight",)
    texts = fixed(
        {
            "fired": "{parameter} is {value}{origin} with a learned reward: nothing holds the policy back from "
            "what the "
            "reward "
            "likes by mistake.",
            "verified": "{parameter} is {value}{origin}: no KL to the reference, and none is logged. Usual "
            "where answers "
            "are "
            "checked; with a learned reward it invites over-optimisation.",
            "why": "A small penalty holds the policy near the reference, and lets its KL be seen.",
        }
    )

    def judge(self, setup: Setup, limits: Limits) -> Finding:
        if setup.kl_weight != 0:
            return Fine(setup.kl_weight)
        is_learned = setup.learns_from_a_model is True
        return self.concern(
            Severity.WARNING if is_learned else Severity.INFO,
            setup.known("kl_weight"),
            key="fired" if is_learned else "verified",
            suggested=0.05 if setup.algorithm in PPO_FAMILY else 0.04,
            measured=0.0,
        )


class KlScale(Check):
    """The KL penalty is out of proportion to the scores: it drowns them, or holds nothing.

    Compared are scores that differ by about 1 and the penalty of an answer of full length at 0.2 nats per token, which
    is what the documents' bound of 10 nats comes to for the lengths of their examples.
    """

    code = "PF307"
    name = "pf-kl-scale"
    grade = "F"
    source = "engineering default; TRL training FAQ: keep the KL between 0 and 10"
    reads = ("kl_weight", "max_tokens")
    algorithms = frozenset({"ppo", "ppo-legacy", "rloo"})
    limits = fixed(
        {
            "most": Limit(3.0, "times the deviation of the scores", "engineering default"),
            "least": Limit(0.01, "times the deviation of the scores", "engineering default"),
            "kl": Limit(0.2, "nats/token", "TRL training FAQ: 10 nats for answers of about 50 tokens"),
            "score_deviation": Limit(1.0, "", "engineering default: not known before the training"),
        }
    )
    texts = fixed(
        {
            "fired": "{parameter} {value} × {kl} nats × {tokens} tokens is a penalty of {penalty}: it drowns "
            "scores that "
            "differ "
            "by about {deviation}.",
            "weak": "{parameter} {value} × {kl} nats × {tokens} tokens is a penalty of {penalty}: next to scores that "
            "differ by "
            "about {deviation} it holds nothing.",
            "why": "A penalty of about a tenth of what the scores differ by holds without deciding.",
        }
    )

    def judge(self, setup: Setup, limits: Limits) -> Finding:
        setting, tokens = setup.known("kl_weight"), setup.number("max_tokens")
        if not setting.number or tokens is None:
            return Fine(setting.number)
        penalty = setting.number * limits["kl"] * tokens / limits["score_deviation"]
        if limits["least"] <= penalty <= limits["most"]:
            return Fine(penalty, limits["most"])
        is_weak = penalty < limits["least"]
        return self.concern(
            Severity.INFO,
            setting,
            key="weak" if is_weak else "fired",
            suggested=float(f"{setting.number * 0.1 / penalty:.1g}"),
            measured=penalty,
            limit=limits["least"] if is_weak else limits["most"],
            kl=f"{limits['kl']:g}",
            tokens=f"{tokens:g}",
            penalty=f"{penalty:.2g}",
            deviation=f"{limits['score_deviation']:g}",
        )
