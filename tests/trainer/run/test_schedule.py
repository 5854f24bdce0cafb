"""Base rates that change during a training."""

import numpy as np
import torch
from transformers import get_scheduler

from trainer.run.schedule import set_base_rates


def scheduled(name: str, *rates: float):
    groups = [{"params": [torch.nn.Parameter(torch.zeros(1))], "lr": rate} for rate in rates]
    optimizer = torch.optim.AdamW(groups)
    return optimizer, get_scheduler(name, optimizer, num_warmup_steps=2, num_training_steps=10)


def steps(optimizer, scheduler, count: int) -> list[list[float]]:
    found = []
    for _ in range(count):
        found.append([group["lr"] for group in optimizer.param_groups])
        optimizer.step()
        scheduler.step()
    return found


def test_the_schedule_goes_on_with_the_new_rates() -> None:
    one_rate, ten_times = scheduled("cosine", 0.1, 0.2), scheduled("cosine", 1.0, 2.0)
    steps(*one_rate, 4)
    steps(*ten_times, 4)
    set_base_rates(one_rate[1], [1.0, 2.0])
    assert np.allclose(steps(*ten_times, 6), steps(*one_rate, 6), rtol=1e-12)


def test_a_rate_can_become_zero_and_come_back() -> None:
    optimizer, scheduler = scheduled("constant_with_warmup", 0.1)
    steps(optimizer, scheduler, 3)
    set_base_rates(scheduler, [0.0])
    assert steps(optimizer, scheduler, 2) == [[0.0], [0.0]]
    set_base_rates(scheduler, [0.1])
    assert steps(optimizer, scheduler, 1) == [[0.1]]


def test_the_same_rates_change_nothing() -> None:
    touched, untouched = scheduled("linear", 0.1), scheduled("linear", 0.1)
    set_base_rates(touched[1], [0.1])
    assert steps(*untouched, 10) == steps(*touched, 10)
