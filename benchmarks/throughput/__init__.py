"""A simulator of rollout workers, a queue and a trainer, whose bottleneck is known, to judge the time budget by."""
