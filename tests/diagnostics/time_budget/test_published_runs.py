"""The five runs that Hugging Face published for AsyncGRPO with LoRA, by the medians in their post.

Source: huggingface.co/blog/asyncgrpo-lora-hfjobs, September 2026: "3 h 27 min to 53 min for 500 steps". The raw logs
are a trackio board, which is not at hand; what the post does not state is not in here. A step of runs 3 and 4 is not
stated: it is taken to be forward, backward and waiting.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pytest

from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.rules import evaluate

STEPS = 120
EVERY = 4  # steps from one sync of the weights to the next
PUBLISHED: Mapping[str, Mapping[str, float]] = {
    "r1-dp2": {
        "step_time": 22.9,
        "forward_backward_time": 21.9,
        "rollout_wait_time": 0.02,
        "queue_size": 476,
        "samples_per_row": 1.0,
        "model_flops_utilization": 0.039,
        "weight_sync_time": 8.5,
    },
    "r1-dp2-tb16k": {
        "step_time": 5.9,
        "forward_time": 1.34,
        "forward_backward_time": 5.6,
        "rollout_wait_time": 0.04,
        "queue_size": 420,
        "samples_per_row": 12.7,
        "model_flops_utilization": 0.19,
    },
    "r1-dp2-tb16k-nockpt": {
        "step_time": 4.6 + 0.6,
        "forward_backward_time": 4.6,
        "rollout_wait_time": 0.6,
        "queue_size": 71,
        "samples_per_row": 12.7,
        "model_flops_utilization": 0.23,
        "weight_sync_time": 7.6,
    },
    "r1-dp3-tb16k-nockpt": {
        "step_time": 4.6 + 0.6,
        "forward_backward_time": 4.6,
        "rollout_wait_time": 0.6,
        "model_flops_utilization": 0.23,
        "weight_sync_time": 5.8,
    },
    "r1-dp3-inflight384": {
        "step_time": 4.8,
        "forward_backward_time": 4.6,
        "rollout_wait_time": 0.03,
        "queue_size": 690,
        "model_flops_utilization": 0.235,
        "weight_sync_time": 6.2,
    },
}
CONCLUSIONS: Mapping[str, Mapping[str, Severity]] = {
    "r1-dp2": {"trainer-bound": Severity.WARNING, "microbatches-tiny": Severity.WARNING},
    "r1-dp2-tb16k": {"trainer-bound": Severity.INFO, "recompute-dear": Severity.INFO},
    "r1-dp2-tb16k-nockpt": {"sync-dear": Severity.WARNING},
    "r1-dp3-tb16k-nockpt": {"sync-dear": Severity.WARNING},
    "r1-dp3-inflight384": {"trainer-bound": Severity.INFO, "sync-dear": Severity.WARNING},
}
"""What the authors concluded of each: too slow a trainer whose rows hold one sample; a forward pass computed again; a
sync that takes a quarter of the time; the same; and the trainer again, now well used."""


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_rules_of_speed_conclude_what_the_authors_concluded(make_run: Callable[..., Run], name: str) -> None:
    figures = PUBLISHED[name]
    steady = {metric: np.full(STEPS, value) for metric, value in figures.items() if metric != "weight_sync_time"}
    run = make_run("grpo", **steady)
    if "weight_sync_time" in figures:
        steps = np.arange(EVERY, STEPS + 1, EVERY, dtype=np.int64)
        sync = Series("weight_sync_time", "perf/weight_sync_s", steps, np.full(len(steps), figures["weight_sync_time"]))
        run = replace(run, series={**run.series, sync.name: sync})
    found = {o.rule: o.severity for o in evaluate(run) if o.severity is not None}
    assert found == CONCLUSIONS[name]
