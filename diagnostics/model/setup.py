"""A training before it starts: its settings under one name each, its model's facts, and what its rewards answered."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from diagnostics.model.algorithms import PPO_FAMILY
from diagnostics.producers.settings import (
    DEMO_REWARDS,
    GENERATION,
    LIBRARY,
    NAMES,
    OWN,
    TRL,
    Version,
    defaults_of,
    handed_over,
    is_on,
)

Origin = Literal["config", "generation_config", "default"]
_FIRST_NAMES: Mapping[str, Mapping[str, str]] = {
    "ppo": {
        "max_tokens": "response_length", "epochs": "num_ppo_epochs", "epsilon": "cliprange", "kl_weight": "kl_coef",
    },
    "ppo-legacy": {
        "max_tokens": "max_new_tokens", "epochs": "ppo_epochs", "epsilon": "cliprange", "kl_weight": "init_kl_coef",
        "min_new_tokens": "min_length",
    },
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What a model's config.json and generation_config.json say. None: not known.

    `parameters` is a count; `dropout` the largest probability of any kind; `generation` what generation_config.json
    holds.
    """

    parameters: float | None = None
    dropout: float | None = None
    pad_token_id: int | None = None
    eos_token_ids: tuple[int, ...] = ()
    generation: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Trial:
    """What one reward function gave one answer. `kind` is gold, empty, junk or extreme; score None: not scorable."""

    function: str
    kind: str
    prompt: str
    answer: str
    score: float | None


