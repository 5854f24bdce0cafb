"""Metrics of the KL divergence to the reference."""

from diagnostics.model.metric import Metric
from diagnostics.model.vocabulary.sources import OLD_LOGGING_PAGE

KL_METRICS: tuple[Metric, ...] = (
    Metric(
        "kl_per_sequence",
        "KL to the reference",
        "nats/sequence",
        "How far the policy is from the reference, summed over a response. It should stay positive, not too large.",
        "kl",
        healthy="0 to 10",
        to_log="the KL to the reference per answer",
        formula="mean over sequences of Σ_t kl_t (k1: logp − ref_logp)",
    ),
    Metric(
        "kl_per_token",
        "KL to the reference",
        "nats/token",
        "How far the policy is from the reference, per token. Logged only where beta is not 0.",
        "kl",
        healthy="below 0.2",
        to_log="the KL to the reference per token",
        formula="masked mean of k3 = exp(ref − logp) − (ref − logp) − 1",
    ),
    Metric(
        "kl_coef",
        "KL coefficient",
        "",
        "Weight of the KL penalty.",
        "kl",
        healthy="steady",
        to_log="the coefficient of the KL penalty",
        low=0,
        source=OLD_LOGGING_PAGE,
    ),
    Metric(
        "kl_distribution",
        "KL distribution",
        "nats/sequence",
        "Histogram of the KL per sequence.",
        "kl",
        kind="histogram",
        source=OLD_LOGGING_PAGE,
    ),
    Metric(
        "logprobs_distribution",
        "Log-probabilities",
        "nats",
        "Histogram under the policy.",
        "kl",
        kind="histogram",
        source=OLD_LOGGING_PAGE,
    ),
    Metric(
        "ref_logprobs_distribution",
        "Reference log-probabilities",
        "nats",
        "Histogram under the reference.",
        "kl",
        kind="histogram",
        source=OLD_LOGGING_PAGE,
    ),
)
