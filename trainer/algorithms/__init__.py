"""The mathematics of PPO, GRPO and RLOO: pure functions of tensors, named with their axes."""
