"""The pages that define the metrics."""

OLD_LOGGING_PAGE = "TRL logging page of the old PPOTrainer"
GRPO_PAGE = "TRL GRPO page, logged metrics"
TRAINER = "transformers Trainer"
FAQ = "TRL training FAQ"
