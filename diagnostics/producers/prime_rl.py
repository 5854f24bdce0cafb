"""prime-rl: `src/prime_rl/trainer/rl/` and `orchestrator/metrics.py`, through three generations of names."""

from diagnostics.producers.producer import Producer
from diagnostics.producers.trainer import Caveat, Trainer, recognised_by, trains_only

TAGS = {
    "reward/all/mean": "reward",
    "reward/mean": "reward",
    "mismatch_kl/all/mean": "engine_logprob_difference",
    "mismatch_kl/all/max": "engine_logprob_difference_max",
    "entropy/all/mean": "entropy_per_token",
    "loss/mean": "loss",
    "is_masked/mean": "clip_ratio_region_mean",
    "is_masked_low/mean": "clip_ratio_low_mean",
    "is_masked_high/mean": "clip_ratio_high_mean",
    "optim/grad_norm": "grad_norm",
    "optim/lr": "learning_rate",
    "agg/effective/num_output_tokens/mean": "length_mean",
    "agg/effective/num_output_tokens/min": "length_min",
    "agg/effective/num_output_tokens/max": "length_max",
    "decode_len/all/mean": "length_mean",
    "completion_len/mean": "length_mean",
    "completion_len/min": "length_min",
    "completion_len/max": "length_max",
    "is_truncated/all/mean": "truncated_fraction",
    "is_truncated/mean": "truncated_fraction",
    "progress/total_tokens": "tokens",
    "progress/total_rollouts": "episodes",
    "time/step": "step_time",
}
CAVEATS = (
    Caveat(
        ("mismatch_kl/all/mean",),
        "The k3 estimate between trainer and inference: stale weights and engine differences together.",
    ),
)

TRAINER = Trainer(
    "prime-rl",
    TAGS,
    recognised_by("mismatch_kl/all/mean"),
    trains_only("grpo"),
    {"agg/effective/{name}/reward/mean": "reward_func_mean/{name}"},
    CAVEATS,
    is_verified=False,
)
PRODUCER = Producer("prime-rl", (TRAINER,))
