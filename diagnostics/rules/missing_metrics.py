"""Why a metric is missing from a run's log, and how to get it logged."""

from collections.abc import Mapping

from diagnostics.model.messages import Message
from diagnostics.model.run import Run
from diagnostics.rules.rule import Skipped

TEXTS: Mapping[str, str] = {
    "missing.any": "The log has no metric at all.",
    "missing.any.enable": "Train beyond the first logged step.",
    "missing.metric": "The log has no metric {names}.",
    "missing.metric.enable": "Log {names}.",
    "missing.metrics": "The log has none of these metrics: {names}.",
    "missing.metrics.enable": "Log one of {names}.",
    "missing.kl-off": "KL to the reference is not logged without a penalty on it (beta = 0).",
    "missing.kl-off.enable": "Set beta above 0; in verl, switch use_kl_loss on.",
    "missing.kl-grpo": "KL to the reference is not logged; trainers log it only when beta is not 0.",
    "missing.kl-grpo.enable": "Set beta above 0.",
    "missing.ratio-histogram": "The mean ratio is not logged; the old PPOTrainer logs its histogram, and only to W&B.",
    "missing.ratio-histogram.enable": "Use update-too-large and clipfrac-high, which judge the same updates.",
    "missing.clip-liger": "Clip ratios are not logged; trainers log them for losses grpo, bnpo, dr_grpo and dapo.",
    "missing.clip-liger.enable": "Use one of these loss types.",
    "missing.zero-std-batch": "The share of groups without signal is taken over the batch here, so it is 0 or 1.",
    "missing.zero-std-batch.enable": "Set scale_rewards to group, with the default multi_objective_aggregation.",
    "missing.zero-std-rloo": "RLOO logs the share of groups without signal after the KL penalty, so it is about 0.",
    "missing.zero-std-rloo.enable": "Set beta to 0.",
    "missing.unseen-ends": "Answers count as cut off that are shorter than the length limit: they end on a token that "
    "the trainer does not know as an end, so that the share of cut-off answers says nothing.",
    "missing.unseen-ends.enable": "Name every end token in the model's generation_config (see eos-id-mismatch).",
}
ABSENT = frozenset({"missing.kl-off"})
"""Reasons why a rule does not apply at all: without a penalty there is no KL to watch."""
GDPO = "normalize_then_sum"  # each reward function is normalised on its own, then the batch
MOST_NAMES = 3  # alternatives that a sentence names


def why_missing(names: tuple[str, ...], run: Run) -> Skipped:
    """Why a run logs none of these metrics, when a rule needs one of them, and what would enable it."""
    if not run.series:
        return Skipped(Message("missing.any"), Message("missing.any.enable"))
    special = _special(names, run)
    if special:
        return Skipped(Message(special), Message(f"{special}.enable"), applies=special not in ABSENT)
    template = "missing.metric" if len(names) == 1 else "missing.metrics"
    values = {"names": ", ".join(names[:MOST_NAMES]) + (", …" if len(names) > MOST_NAMES else "")}
    return Skipped(Message(template, values), Message(f"{template}.enable", values))


def why_not_per_group(run: Run) -> Skipped | None:
    """Why `frac_reward_zero_std` does not count groups in this run; None where it does."""
    template = None
    if run.settings.value("scale_rewards") == "batch" or run.settings.value("reward_aggregation") == GDPO:
        template = "missing.zero-std-batch"
    elif run.algorithm == "rloo" and run.settings.kl_weight != 0:
        template = "missing.zero-std-rloo"
    return Skipped(Message(template), Message(f"{template}.enable")) if template else None


def unseen_ends() -> Skipped:
    """Why the share of cut-off completions says nothing in a run for which `ended_unseen` holds."""
    return Skipped(Message("missing.unseen-ends"), Message("missing.unseen-ends.enable"))


def _special(names: tuple[str, ...], run: Run) -> str | None:
    if "kl_per_token" in names and run.settings.kl_weight == 0:
        return "missing.kl-off"
    if "kl_per_token" in names and run.algorithm in ("grpo", "rloo"):
        return "missing.kl-grpo"
    if "ratio_mean" in names and run.algorithm == "ppo-legacy":
        return "missing.ratio-histogram"
    if "clip_ratio_region_mean" in names and run.algorithm == "grpo":
        return "missing.clip-liger"
    return None
