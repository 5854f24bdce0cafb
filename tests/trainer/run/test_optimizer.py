import pytest
import torch

from trainer.config.algorithms import make_config
from trainer.config.lr_schedulers import SCHEDULERS
from trainer.config.options import ConfigError
from trainer.run.optimizer import make_optimizer, make_scheduler

SETTINGS = {
    "cosine_with_min_lr": '{"min_lr_rate": 0.1}',
    "cosine_warmup_with_min_lr": '{"min_lr_rate": 0.1}',
    "warmup_stable_decay": '{"num_decay_steps": 5}',
}


def rates(**values) -> list[float]:
    """The learning rates of 20 steps of a training with a base rate of 1."""
    config = make_config("grpo", {"max_steps": 20, "learning_rate": 1.0, **values})
    optimizer = make_optimizer(config, ([torch.nn.Parameter(torch.zeros(1))], config.learning_rate))
    scheduler = make_scheduler(config, optimizer)
    found = []
    for _ in range(20):
        found.append(scheduler.get_last_lr()[0])
        optimizer.step()
        scheduler.step()
    return found


@pytest.mark.parametrize("name", SCHEDULERS)
def test_every_schedule_starts_with_its_warm_up_and_stays_within_the_base_rate(name):
    found = rates(lr_scheduler_type=name, warmup_steps=4, lr_scheduler_kwargs=SETTINGS.get(name))
    assert max(found) == pytest.approx(1.0)
    assert name == "constant" or found[0] < found[1] < found[2] < 1.0


def test_a_share_of_the_steps_is_the_same_warm_up_and_steps_win_over_it():
    assert rates(warmup_ratio=0.2) == rates(warmup_steps=4)
    assert rates(warmup_ratio=0.5, warmup_steps=4) == rates(warmup_steps=4)
    assert rates(warmup_steps=0.2) == rates(warmup_steps=4.9) == rates(warmup_steps=4)


def test_the_settings_of_a_schedule_reach_it():
    assert rates(lr_scheduler_type="cosine_with_min_lr", lr_scheduler_kwargs='{"min_lr": 0.5}')[-1] >= 0.5


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"lr_scheduler_type": "cosine_with_min_lr"}, "needs min_lr or min_lr_rate; give it as lr_scheduler_kwargs"),
        ({"lr_scheduler_type": "warmup_stable_decay"}, "needs num_decay_steps"),
        ({"lr_scheduler_kwargs": "min_lr=1"}, "must be a JSON object such as"),
        ({"lr_scheduler_type": "reduce_lr_on_plateau"}, "lr_scheduler_type must be one of"),
    ],
)
def test_a_schedule_that_lacks_something_is_refused_before_anything_starts(values, message):
    with pytest.raises(ConfigError, match=message):
        make_config("grpo", values)


def test_a_setting_that_a_schedule_does_not_know_is_refused_with_its_name():
    with pytest.raises(ConfigError, match=r"lr_scheduler_type = linear .* 'min_lr'"):
        rates(lr_scheduler_kwargs='{"min_lr": 1}')


def test_adamw_gets_its_options_and_each_group_its_rate():
    config = make_config("ppo", {"adam_beta1": 0.8, "adam_beta2": 0.95, "adam_epsilon": 1e-6, "weight_decay": 0.1})
    learns, frozen = torch.nn.Parameter(torch.zeros(1)), torch.nn.Parameter(torch.zeros(1), requires_grad=False)
    optimizer = make_optimizer(config, ([learns, frozen], 1e-3), ([torch.nn.Parameter(torch.zeros(2))], 1e-4))
    first, second = optimizer.param_groups
    assert (first["betas"], first["eps"], first["weight_decay"]) == ((0.8, 0.95), 1e-6, 0.1)
    assert (first["lr"], second["lr"], first["params"]) == (1e-3, 1e-4, [learns])
