"""ModelScope's ms-swift: TRL's GRPOTrainer with tags of its own for entropy and rollout correction."""

from diagnostics.producers.producer import Producer
from diagnostics.producers.trainer import Caveat, Trainer, recognised_by
from diagnostics.producers.trl import grpo

TAGS = grpo.TAGS | {
    "entropy/mean": "entropy_per_token",
    "rollout_correction/kl": "engine_logprob_difference",
    "rollout_correction/log_ppl_abs_diff": "engine_logprob_difference",
}
CAVEATS = (*grpo.CAVEATS, Caveat(("rollout_correction/kl",), "A KL estimate between engines, which may be below 0."))

TRAINER = Trainer(
    "ms-swift",
    TAGS,
    recognised_by("entropy/mean", "rollout_correction/kl"),
    grpo.read_traits,
    grpo.FAMILIES,
    CAVEATS,
    is_verified=False,
)
PRODUCER = Producer("ms-swift", (TRAINER,), has_reward_columns=True)
