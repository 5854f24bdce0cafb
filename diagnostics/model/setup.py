"""A training before it starts: its settings in effect, its model's facts, and what its rewards answered."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from diagnostics.model.quirks import Quirk
from diagnostics.model.settings import Setting, Settings
from diagnostics.model.tokenization import Tokenization

Version = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What a model's config.json and generation_config.json say. None: not known.

    `parameters` is a count; `dropout` the largest probability of any kind; `experts` how many a layer has, 1 where
    it is no mixture of them; `generation` what generation_config.json holds.
    """

    parameters: float | None = None
    dropout: float | None = None
    experts: int | None = None
    pad_token_id: int | None = None
    eos_token_ids: tuple[int, ...] = ()
    generation: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Trial:
    """What one reward function gave one answer.

    kind: gold, wrong, empty, junk, extreme or attack · score: None where it is not scorable, or the function failed ·
    policy: how the answer was written · knows_answer: whether only those can write it who know what is right ·
    seconds: what the answer took alone, None where it was not timed · repeats: its scores when it was called `alone`,
    `again` in the same batch, and in a `reordered` one · error: what the function raised · is_hung: whether it was cut
    off after these seconds.
    """

    function: str
    kind: str
    prompt: str
    answer: str
    score: float | None
    policy: str = ""
    knows_answer: bool = False
    seconds: float | None = None
    repeats: Mapping[str, float | None] = field(default_factory=dict)
    error: str = ""
    is_hung: bool = False


@dataclass(frozen=True, slots=True)
class ProbedPrompt:
    """A row of the data, its prompt, and the rewards of the answers to it; None where one was not scorable."""

    row: Mapping[str, Any]
    prompt: str
    rewards: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Probe:
    """Answers of the untrained policy: their lengths in tokens, and the rewards of groups of them.

    An answer of `room` tokens had not ended by then. `prompts` is empty where only single answers were drawn.
    """

    lengths: tuple[int, ...]
    room: int
    prompts: tuple[ProbedPrompt, ...] = ()

    @property
    def generations(self) -> int:
        """The answers to each prompt."""
        return len(self.prompts[0].rewards) if self.prompts else 1


@dataclass(frozen=True, slots=True)
class Setup:
    """Everything that pre-flight checks judge.

    config: flat, in the producer's own arguments, nested ones joined by dots · settings: those in effect, by canonical
    name · version: None where it is not known; then the defaults of the newest one count · assumed_newest: the producer
    whose newest defaults are assumed · left_to_model: the sampling settings that come from the model's
    generation_config · quirks: what the producer does differently · is_ours: for the bundled trainer, which can try its
    rewards and its policy · learns_from_a_model: whether a learned reward model judges the answers, None where the
    rewards are not known · trains_an_adapter: a LoRA adapter and not the whole model · trials, probe, tokenization:
    None where the rewards, the untrained policy or the tokenizer were not tried · cut_off: the share of answers that a
    run of these settings saw cut off lately · device_gib: the memory of one accelerator.
    """

    algorithm: str
    producer: str
    config: Mapping[str, Any]
    settings: Settings = field(default_factory=Settings)
    version: Version | None = None
    model: ModelFacts = field(default_factory=ModelFacts)
    left_to_model: frozenset[str] = frozenset()
    quirks: frozenset[Quirk] = frozenset()
    assumed_newest: str = ""
    is_ours: bool = False
    learns_from_a_model: bool | None = None
    trains_an_adapter: bool = False
    trials: tuple[Trial, ...] | None = None
    probe: Probe | None = None
    tokenization: Tokenization | None = None
    cut_off: float | None = None
    device_gib: float | None = None

    def get(self, name: str) -> Setting | None:
        """A setting in effect; None where it is not known."""
        return self.settings.get(name)

    def require(self, name: str) -> Setting:
        """A setting that a check reads. Raises LookupError where it is not known, which the engine rules out."""
        setting = self.settings.get(name)
        if setting is None:
            raise LookupError(f"nobody says what {name} is")
        return setting

    def number(self, name: str) -> float | None:
        """A setting's value as a number; None where it is not known or none."""
        return self.settings.number(name)

    def is_on(self, name: str) -> bool:
        """Whether a setting is known to be switched on."""
        return self.settings.is_on(name)

    def parameter(self, name: str) -> str:
        """What the producer calls a setting, in plain words where it has no name for it."""
        return self.settings.named(name)

    def is_left_to_the_model(self, name: str) -> bool:
        """Whether the producer takes a sampling setting from the model's generation_config."""
        return name in self.left_to_model

    @property
    def reward_names(self) -> tuple[str, ...]:
        """The reward functions as the configuration names them; a reward model counts as one."""
        given, model = self.settings.get("reward_funcs"), self.settings.get("reward_model")
        names = _items(given.value) if given else []
        return (*names, *([str(model.value)] if model and model.is_on else []))

    @property
    def kl_weight(self) -> float | None:
        """The weight of the KL to the reference, 0 where it is switched off; None where it is not known."""
        return self.settings.kl_weight


def _items(value: Any) -> list[str]:
    if isinstance(value, str):
        return [item.strip() for item in value.split(",") if item.strip()]
    return [str(item) for item in value] if isinstance(value, list | tuple) else []


def version_of(text: str | None) -> Version | None:
    """`1.16.0.dev0` as (1, 16, 0); None where there is no version."""
    numbers = re.match(r"\d{1,9}(?:\.\d{1,9})*", text or "")
    return tuple(map(int, numbers[0].split("."))) if numbers else None
