"""The names that trainers give to the arguments that remedies change, by algorithm."""

from diagnostics.causes.remedies.remedy import ANY

LEARNING_RATE = {ANY: ("learning_rate",)}
EPOCHS = {
    "ppo": ("num_ppo_epochs",),
    "ppo-legacy": ("ppo_epochs",),
    "grpo": ("num_iterations",),
    "rloo": ("num_iterations",),
}
KL_WEIGHT = {"ppo": ("kl_coef",), "ppo-legacy": ("init_kl_coef",), ANY: ("beta",)}
LENGTH_LIMIT = {"ppo": ("response_length",), "ppo-legacy": ("max_new_tokens",), ANY: ("max_completion_length",)}
VALUE_CLIP_RANGE = {"ppo": ("cliprange_value",), "ppo-legacy": ("cliprange_value",)}
CLIP_RANGE = {"ppo": ("cliprange",), "ppo-legacy": ("cliprange",), ANY: ("epsilon",)}
REWARD_SOURCE = {"ppo": ("reward_model_path", "reward_funcs"), ANY: ("reward_funcs",)}
DEVICE_BATCH = {ANY: ("per_device_train_batch_size",), "ppo-legacy": ("mini_batch_size",)}
END_TOKENS = {"ppo": ("stop_token_id", "stop_token"), ANY: ("generation_kwargs", "stop_token_id")}
PROMPTS = {ANY: ("dataset_name", "dataset")}
LEAST_LENGTH = {"ppo-legacy": ("min_length",), ANY: ("min_new_tokens", "min_length")}
