"""The trainer: PPO, GRPO and RLOO on causal language models, one linear file each, logging to a run directory."""
