"""The vocabulary: every metric that rlvitals knows, under one name whatever the trainer calls it.

A canonical name says what is measured and, where units differ between trainers, per what: `kl_per_sequence` (nats
summed over a response) and `kl_per_token` (nats) are two metrics. A metric of one reward function carries its name
after a slash: `reward_func_mean/accuracy`. Evaluation metrics carry the prefix `eval/`.
"""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["scalar", "histogram"]
Section = Literal["reward", "kl", "update", "policy", "value", "length", "progress"]

_LOGGING_PAGE = "TRL logging page"
_OLD_LOGGING_PAGE = "TRL logging page of the old PPOTrainer"
_GRPO_PAGE = "TRL GRPO page, logged metrics"
_TRAINER = "transformers Trainer"


@dataclass(frozen=True, slots=True)
class Metric:
    """One entry of the vocabulary.

    `healthy` says in a few words what a good curve does; `low` and `high` bound the values that exist at all.
    `formula` is what the trainers' code computes; `slip` tells where the documents state something else;
    `source` is the page that defines it.
    """

    name: str
    title: str
    unit: str
    meaning: str
    section: Section
    healthy: str = ""
    formula: str = ""
    slip: str = ""
    low: float | None = None
    high: float | None = None
    kind: Kind = "scalar"
    source: str = _LOGGING_PAGE


