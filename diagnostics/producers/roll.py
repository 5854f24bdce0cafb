"""Alibaba's ROLL: `roll/pipeline/rlvr/actor_worker.py`, `utils/functionals.py` and `utils/metrics/`."""

from diagnostics.producers.producer import Producer
from diagnostics.producers.trainer import Caveat, recognised_by
from diagnostics.producers.with_and_without_critic import with_and_without_critic

TAGS = {
    "critic/rewards/mean": "rlhf_reward",
    "critic/kl": "kl_per_token",
    "actor/kl_loss": "kl_per_token",
    "critic/kl_coef": "kl_coef",
    "actor/approxkl": "approx_kl",
    "actor/policykl": "policy_kl",
    "critic/entropy/mean": "entropy_per_token",
    "actor/total_loss": "loss",
    "actor/pg_loss": "policy_loss",
    "actor/ratio_mean": "ratio_mean",
    "actor/ratio_max": "ratio_max",
    "actor/ppo_ratio_clipfrac": "clip_ratio_region_mean",
    "actor/clipfrac": "clip_fraction",
    "actor/ppo_ratio_low_clipfrac": "clip_ratio_low_mean",
    "actor/ppo_ratio_high_clipfrac": "clip_ratio_high_mean",
    "critic/clipfrac": "value_clip_fraction",
    "actor_train/grad_norm": "grad_norm",
    "actor/lr": "learning_rate",
    "token/response_length/mean": "length_mean",
    "token/response_length/min": "length_min",
    "token/response_length/max": "length_max",
    "critic/values/mean": "value_mean",
    "critic/advantages/mean": "advantages_mean",
    "critic/returns/mean": "returns_mean",
    "system/samples": "episodes",
    "time/step_total": "step_time",
}
FAMILIES = {"{name}/critic/score/mean": "reward_func_mean/{name}"}  # a domain of the data
CAVEATS = (Caveat(("actor/policykl",), "A k1 estimate: small values below 0 are noise."),)
TRAINERS = with_and_without_critic(
    "roll",
    TAGS,
    reward="critic/score/mean",
    critic="critic/loss",
    recognise=recognised_by(("critic/score/mean", "actor/approxkl"), ("critic/score/mean", "system/tps_gpu")),
    families=FAMILIES,
    caveats=CAVEATS,
)
PRODUCER = Producer("roll", TRAINERS)
