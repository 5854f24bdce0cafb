"""Thinking Machines' tinker-cookbook: `tinker_cookbook/rl/metrics.py`, `metric_util.py` and `train.py`."""

from diagnostics.producers.producer import Producer
from diagnostics.producers.trainer import Caveat, Trainer, recognised_by, trains_only

TAGS = {
    "env/all/reward/total": "reward",
    "kl_policy_base": "kl_per_token",
    "optim/kl_sample_train_v1": "policy_kl",
    "optim/kl_sample_train_v2": "approx_kl",
    "optim/entropy": "entropy_per_token",
    "optim/lr": "learning_rate",
    "time/total": "step_time",
}
FAMILIES = {"env/{name}/reward/total": "reward_func_mean/{name}"}
CAVEATS = (
    Caveat(
        ("optim/kl_sample_train_v1", "optim/kl_sample_train_v2"),
        "Between the sampler and the trainer: stale weights and engine differences together.",
    ),
)

TRAINER = Trainer(
    "tinker", TAGS, recognised_by("env/all/reward/total"), trains_only("grpo"), FAMILIES, CAVEATS, is_verified=False
)
PRODUCER = Producer("tinker", (TRAINER,))