METRICS: tuple[Metric, ...] = (
    # Reward
    Metric(
        "reward",
        "Reward",
        "reward",
        "Mean total reward of the completions: the primary objective of GRPO.",
        "reward",
        healthy="should rise",
        formula="mean over completions of Σ_f w_f·r_f",
        slip="The logging page says 'after group-wise normalization'; the code logs the raw weighted sum.",
    ),
    Metric(
        "reward_std",
        "Reward spread",
        "reward",
        "Standard deviation of the total reward before normalisation.",
        "reward",
        healthy="stays above 0",
        low=0,
        slip="Mean of the within-group deviations up to TRL 0.26, deviation over the whole batch from 0.27.",
    ),
    Metric(
        "reward_func_mean",
        "Reward function",
        "reward",
        "Mean reward of one named reward function, raw and unweighted.",
        "reward",
        healthy="should rise",
        formula="nan-mean of r_f over the batch",
    ),
    Metric(
        "reward_func_std",
        "Reward function spread",
        "reward",
        "Standard deviation of one named reward function.",
        "reward",
        healthy="stays above 0",
        low=0,
    ),
    Metric(
        "zero_std_fraction",
        "Groups without signal",
        "fraction",
        "Share of samples whose group got equal rewards, so that they give no gradient.",
        "reward",
        healthy="low",
        low=0,
        high=1,
        source=_GRPO_PAGE,
    ),
    Metric(
        "score",
        "Score",
        "reward",
        "Mean score given by the reward model or environment.",
        "reward",
        healthy="should rise",
    ),
    Metric(
        "score_std",
        "Score spread",
        "reward",
        "Standard deviation of the score.",
        "reward",
        healthy="stays above 0",
        low=0,
        source=_OLD_LOGGING_PAGE,
    ),
    Metric(
        "rlhf_reward",
        "RLHF reward",
        "reward",
        "Score and KL penalty together: the ultimate objective of RLHF training. It should keep going up.",
        "reward",
        healthy="should rise",
        formula="score + non_score_reward",
        slip="The logging page says 'score - non_score_reward'; it is logged negative, so the code adds it.",
    ),
    Metric(
        "non_score_reward",
        "KL penalty",
        "reward per sequence",
        "Mean reward that does not come from the score.",
        "reward",
        healthy="small against the score",
        formula="mean over sequences of Σ_t −kl_coef·kl_t",
        slip="The logging page says 'beta * kl.sum(1)'; the code logs its negative: below 0 where KL is above.",
    ),
    Metric(
        "non_score_reward_per_token",
        "KL penalty",
        "reward per token",
        "Mean negated KL penalty per token.",
        "reward",
        healthy="small against the score",
        formula="masked mean of −kl_coef·kl_t",
        slip="The old logging page says 'objective/kl * objective/kl_coef': wrong sign, off by the length.",
        source=_OLD_LOGGING_PAGE,
    ),
    Metric(
        "reward_distribution",
        "Reward distribution",
        "reward",
        "Histogram of the rewards.",
        "reward",
        kind="histogram",
        source=_OLD_LOGGING_PAGE,
    ),
    # KL
    Metric(
        "kl_per_sequence",
        "KL to the reference",
        "nats/sequence",
        "How far the policy is from the reference, summed over a response. It should stay positive, not too large.",
        "kl",
        healthy="0 to 10",
        formula="mean over sequences of Σ_t kl_t (k1: logp − ref_logp)",
    ),
    Metric(
        "kl_per_token",
        "KL to the reference",
        "nats/token",
        "How far the policy is from the reference, per token. Logged only where beta is not 0.",
        "kl",
        healthy="below 0.2",
        formula="masked mean of k3 = exp(ref − logp) − (ref − logp) − 1",
    ),
    Metric(
        "kl_coef",
        "KL coefficient",
        "",
        "Weight of the KL penalty.",
        "kl",
        healthy="steady",
        low=0,
        source=_OLD_LOGGING_PAGE,
    ),
    Metric(
        "kl_distribution",
        "KL distribution",
        "nats/sequence",
        "Histogram of the KL per sequence.",
        "kl",
        kind="histogram",
        source=_OLD_LOGGING_PAGE,
    ),
    Metric(
        "logprobs_distribution",
        "Log-probabilities",
        "nats",
        "Histogram under the policy.",
        "kl",
        kind="histogram",
        source=_OLD_LOGGING_PAGE,
    ),
    Metric(
        "ref_logprobs_distribution",
        "Reference log-probabilities",
        "nats",
        "Histogram under the reference.",
        "kl",
        kind="histogram",
        source=_OLD_LOGGING_PAGE,
    ),
    # Update
    Metric(
        "ratio_mean",
        "Probability ratio",
        "ratio",
        "Mean probability of the sampled tokens under the new policy over that under the old.",
        "update",
        healthy="near 1.0",
        formula="mean of exp(logp − old_logp)",
        low=0,
    ),
    Metric(
        "ratio_variance",
        "Ratio variance",
        "ratio²",
        "Variance of the probability ratio.",
        "update",
        healthy="near 0",
        low=0,
        slip="The logging page says 'variance of val/ratio'; TRL takes it over micro-batch means: NaN with one.",
    ),
    Metric(
        "ratio_max",
        "Largest ratio",
        "ratio",
        "Largest probability ratio of any token.",
        "update",
        healthy="below 2",
        low=0,
        source="rlvitals trainer",
    ),
    Metric(
        "ratio_distribution",
        "Ratio distribution",
        "ratio",
        "Histogram of the probability ratio.",
        "update",
        kind="histogram",
        source=_OLD_LOGGING_PAGE,
    ),
    Metric(
        "approx_kl",
        "Size of the update",
        "nats/token",
        "Approximate KL between consecutive policies; not the KL to the reference.",
        "update",
        healthy="below 0.03",
        formula="½·mean((logp − old_logp)²)",
        low=0,
    ),
    Metric(
        "policy_kl",
        "Size of the update (k1)",
        "nats/token",
        "Mean of old − new log-probability.",
        "update",
        healthy="near 0",
        source=_OLD_LOGGING_PAGE,
    ),
    Metric(
        "clip_fraction",
        "Clipped updates",
        "fraction",
        "Share of tokens whose policy update was clipped.",
        "update",
        healthy="below 0.3",
        formula="share of tokens whose clipped loss is the larger one",
        low=0,
        high=1,
    ),
    Metric(
        "clip_ratio",
        "Clip ratio",
        "fraction",
        "Share of clipped tokens (Liger GRPO loss).",
        "update",
        healthy="below 0.2",
        low=0,
        high=1,
    ),
    Metric(
        "clip_ratio_low_mean",
        "Clipped low",
        "fraction",
        "Share of tokens clipped at 1 − epsilon.",
        "update",
        healthy="low",
        low=0,
        high=1,
        formula="r < 1 − ε and advantage < 0",
    ),
    Metric(
        "clip_ratio_low_min",
        "Clipped low, least",
        "fraction",
        "Smallest share in any sequence.",
        "update",
        low=0,
        high=1,
        slip="The logging page says 'across batches/processes'; since TRL 1.9 it is over sequences.",
    ),
    Metric(
        "clip_ratio_high_mean",
        "Clipped high",
        "fraction",
        "Share of tokens clipped at 1 + epsilon_high.",
        "update",
        healthy="low",
        low=0,
        high=1,
        formula="r > 1 + ε_high and advantage > 0",
    ),
    Metric(
        "clip_ratio_high_max",
        "Clipped high, most",
        "fraction",
        "Largest share in any sequence.",
        "update",
        low=0,
        high=1,
        slip="The logging page says 'across batches/processes'; since TRL 1.9 it is over sequences.",
    ),
    Metric(
        "clip_ratio_region_mean",
        "Clipped updates",
        "fraction",
        "Share of tokens clipped at either bound.",
        "update",
        healthy="below 0.2",
        low=0,
        high=1,
    ),
    Metric("policy_loss", "Policy loss", "loss", "Mean policy loss.", "update", healthy="near 0"),
    Metric(
        "loss",
        "Loss",
        "loss",
        "The loss of the step. On-policy GRPO has a loss near 0 by construction.",
        "update",
        source=_TRAINER,
    ),
    Metric(
        "total_loss",
        "Total loss",
        "loss",
        "Policy loss and weighted value loss together.",
        "update",
        formula="policy_loss + vf_coef·value_loss",
        slip="The old logging page says 'sum' and omits vf_coef.",
        source=_OLD_LOGGING_PAGE,
    ),
    Metric(
        "grad_norm",
        "Gradient norm",
        "norm",
        "Norm of the gradient before clipping.",
        "update",
        healthy="steady",
        low=0,
        source=_TRAINER,
    ),
    Metric("learning_rate", "Learning rate", "", "Learning rate of the optimizer.", "update", low=0),
    Metric(
        "advantages_mean",
        "Advantages",
        "reward",
        "Mean advantage; whitening brings it near 0.",
        "update",
        healthy="near 0",
        source=_OLD_LOGGING_PAGE,
    ),
    Metric(
        "advantages_distribution",
        "Advantages",
        "reward",
        "Histogram of the advantages.",
        "update",
        kind="histogram",
        source=_OLD_LOGGING_PAGE,
    ),
    # Policy
    Metric(
        "entropy_per_token",
        "Entropy",
        "nats/token",
        "How random the next token is.",
        "policy",
        healthy="falls slowly",
        formula="masked mean of −Σ p·log p",
        low=0,
    ),
    Metric(
        "entropy_per_sequence",
        "Entropy per response",
        "nats/sequence",
        "Negative log-probability of the sampled responses, summed.",
        "policy",
        healthy="falls slowly",
        formula="mean over sequences of Σ_t −logp_t",
        slip="The logging page says 'mean entropy'; it is a sum, and TRL up to 1.9 adds −1 for each padding token.",
    ),
    # Value
    Metric(
        "value_loss",
        "Value loss",
        "loss",
        "Error of the value model; it spikes or is NaN when training goes wrong.",
        "value",
        healthy="falls and stays low",
        low=0,
    ),
    Metric(
        "value_clip_fraction",
        "Clipped value updates",
        "fraction",
        "Share of clipped value updates.",
        "value",
        healthy="low",
        low=0,
        high=1,
    ),
    Metric("value_mean", "Value", "reward", "Mean value estimate at rollout.", "value", source=_OLD_LOGGING_PAGE),
    Metric(
        "value_variance",
        "Value variance",
        "reward²",
        "Variance of the value estimates.",
        "value",
        low=0,
        source=_OLD_LOGGING_PAGE,
    ),
    Metric(
        "value_prediction",
        "New value",
        "reward",
        "Mean value prediction during the update.",
        "value",
        source=_OLD_LOGGING_PAGE,
    ),
    Metric(
        "value_error",
        "Value error",
        "reward²",
        "Mean squared error of the value predictions.",
        "value",
        healthy="falls",
        low=0,
        source=_OLD_LOGGING_PAGE,
    ),
    Metric(
        "explained_variance",
        "Explained variance",
        "fraction",
        "Share of the returns' variance the value explains.",
        "value",
        healthy="rises towards 1",
        formula="1 − Var(returns − values) / Var(returns)",
        high=1,
        source=_OLD_LOGGING_PAGE,
    ),
    Metric("returns_mean", "Returns", "reward", "Mean of advantages + values.", "value", source=_OLD_LOGGING_PAGE),
    Metric(
        "returns_variance",
        "Returns variance",
        "reward²",
        "Variance of the returns.",
        "value",
        low=0,
        source=_OLD_LOGGING_PAGE,
    ),
    # Length
    Metric("length_mean", "Completion length", "tokens", "Mean length of all completions.", "length", low=0),
    Metric("length_min", "Shortest completion", "tokens", "Minimum length of all completions.", "length", low=0),
    Metric("length_max", "Longest completion", "tokens", "Maximum length of all completions.", "length", low=0),
    Metric(
        "length_std",
        "Length spread",
        "tokens",
        "Standard deviation of the completion length.",
        "length",
        low=0,
        source=_OLD_LOGGING_PAGE,
    ),
    Metric(
        "truncated_fraction",
        "Cut-off completions",
        "fraction",
        "Share of completions that reached the length limit before an end token.",
        "length",
        healthy="below 0.1",
        low=0,
        high=1,
    ),
    Metric(
        "terminated_length_mean",
        "Ended length",
        "tokens",
        "Mean length of completions that ended; 0 when none did.",
        "length",
        low=0,
    ),
    Metric(
        "terminated_length_min",
        "Shortest ended",
        "tokens",
        "Minimum length of those that ended; 0 when none did.",
        "length",
        low=0,
    ),
    Metric(
        "terminated_length_max",
        "Longest ended",
        "tokens",
        "Maximum length of those that ended; 0 when none did.",
        "length",
        low=0,
    ),
    Metric(
        "eos_tokens",
        "End tokens",
        "tokens",
        "End-of-sequence tokens generated: the number of complete responses.",
        "length",
        healthy="near the batch size",
        low=0,
        slip="Counted on the local process only, on raw responses.",
    ),
    Metric(
        "query_length_mean",
        "Query length",
        "tokens",
        "Mean length of the queries.",
        "length",
        low=0,
        source=_OLD_LOGGING_PAGE,
    ),
    Metric(
        "query_length_std",
        "Query length spread",
        "tokens",
        "Standard deviation of the query length.",
        "length",
        low=0,
        source=_OLD_LOGGING_PAGE,
    ),
    Metric(
        "query_length_distribution",
        "Query lengths",
        "tokens",
        "Histogram of query lengths.",
        "length",
        kind="histogram",
        source=_OLD_LOGGING_PAGE,
    ),
    Metric(
        "length_distribution",
        "Response lengths",
        "tokens",
        "Histogram of response lengths.",
        "length",
        kind="histogram",
        source=_OLD_LOGGING_PAGE,
    ),
    # Progress
    Metric("episodes", "Episodes", "episodes", "Episodes so far.", "progress", low=0),
    Metric("episodes_per_second", "Speed", "episodes/s", "Episodes per second since the start.", "progress", low=0),
    Metric("epoch", "Epoch", "epochs", "Passes over the dataset so far.", "progress", low=0, source=_TRAINER),
    Metric(
        "tokens",
        "Tokens",
        "tokens",
        "Tokens processed so far.",
        "progress",
        low=0,
        slip="The logging page says 'input tokens'; the code counts prompt and completion tokens.",
    ),
    Metric(
        "step_time",
        "Step time",
        "s",
        "Seconds per optimizer step, generation included.",
        "progress",
        low=0,
        source=_GRPO_PAGE,
    ),
)

