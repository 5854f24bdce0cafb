"""A mixture of experts is trained apart from the engine that generates, and each chooses its own experts.

What it checks
    Whether the model's layers have experts, another engine generates, nothing repeats the engine's choice of experts in
    training (routing replay), and the correction between the two is of single tokens or not stated.

Why it matters
    With equal weights a tenth of the routers choose other experts in the other engine, and nearly every token passes
    through another one somewhere. A ratio of single tokens then varies without any update.

When it is wrong
    Where the distance of the two engines stays small over a run, as engines with the same kernels keep it.

What to try
    Turn on routing replay where the trainer has it. Else correct by sequence, in float32.

References
    Megatron-LM issue 4168: three of three runs without replay collapsed, none with it · R3 (arXiv 2510.11370).
"""

from diagnostics.model.outcome import Severity
from diagnostics.model.settings import Setting
from diagnostics.model.setup import Setup
from diagnostics.rules.config.config_rule import ConfigRule
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Quiet, RuleResult, english

OFF = ("disabled", "none", "off")
"""Names of a mode that repeats nothing."""


class Limits(RuleLimits):
    """What makes a mixture."""

    experts: int = limit(2, "experts", "by definition: one expert needs no router")


class PfMoeRouting(ConfigRule[Limits]):
    """Judges the routing of a mixture of experts whose samples come from another engine."""

    code = "PF802"
    name = "pf-moe-routing"
    grade = "P"
    source = "Megatron-LM issue 4168; R3 (arXiv 2510.11370)"
    inputs = ()
    limits = Limits()
    texts = english(
        fired="The model has {experts} experts a layer, another engine generates, and nothing repeats its choice of "
        "experts: both choose for themselves.",
        why="Training then passes each token through the experts that generated it.",
        unread="Whether the model is a mixture of experts is not known.",
        unread_enable="Name the model's folder, so that its config.json can be read.",
    )

    def applies(self, setup: Setup) -> bool:
        """Only where another engine generates: the trainer says so, or has a setting for repeating its routing."""
        has_replay = setup.settings.argument("routing_replay") is not None
        return super().applies(setup) and (setup.is_on("use_vllm") or has_replay)

    def check(self, setup: Setup, limits: Limits) -> RuleResult:
        experts = setup.number("experts") if setup.model.experts is None else setup.model.experts
        if experts is None:
            return self.skipped("unread")
        if experts < limits.experts or _is_replayed(setup) or setup.settings.corrects_sequences:
            return Quiet(float(experts), float(limits.experts), "experts")
        replay = setup.get("routing_replay") or Setting(setup.parameter("routing_replay"), None, "default")
        suggested = True if replay.value in (None, False) else None
        return self.fired(
            Severity.WARNING,
            replay,
            suggested=suggested,
            measured=float(experts),
            limit=float(limits.experts),
            unit="experts",
            experts=int(experts),
        )


def _is_replayed(setup: Setup) -> bool:
    replay = setup.get("routing_replay")
    return replay is not None and replay.is_on and str(replay.value).lower() not in OFF
