"""Metrics of the policy's entropy."""

from diagnostics.model.metric import Metric

POLICY_METRICS: tuple[Metric, ...] = (
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
)
