"""Thinking Machines' tinker-cookbook.

Metrics: `tinker_cookbook/rl/metrics.py` and `metric_util.py`. Settings: `Config` in `tinker_cookbook/rl/train.py`.
"""

from diagnostics.language import N_
from diagnostics.producers.log import Log
from diagnostics.producers.producer import Producer
from diagnostics.producers.trainer import Caveat, LogTraits, Trainer, recognised_by

TAGS = {
    "env/all/reward/total": "reward",
    "env/all/by_group/frac_mixed": "zero_std_fraction",
    "env/all/by_group/frac_all_good": "solved_group_fraction",
    "env/all/by_group/frac_all_bad": "failed_group_fraction",
    "env/all/correct": "reward_func_mean/correct",
    "env/all/format": "reward_func_mean/format",
    "env/all/ac_tokens_per_turn": "length_mean",
    "env/all/ob_tokens_per_turn": "query_length_mean",
    "test/env/all/reward/total": "eval/reward",
    "test/env/all/correct": "eval/reward_func_mean/correct",
    "test/env/all/format": "eval/reward_func_mean/format",
    "kl_policy_base": "kl_per_token",
    "optim/kl_sample_train_v1": "policy_kl",
    "optim/kl_sample_train_v2": "approx_kl",
    "optim/entropy": "entropy_per_token",
    "optim/lr": "learning_rate",
    "time/total": "step_time",
}
FAMILIES = {"env/{name}/reward/total": "reward_func_mean/{name}"}
TURNS = "env/all/turns_per_episode"
OF_A_TURN = frozenset({"env/all/ac_tokens_per_turn", "env/all/ob_tokens_per_turn"})
SEVERAL_TURNS = N_("an episode has several turns, and each of them is counted by itself")
NO_TURNS = N_("the log does not say that an episode has one turn (env/all/turns_per_episode)")
CAVEATS = (
    Caveat(
        ("optim/kl_sample_train_v1", "optim/kl_sample_train_v2"),
        "Between the sampler and the trainer: stale weights and engine differences together.",
    ),
    Caveat(
        ("env/all/by_group/frac_mixed",),
        "Derived: 1 − the share of groups with unequal rewards, among those left by remove_constant_reward_groups.",
    ),
    Caveat(
        ("env/all/correct", "env/all/format"),
        "A part of the task's reward, as a share of the answers, averaged over all turns.",
    ),
)


def read_traits(log: Log) -> LogTraits:
    """GRPO; tokens per turn are a completion's and a prompt's only where every episode has one turn."""
    turns = log.series.get(TURNS)
    has_one_turn = turns is not None and bool((turns.values == 1).all())
    return LogTraits(
        "grpo",
        scales={"env/all/by_group/frac_mixed": -1.0},
        offsets={"env/all/by_group/frac_mixed": 1.0},
        ignored=frozenset() if has_one_turn else OF_A_TURN,
        why_ignored=dict.fromkeys(OF_A_TURN, NO_TURNS if turns is None else SEVERAL_TURNS),
    )


TRAINER = Trainer("tinker", TAGS, recognised_by("env/all/reward/total"), read_traits, FAMILIES, CAVEATS)
SETTINGS = {
    "learning_rate": ("learning_rate",),
    "temperature": ("temperature",),
    "max_tokens": ("max_tokens",),
    "kl_weight": ("kl_penalty_coef",),
    "loss_type": ("loss_fn",),
    "model": ("model_name",),
    "log_completions": ("rollout_json_export",),
    "max_steps": ("max_steps",),
    "resumed_from": ("load_checkpoint_path",),
}
PRODUCER = Producer("tinker", (TRAINER,), settings=SETTINGS, own_words=frozenset({"loss_fn", "max_tokens"}))
