"""Meta's torchforge GRPO app: `apps/grpo/main.py` and `src/forge/`."""

from diagnostics.producers.producer import Producer
from diagnostics.producers.trainer import Trainer, recognised_by, trains_only

TAGS = {
    "reward/evaluate_response/avg_total_reward": "reward",
    "rl_trainer/avg_loss": "loss",
    "rl_trainer/learning_rate": "learning_rate",
    "generator/generate/avg_tokens_generated": "length_mean",
    "dataset/sample/current_epoch": "epoch",
}
FAMILIES = {
    "reward/evaluate_response/avg_{name}_reward": "reward_func_mean/{name}",
    "reward/evaluate_response/std_{name}_reward": "reward_func_std/{name}",
}

TRAINER = Trainer(
    "torchforge", TAGS, recognised_by("rl_trainer/avg_loss"), trains_only("grpo"), FAMILIES, is_verified=False
)
PRODUCER = Producer("torchforge", (TRAINER,))
