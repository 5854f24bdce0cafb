"""The names of rlvitals' own trainer: TRL's, and a few that TRL's PPO lacks; no caveats, every mean is masked."""

from diagnostics.dialects import trl_grpo, trl_ppo
from diagnostics.dialects.dialect import Dialect, Findings, Log

TAGS = {
    **trl_ppo.TAGS,
    **trl_grpo.TAGS,
    "val/ratio_max": "ratio_max",
    "val/var_explained": "explained_variance",
    "tokens/responses_len_mean": "length_mean",
    "tokens/responses_len_min": "length_min",
    "tokens/responses_len_max": "length_max",
}


def recognise(log: Log) -> float:
    """Sure where the run log names its writer."""
    return 1.0 if log.recording.producer == "rlvitals" else 0.0


def examine(log: Log) -> Findings:
    """The algorithm that the run log names; where it names none, what its names tell."""
    named = log.recording.algorithm
    if named not in ("", "unknown"):
        return Findings(algorithm=named)
    return Findings(algorithm="ppo" if trl_ppo.recognise(log) else "grpo" if trl_grpo.recognise(log) else "unknown")


DIALECT = Dialect("rlvitals", "rlvitals", TAGS, recognise, examine, trl_grpo.FAMILIES)