_BY_NAME = {metric.name: metric for metric in METRICS}
EVAL_PREFIX = "eval/"
PER_FUNCTION = frozenset({"reward_func_mean", "reward_func_std"})  # metrics of one reward function, named after a slash

CRUCIAL: dict[str, tuple[str, ...]] = {
    "ppo": (
        "score",
        "rlhf_reward",
        "non_score_reward",
        "value_loss",
        "ratio_mean",
        "clip_fraction",
        "approx_kl",
        "kl_per_sequence",
    ),
    "ppo-legacy": (
        "score",
        "score_std",
        "non_score_reward_per_token",
        "value_loss",
        "clip_fraction",
        "approx_kl",
        "kl_per_sequence",
        "kl_coef",
    ),
    "grpo": (
        "reward",
        "kl_per_token",
        "clip_ratio",
        "clip_ratio_region_mean",
        "truncated_fraction",
        "reward_func_mean",
    ),
}
"""The crucial values of the logging pages, by algorithm, in their order. A base name stands for all its functions."""
CRUCIAL["rloo"] = CRUCIAL["grpo"]

MAIN_REWARD: dict[str, tuple[str, ...]] = {
    "ppo": ("rlhf_reward", "score"),
    "ppo-legacy": ("score",),
    "grpo": ("reward",),
    "rloo": ("reward", "rlhf_reward"),
    "online-dpo": ("rlhf_reward", "score"),
}
"""The metric that should keep going up, by algorithm; the first that a run logs counts."""


def metric(name: str) -> Metric | None:
    """The entry for a canonical name, a reward function's too (`reward_func_mean/accuracy`); None for a raw tag."""
    base = name.removeprefix(EVAL_PREFIX)
    family = base.split("/", 1)[0]
    return _BY_NAME.get(family if family in PER_FUNCTION else base)
