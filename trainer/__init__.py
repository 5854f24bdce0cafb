"""The trainer: PPO and GRPO on causal language models, each one linear file, writing a run directory as it goes."""
