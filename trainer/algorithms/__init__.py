"""The mathematics of PPO and GRPO: pure functions of tensors, with their axes in their names."""
