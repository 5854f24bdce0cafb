"""AReaL: `areal/trainer/ppo/actor.py`, `critic.py` and `utils/stats_tracker.py`."""

from diagnostics.producers.log import Log
from diagnostics.producers.producer import Producer
from diagnostics.producers.trainer import Caveat, LogTraits, recognised_by
from diagnostics.producers.with_and_without_critic import with_and_without_critic

TAGS = {
    "rollout/reward": "reward",
    "ppo_actor/update/approx_kl/avg": "policy_kl",
    "ppo_actor/update/entropy/avg": "entropy_per_token",
    "ppo_actor/update/actor_loss/avg": "policy_loss",
    "ppo_actor/update/importance_weight/avg": "ratio_mean",
    "ppo_actor/update/importance_weight/max": "ratio_max",
    "ppo_actor/update/clip_ratio/avg": "clip_fraction",
    "ppo_critic/clip_ratio/avg": "value_clip_fraction",
    "ppo_actor/update/grad_norm": "grad_norm",
    "ppo_actor/update/lr": "learning_rate",
    "ppo_actor/no_eos_ratios/avg": "truncated_fraction",
    "ppo_critic/new_value/avg": "value_mean",
    "ppo_actor/advantages/avg": "advantages_mean",
    "ppo_actor/update/behave_imp_weight/avg": "importance_ratio_mean",
}
CAVEATS = (Caveat(("ppo_actor/update/approx_kl/avg",), "AReaL logs the negated k1 estimate: its sign is turned here."),)


def _read_traits(log: Log, algorithm: str) -> LogTraits:
    return LogTraits(algorithm, scales={"ppo_actor/update/approx_kl/avg": -1.0})


TRAINERS = with_and_without_critic(
    "areal",
    TAGS,
    reward="ppo_actor/task_reward/avg",
    critic="ppo_critic/critic_loss/avg",
    recognise=recognised_by("ppo_actor/task_reward/avg"),
    caveats=CAVEATS,
    read_traits=_read_traits,
)
PRODUCER = Producer("areal", TRAINERS)
