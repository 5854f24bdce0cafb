"""ModelScope's ms-swift: TRL's GRPOTrainer with tags of its own for entropy and rollout correction."""

from diagnostics.producers.producer import Producer
from diagnostics.producers.trainer import Trainer, recognised_by
from diagnostics.producers.trl import grpo, training_arguments

TAGS = grpo.TAGS | {
    "entropy/mean": "entropy_per_token",
    "rollout_correction/kl": "engine_kl_k1",
    "rollout_correction/k3_kl": "engine_kl",
    "rollout_correction/log_ppl_abs_diff": "engine_log_perplexity_difference",
    "rollout_correction/training_ppl": "trainer_perplexity",
    "rollout_correction/rollout_ppl": "engine_perplexity",
    "rollout_correction/chi2_token": "engine_chi2",
}
CAVEATS = grpo.CAVEATS

TRAINER = Trainer(
    "ms-swift",
    TAGS,
    recognised_by("entropy/mean", "rollout_correction/kl"),
    grpo.read_traits,
    grpo.FAMILIES,
    CAVEATS,
    is_verified=False,
)
OWN_ARGUMENTS = frozenset({
    "beta", "epsilon", "epsilon_high", "gradient_accumulation_steps", "importance_sampling_level", "learning_rate",
    "log_completions", "loss_type", "lr_scheduler_type", "max_completion_length", "max_grad_norm", "num_generations",
    "num_iterations", "per_device_train_batch_size", "repetition_penalty", "resume_from_checkpoint", "reward_funcs",
    "reward_weights", "scale_rewards", "steps_per_generation", "temperature", "top_k", "top_p", "use_vllm",
    "vllm_gpu_memory_utilization",
})  # fmt: skip
"""Of TRL's arguments, those that its command line has as well (`swift rlhf --rlhf_type grpo`)."""
PRODUCER = Producer(
    "ms-swift",
    (TRAINER,),
    has_reward_columns=True,
    settings=training_arguments.ARGUMENTS,
    notation="flag",
    arguments={"grpo": OWN_ARGUMENTS},
    first_arguments=training_arguments.FIRST_ARGUMENTS,
)
