"""Why a metric is not in a run's log, and what would bring it there."""

from collections.abc import Mapping

from diagnostics.messages import Message
from diagnostics.rules.rule import Input
from diagnostics.run import Run

TEXTS: Mapping[str, str] = {
    "missing.metric": "The log has no metric {names}.",
    "missing.metric.enable": "Log {names}.",
    "missing.metrics": "The log has none of these metrics: {names}.",
    "missing.metrics.enable": "Log one of {names}.",
    "missing.kl-off": "KL to the reference is not logged when beta = 0.",
    "missing.kl-off.enable": "Set beta above 0.",
    "missing.kl-grpo": "KL to the reference is not logged; trainers log it only when beta is not 0.",
    "missing.kl-grpo.enable": "Set beta above 0.",
    "missing.ratio-histogram": "The mean ratio is not logged; the old PPOTrainer logs its histogram, and only to W&B.",
    "missing.ratio-histogram.enable": "Use update-too-large and clipfrac-high, which judge the same updates.",
    "missing.clip-liger": "Clip ratios are not logged; trainers log them for losses grpo, bnpo, dr_grpo and dapo.",
    "missing.clip-liger.enable": "Use one of these loss types.",
}
FEW = 3  # names of alternatives that a sentence can bear


def why_missing(item: Input, run: Run) -> tuple[Message, Message]:
    """The reason and what would enable it, for a rule's input that the run does not log."""
    names = (item,) if isinstance(item, str) else item
    special = _special(names, run)
    if special:
        return Message(special), Message(f"{special}.enable")
    template = "missing.metric" if len(names) == 1 else "missing.metrics"
    values = {"names": ", ".join(names[:FEW]) + (", …" if len(names) > FEW else "")}
    return Message(template, values), Message(f"{template}.enable", values)


def _special(names: tuple[str, ...], run: Run) -> str | None:
    if "kl_per_token" in names and run.algorithm in ("grpo", "rloo"):
        return "missing.kl-off" if run.config.get("beta") == 0 else "missing.kl-grpo"
    if "ratio_mean" in names and run.algorithm == "ppo-legacy":
        return "missing.ratio-histogram"
    if "clip_ratio_region_mean" in names and run.algorithm == "grpo":
        return "missing.clip-liger"
    return None
