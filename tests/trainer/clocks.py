"""The metrics that are read from a clock: two trainings that are otherwise the same differ in them."""

STAGES = frozenset(f"perf/{stage}_s" for stage in ("generate", "score", "reference", "update", "log", "checkpoint"))
"""What every step of a training with a reference is timed by."""
CLOCKS = STAGES | {"perf/evaluate_s", "perf/old_logprobs_s", "perf/weight_sync_s", "step_time", "eps"}
