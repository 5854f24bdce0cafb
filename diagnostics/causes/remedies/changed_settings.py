"""The settings that several remedies change, by algorithm where algorithms differ in what they have."""

from collections.abc import Mapping

from diagnostics.causes.remedies.remedy import ANY

LEARNING_RATE = {ANY: ("learning_rate",)}
EPOCHS = dict.fromkeys(("ppo", "ppo-legacy", "grpo", "rloo"), ("epochs",))
KL_WEIGHT = {ANY: ("kl_weight",)}
LENGTH_LIMIT = {ANY: ("max_tokens",)}
VALUE_LEARNING_RATE = {ANY: ("value_learning_rate",)}
VALUE_CLIP_RANGE = dict.fromkeys(("ppo", "ppo-legacy"), ("value_clip_range",))
CLIP_RANGE = {ANY: ("epsilon",)}
REWARD_SOURCE = {ANY: ("reward_funcs",)}
DEVICE_BATCH = {ANY: ("per_device_train_batch_size",), "ppo-legacy": ("mini_batch_size",)}
END_TOKENS = {"ppo": ("stop_token_id", "stop_token"), ANY: ("end_tokens", "stop_token_id")}
PROMPTS = {ANY: ("dataset",)}
LEAST_LENGTH = {ANY: ("min_new_tokens",)}
WORDS: Mapping[str, tuple[str, ...]] = {ANY: ()}
"""No setting: something to do."""
