"""The names of rlvitals' own trainer: TRL's, and a few that TRL's lack; no caveats, every mean is masked."""

from diagnostics.producers import trl_grpo, trl_ppo
from diagnostics.producers.producer import Dialect, Findings, Log

TAGS = {
    **trl_ppo.TAGS,
    **trl_grpo.TAGS,
    "val/ratio_max": "ratio_max",
    "val/var_explained": "explained_variance",
    "tokens/responses_len_mean": "length_mean",
    "tokens/responses_len_min": "length_min",
    "tokens/responses_len_max": "length_max",
    "objective/kl_coef": "kl_coef",
    "objective/query_scores": "query_score",
    "objective/scaled_scores": "scaled_score",
    "objective/scaled_scores_std": "scaled_score_std",
    "policy/policykl_avg": "policy_kl",
    "policy/updates": "updates",
    "env/reward_dist": "reward_distribution",
    "objective/kl_dist": "kl_distribution",
    "objective/logprobs": "logprobs_distribution",
    "objective/ref_logprobs": "ref_logprobs_distribution",
    "policy/ratio": "ratio_distribution",
    "policy/advantages": "advantages_distribution",
    "tokens/queries_len_dist": "query_length_distribution",
    "tokens/responses_len_dist": "length_distribution",
}


def recognise(log: Log) -> float:
    """Sure where the run log names its writer; in another format, by what only this trainer logs of PPO and GRPO."""
    if log.recording.producer == "rlvitals":
        return 1.0
    is_ours = log.has("val/ratio", "val/ratio_max") or log.has("objective/entropy", "clip_ratio/region_mean")
    return 0.95 if is_ours else 0.0


def examine(log: Log) -> Findings:
    """The algorithm that the run log names; where it names none, what its names tell."""
    named = log.recording.algorithm
    if named not in ("", "unknown"):
        return Findings(algorithm=named)
    return Findings(algorithm="ppo" if trl_ppo.recognise(log) else "grpo" if trl_grpo.recognise(log) else "unknown")


DIALECT = Dialect("rlvitals", "rlvitals", TAGS, recognise, examine, trl_grpo.FAMILIES)