@dataclass(frozen=True, slots=True)
class Probe:
    """How long the answers of the untrained policy were, in tokens; one of `room` tokens had not ended by then."""

    lengths: tuple[int, ...]
    room: int


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting as it counts: under which name of the program it is known, its value, and who says so."""

    parameter: str
    value: Any
    origin: Origin

    @property
    def is_given(self) -> bool:
        return self.origin == "config"

    @property
    def number(self) -> float | None:
        """The value as a number, text such as `1e-6` included; None where it is none."""
        return as_number(self.value)

    @property
    def is_on(self) -> bool:
        """Whether the value switches something on: neither empty, 0, `no` nor false."""
        return is_on(self.value)


@dataclass(frozen=True, slots=True)
class Setup:
    """All that pre-flight looks at.

    `config` is flat, in the program's own names, nested ones joined by dots. `version` is None where it is not known:
    then the newest one's defaults count. `trials` are None where the rewards were not tried, `probe` where the
    untrained policy was not; `cut_off` is the share of answers that a run of these settings saw cut off lately, and
    `device_gib` the memory of one accelerator. Without `has_defaults` what is not given is not known: other values may
    have counted.
    """

    algorithm: str
    producer: str
    config: Mapping[str, Any]
    version: Version | None = None
    model: ModelFacts = field(default_factory=ModelFacts)
    trials: tuple[Trial, ...] | None = None
    device_gib: float | None = None
    has_defaults: bool = True
    probe: Probe | None = None
    cut_off: float | None = None

    def get(self, name: str) -> Setting | None:
        """A setting as it counts; None where nobody says it.

        Order: what the configuration gives, what the model's generation_config gives where the program leaves it the
        say, the program's default.
        """
        if (given := self._given(name)) is not None:
            return Setting(given, self.config[given], "config")
        if (said := self._of_model(name)) is not None:
            return Setting(self.parameter(name), said, "generation_config")
        defaults = defaults_of(self.producer, self.algorithm, self.version) if self.has_defaults else {}
        return Setting(self.parameter(name), defaults[name], "default") if name in defaults else None

    def known(self, name: str) -> Setting:
        """A setting that a check reads. Raises LookupError where nobody says it, which the engine rules out."""
        setting = self.get(name)
        if setting is None:
            raise LookupError(f"nobody says what {name} is")
        return setting

    def number(self, name: str) -> float | None:
        """A setting's value as a number; None where it is not known or none."""
        setting = self.get(name)
        return setting.number if setting else None

    def is_on(self, name: str) -> bool:
        """Whether a setting is known to be switched on."""
        setting = self.get(name)
        return setting is not None and setting.is_on

    def parameter(self, name: str) -> str:
        """What the program calls a setting."""
        given = self._given(name)
        own = _FIRST_NAMES.get(self.algorithm, {}).get(name)
        return given or own or next(alias for alias in NAMES[name] if not alias.startswith("generation_kwargs."))

    @property
    def reward_names(self) -> tuple[str, ...]:
        """The reward functions as the configuration names them; a reward model counts as one."""
        given = self.get("reward_funcs")
        names = _items(given.value) if given else []
        model = self.get("reward_model")
        return (*names, *([str(model.value)] if model and model.is_on else []))

    @property
    def learns_from_a_model(self) -> bool | None:
        """Whether a learned reward model judges the answers; None where the rewards are not known."""
        if self.is_on("reward_model"):
            return True
        names = self.reward_names
        if not names and self.producer == OWN and not self.config.get("dataset"):
            names = (DEMO_REWARDS.get(str(self.config.get("task")), ""),)
        if names:
            return any(_is_learned(name) for name in names)
        return True if self.algorithm in PPO_FAMILY and self.producer == TRL else None

    @property
    def trains_an_adapter(self) -> bool:
        """Whether a LoRA adapter is trained and not the whole model."""
        return self.is_on("use_peft") or any(name.startswith("peft_config.") for name in self.config)

    @property
    def kl_weight(self) -> float | None:
        """The weight of the KL to the reference, 0 where it is switched off; None where it is not known."""
        switches = [item for item in (self.get("use_kl_loss"), self.get("use_kl_in_reward")) if item is not None]
        if switches and not any(item.is_on for item in switches):
            return 0.0
        return self.number("kl_weight")

    def is_left_to_the_model(self, name: str) -> bool:
        """Whether the program takes a sampling setting from the model's generation_config."""
        leaves_it = name not in handed_over(self.producer, self.algorithm, self.version)
        return name in GENERATION and leaves_it and not self.is_on("use_vllm")

    def _given(self, name: str) -> str | None:
        """The first name of a setting that the configuration gives."""
        return next((alias for alias in NAMES[name] if alias in self.config and self._is_own(name, alias)), None)

    def _is_own(self, name: str, alias: str) -> bool:
        """Whether a name means the training's setting.

        transformers logs the model's config.json among the arguments, and up to its version 4 that one held sampling
        settings, which count for nothing.
        """
        if alias == "task":
            return self.producer == OWN
        is_mixed = self.producer == TRL and "model_type" in self.config
        if alias == "dtype":
            return not is_mixed
        if not is_mixed or name not in GENERATION or "." in alias:
            return True
        if self.algorithm in PPO_FAMILY:
            return self.algorithm == "ppo" and name == "temperature"
        return name in handed_over(self.producer, self.algorithm, self.version) - {"do_sample"}

    def _of_model(self, name: str) -> Any:
        """What the model's generation_config says where it counts, else the library's default; None: not known."""
        said = self.model.generation
        if said is None or not self.is_left_to_the_model(name):
            return None
        names = ("min_new_tokens", "min_length") if name == "min_new_tokens" else (name,)
        return next((said[key] for key in names if said.get(key) is not None), LIBRARY.get(name))


def flat(config: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """A nested configuration with its names joined by dots; a list stays a value."""
    return dict(_flattened(config, prefix))


def as_number(value: Any) -> float | None:
    """A finite number, text such as `1e-6` included (YAML reads it as text); None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def version_of(text: str | None) -> Version | None:
    """`1.16.0.dev0` as (1, 16, 0); None where there is no version."""
    parts = (text or "").split(".")
    numbers = tuple(int(part) for part in parts[:3] if part.isdigit())
    return numbers or None


def _flattened(config: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for name, value in config.items():
        if isinstance(value, Mapping) and value:
            yield from _flattened(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _items(value: Any) -> list[str]:
    if isinstance(value, str):
        return [item.strip() for item in value.split(",") if item.strip()]
    return [str(item) for item in value] if isinstance(value, list | tuple) else []


def _is_learned(name: str) -> bool:
    """Whether a reward's name means a model: `reward_model:…`, a hub id, or one of the small ones that come along."""
    label = name.partition(":")[0]
    return label in ("reward_model", "remark_positivity", "sentiment") or ("/" in name and ".py" not in name)
