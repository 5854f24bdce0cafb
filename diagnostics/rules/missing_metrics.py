"""Why a metric is missing from a run's log, and how to get it logged: in the words of the run's producer."""

from collections.abc import Mapping

from diagnostics.model.messages import Message, Value
from diagnostics.model.quirks import Quirk
from diagnostics.model.run import Run, what_to_log
from diagnostics.model.settings import Settings
from diagnostics.rules.rule import Skipped

TEXTS: Mapping[str, str] = {
    "missing.any": "The log has no metric at all.",
    "missing.any.enable": "Train beyond the first logged step.",
    "missing.metric": "The log has no metric {names}.",
    "missing.metric.enable": "Log {names}.",
    "missing.metrics": "The log has none of these metrics: {names}.",
    "missing.metrics.enable": "Log one of {names}.",
    "missing.unused": "The log has {tag}, but it is not used: {what}.",
    "missing.of-samples.enable": "Log completions with their rewards{setting}.",
    "missing.kl-off": "KL to the reference is not logged without a penalty on it, and there is none.",
    "missing.kl-grpo": "KL to the reference is not logged; trainers log it only where there is a penalty on it.",
    "missing.kl.enable": "Log the KL to the reference.",
    "missing.kl.enable-weight": "Set {argument} above 0.",
    "missing.kl.enable-switch": "Switch {argument} on.",
    "missing.ratio-histogram": "The mean ratio is not logged; the old PPOTrainer logs its histogram, and only to W&B.",
    "missing.ratio-histogram.enable": "Use update-too-large and clipfrac-high, which judge the same updates.",
    "missing.clip-liger": "Clip ratios are not logged; trainers log them for losses grpo, bnpo, dr_grpo and dapo.",
    "missing.clip-liger.enable": "Use one of these loss types.",
    "missing.engine-unit": "The distance between the two engines is logged in another unit: {names}.",
    "missing.engine-unit.enable": "Log the mean absolute difference of the log-probabilities in the two engines.",
    "missing.zero-std-batch": "The share of groups without signal is taken over the batch here, so it is 0 or 1.",
    "missing.zero-std-batch.enable": "Log completions with their rewards, which show it for each group{setting}.",
    "missing.zero-std-rloo": "RLOO logs the share of groups without signal after the KL penalty, so it is about 0.",
    "missing.zero-std-rloo.enable": "Log completions with their rewards, which show it for each group{setting}.",
    "missing.setting": " ({argument})",
    "missing.unseen-ends": "Answers count as cut off that are shorter than the length limit: they end on a token that "
    "the trainer does not know as an end, so that the share of cut-off answers says nothing.",
    "missing.unseen-ends.enable": "Name every end token in the model's generation_config (see eos-id-mismatch).",
}
ABSENT = frozenset({"missing.kl-off"})
"""Reasons why a rule does not apply at all: without a penalty there is no KL to watch."""
KL_REASONS = frozenset({"missing.kl-off", "missing.kl-grpo"})
GDPO = "normalize_then_sum"  # each reward function is normalised on its own, then the batch
MOST_NAMES = 3  # alternatives that a sentence names
ENGINE_DISTANCES = (
    "engine_probability_difference",
    "engine_probability_ratio_error",
    "engine_kl",
    "engine_kl_k1",
    "engine_log_perplexity_difference",
)
"""Units other than nats per token of mean absolute difference, in which the distance between engines is logged."""
OF_SAMPLES = frozenset({"reward_std", "score_std", "zero_std_fraction"})
"""What follows from completions with their rewards, whatever else they hold."""
SAMPLES = ("log_completions", "num_completions_to_log", "sample_generations")
"""Settings by which completions are logged."""


def why_missing(names: tuple[str, ...], run: Run) -> Skipped:
    """Why a run logs none of these metrics, when a rule needs one of them, and what would enable it.

    Metrics go by the producer's tags, and by their titles and in words where it has none for any of them.
    """
    if not run.series:
        return Skipped(Message("missing.any"), Message("missing.any.enable"))
    if "engine_logprob_difference" in names and (others := engine_distances(run)):
        values = {"names": ", ".join(run.names_of(others))}
        return Skipped(Message("missing.engine-unit", values), Message("missing.engine-unit.enable"))
    special = _special(names, run)
    if special in KL_REASONS:
        return Skipped(Message(special), _kl_penalty(run.settings), applies=special not in ABSENT)
    if special:
        return Skipped(Message(special), Message(f"{special}.enable"))
    if unused := next((run.unused[name] for name in names if name in run.unused), None):
        return Skipped(Message("missing.unused", {"tag": unused.tag, "what": unused.why}), _to_enable(names, run))
    return Skipped(_of_names(run.names_of(names)), _to_enable(names, run))


def _to_enable(names: tuple[str, ...], run: Run) -> Message:
    """What to log: a tag that the producer has and does not use here is no help."""
    tags = () if any(name in run.unused for name in names) else run.tags_for(names)
    setting = samples_setting(run.settings)
    has_samples = bool(run.samples.steps) or Quirk.SELECTS_SAMPLES in run.quirks
    if not tags and setting and not has_samples and not OF_SAMPLES.isdisjoint(names):
        return Message("missing.of-samples.enable", {"setting": setting})
    return _of_names(tags or tuple(dict.fromkeys(map(what_to_log, names))), ".enable")


def _of_names(names: tuple[str, ...], end: str = "") -> Message:
    template = "missing.metric" if len(names) == 1 else "missing.metrics"
    listed = ", ".join(names[:MOST_NAMES]) + (", …" if len(names) > MOST_NAMES else "")
    return Message(template + end, {"names": listed})


def in_brackets(settings: Settings, *names: str) -> Message | Value:
    """The producer's argument for the first of these settings that it has, after a sentence: " (log_completions)"."""
    argument = next((found for name in names if (found := settings.argument(name))), None)
    return Message("missing.setting", {"argument": argument}) if argument else ""


def samples_setting(settings: Settings) -> Message | Value:
    """The same for the setting by which completions are logged."""
    return in_brackets(settings, *SAMPLES)


def engine_distances(run: Run) -> tuple[str, ...]:
    """The distances between rollout engine and trainer that a run logs in other units; a limit belongs to one."""
    return tuple(name for name in ENGINE_DISTANCES if name in run.series)


def _kl_penalty(settings: Settings) -> Message:
    """How the producer is told to compute the KL to the reference."""
    if switch := settings.argument("use_kl_loss"):
        return Message("missing.kl.enable-switch", {"argument": switch})
    weight = settings.argument("kl_weight")
    return Message("missing.kl.enable-weight", {"argument": weight}) if weight else Message("missing.kl.enable")


def why_not_per_group(run: Run) -> Skipped | None:
    """Why `frac_reward_zero_std` does not count groups in this run; None where it does."""
    template = None
    if run.settings.value("scale_rewards") == "batch" or run.settings.value("reward_aggregation") == GDPO:
        template = "missing.zero-std-batch"
    elif run.algorithm == "rloo" and run.settings.kl_weight != 0:
        template = "missing.zero-std-rloo"
    if template is None:
        return None
    setting = {"setting": samples_setting(run.settings)}
    return Skipped(Message(template), Message(f"{template}.enable", setting))


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
    if "clip_ratio_region_mean" in names and run.algorithm == "grpo" and "clip_ratio_region_mean" in run.tags:
        return "missing.clip-liger"
    return None
