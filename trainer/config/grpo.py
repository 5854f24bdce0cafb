"""The configuration of GRPO and its variants GSPO and CISPO. Imports no torch."""

from dataclasses import dataclass
from typing import ClassVar

from trainer.config.options import Section, options_under, redefined_option
from trainer.config.options.completion_groups import CompletionGroupOptions
from trainer.config.options.rollout_engine import RolloutEngineOptions
from trainer.config.training import TrainConfig

_rewards, _loss = options_under(Section.REWARDS), options_under(Section.LOSS)


@dataclass(frozen=True, kw_only=True)
class GRPOConfig(RolloutEngineOptions, CompletionGroupOptions, TrainConfig):
    """GRPO: several completions per prompt, each compared with its group; no value model."""

    algorithm: ClassVar[str] = "grpo"

    task: str = redefined_option(TrainConfig, "task", "addition")
    epsilon_high: float | None = redefined_option(
        CompletionGroupOptions,
        "epsilon_high",
        None,
        help="Upper clip bound is 1 + this; for cispo the largest importance weight itself (ScaleRL: 5); "
        "empty: epsilon.",
    )
    scale_rewards: str = _rewards(
        "group",
        "Divide advantages by the deviation of the group, of the batch, or not at all.",
        choices=("group", "batch", "none"),
    )
    loss_type: str = _loss(
        "dapo",
        "How token losses are averaged; cispo averages as dapo does, but clips the importance weight, not the update.",
        choices=("grpo", "bnpo", "dr_grpo", "dapo", "cispo"),
    )
    importance_sampling_level: str = _loss(
        "token",
        "Probability ratio of each token, or one for the whole completion: the geometric mean of its tokens' (GSPO).",
        choices=("token", "sequence"),
    )
    use_bias_correction_kl: bool = _loss(
        False, "Multiply the KL term by the probability ratio: its gradient is then that of KL(policy ‖ reference)."
    )

    def check(self) -> None:
        super().check()
        self.check_groups(self.batch_size)
        self.check_engine()
