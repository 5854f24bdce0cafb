"""Reward functions, built-in or a user's own, by the names of `trainer.config.reward_names`.

Their signature is TRL's, `function(prompts, completions, **columns) -> list[float | None]`, where None means that a
completion cannot be scored. NaN and infinity pass through, as evidence. Besides columns a function can ask for
`completion_ids`, `trainer_state`, `log_extra` and `log_metric` (`trainer.rewards.call_context`).
"""

from trainer.config.reward_names import RewardError
from trainer.rewards.catalog import get_reward_funcs
from trainer.rewards.function import RewardFunc

__all__ = ["RewardError", "RewardFunc", "get_reward_funcs"]
