"""The faults of the TRL corpus: what users get wrong in TRL's arguments, a reward, the data or the weights."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from benchmarks.trl_runs.tasks.catalog import TASKS

Settings = Mapping[str, Any]
ALGORITHMS = ("grpo", "rloo", "ppo", "ppo_step")
_GROUPS = ("grpo", "rloo")
_PPO = ("ppo", "ppo_step")
_STEP = ("ppo_step",)
_SCORED_AS_SAMPLED = ("grpo", "rloo", "ppo")  # at the same temperature
_VERIFIABLE = frozenset(name for name, task in TASKS.items() if not task.is_chat or name == "spelling")
_OF_SEVERAL_REWARDS = frozenset(name for name, task in TASKS.items() if len(task.rewards) > 1)
_SPARSE = frozenset({"sorting", "spelling", "brackets"})
_WITH_HARD_PROMPTS = frozenset(TASKS) - {"counting", "helpdesk", "replies"}


def _always(settings: Settings) -> bool:
    return True


def _has_groups(settings: Settings) -> bool:
    return bool(settings["num_generations"] > 2)


def _reuses_samples(settings: Settings) -> bool:
    """Only a second update on the same samples meets the clip range."""
    passes = ("num_iterations", "num_ppo_epochs", "num_mini_batches", "ppo_epochs")
    return math.prod(settings.get(name, 1) for name in passes) > 1


@dataclass(frozen=True, slots=True)
class Fault:
    """What is changed in a healthy training, and nothing else.

    `settings` replace arguments and `times` multiply them. `reward` and `data` name variants that TRL's side knows;
    `weights` is the dtype of the policy; `end` makes another token the tokenizer's end; `room` replaces the room for an
    answer. The fault exists for these algorithms and tasks, and where the healthy settings `allow` it an effect.
    """

    algorithms: tuple[str, ...] = ALGORITHMS
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    times: Mapping[str, float] = field(default_factory=dict)
    reward: str = ""
    data: str = ""
    weights: str = "float32"
    end: str = ""
    room: float = 0.0
    tasks: frozenset[str] = frozenset(TASKS)
    allow: Callable[[Settings], bool] = _always


def _each(**settings: Any) -> Mapping[str, Mapping[str, Any]]:
    return dict.fromkeys(ALGORITHMS, settings)


def _clip_range(width: float) -> Mapping[str, Mapping[str, Any]]:
    return {
        "grpo": {"epsilon": width, "epsilon_high": width},
        "rloo": {"epsilon": width},
        "ppo": {"cliprange": width},
        "ppo_step": {"cliprange": width},
    }


FAULTS: Mapping[str, Fault] = {
    "learning-rate-too-high": Fault(times={"learning_rate": 100}),
    "learning-rate-zero": Fault(settings=_each(learning_rate=0.0)),
    "learning-rate-tiny": Fault(settings=_each(learning_rate=1e-9)),
    "warm-up-never-ends": Fault(
        settings=_each(warmup_steps=100_000, lr_scheduler_type="linear"), algorithms=_GROUPS
    ),
    "updates-lost-in-bfloat16": Fault(settings=_each(learning_rate=1e-6), weights="bfloat16"),
    "too-many-updates": Fault(
        settings={
            "grpo": {"num_iterations": 24},
            "rloo": {"num_iterations": 24},
            "ppo": {"num_ppo_epochs": 24},
            "ppo_step": {"ppo_epochs": 24, "early_stopping": False},
        }
    ),
    "clip-range-too-wide": Fault(
        settings=_clip_range(100.0),
        allow=_reuses_samples,
    ),
    "clip-range-too-tight": Fault(
        settings=_clip_range(1e-5),
        allow=_reuses_samples,
    ),
    "kl-penalty-too-large": Fault(
        settings={
            "grpo": {"beta": 10.0},
            "rloo": {"beta": 10.0},
            "ppo": {"kl_coef": 10.0},
            "ppo_step": {"init_kl_coef": 10.0},
        }
    ),
    "kl-target-too-low": Fault(
        algorithms=_STEP, settings=_each(adap_kl_ctrl=True, target=0.001, horizon=100)
    ),
    "kl-penalty-zero": Fault(algorithms=_STEP, settings=_each(init_kl_coef=0.0)),
    "temperature-too-high": Fault(algorithms=_SCORED_AS_SAMPLED, settings=_each(temperature=3.0)),
    "sampling-too-hot": Fault(algorithms=_STEP, settings=_each(temperature=3.0)),
    "sampling-too-cold": Fault(algorithms=_SCORED_AS_SAMPLED, settings=_each(temperature=0.05)),
    "top-k": Fault(algorithms=(*_GROUPS, *_STEP), settings=_each(top_k=2)),
    "min-new-tokens": Fault(algorithms=(*_GROUPS, *_STEP), settings=_each(generation_kwargs="as long as the limit")),
    "completion-limit-too-short": Fault(
        room=0.4, tasks=frozenset(TASKS) - {"middle", "weekday"}
    ),
    "wrong-stop-token": Fault(end="<unk>"),
    "constant-reward": Fault(reward="constant"),
    "random-reward": Fault(reward="random"),
    "sign-flipped-reward": Fault(reward="flipped"),
    "reward-scale": Fault(algorithms=_PPO, reward="times a thousand"),
    "nan-reward": Fault(algorithms=_PPO, reward="nan"),
    "infinite-reward": Fault(algorithms=_GROUPS, reward="logarithm"),
    "length-reward": Fault(reward="length"),
    "brevity-reward": Fault(reward="brevity"),
    "format-only-reward": Fault(reward="form", tasks=_VERIFIABLE),
    "dead-reward-function": Fault(
        algorithms=_GROUPS, reward="dead", tasks=_OF_SEVERAL_REWARDS
    ),
    "too-hard-data": Fault(data="hard", tasks=_WITH_HARD_PROMPTS),
    "too-easy-data": Fault(data="easy", tasks=frozenset({"brackets", "spelling", "sorting", "middle"})),
    "prompts-lost-their-question": Fault(algorithms=(*_GROUPS, *_STEP), data="lost"),
    "group-of-two": Fault(algorithms=_GROUPS, settings=_each(num_generations=2), tasks=_SPARSE, allow=_has_groups),
}  # fmt: skip


def faults_for(algorithm: str, task: str, settings: Settings) -> list[str]:
    """The faults that can have an effect on a training with these healthy settings, by name."""
    return [
        name
        for name, fault in FAULTS.items()
        if algorithm in fault.algorithms and task in fault.tasks and fault.allow(settings)
    ]


def with_fault(fault: str | None, algorithm: str, settings: Settings) -> dict[str, Any]:
    """Healthy settings with what the fault changes in them; no fault changes nothing."""
    if fault is None:
        return dict(settings)
    entry = FAULTS[fault]
    changed = {name: settings[name] * times for name, times in entry.times.items()}
    return {**settings, **entry.settings.get(algorithm, {}), **changed}
