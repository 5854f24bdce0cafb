"""What a producer is: a program that trains, with its tags, the names of its settings, its defaults and its quirks."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from diagnostics.model.quirks import Quirk
from diagnostics.model.settings import Notation
from diagnostics.model.setup import Version
from diagnostics.producers.trainer import Trainer

Config = Mapping[str, Any]
Releases = tuple[tuple[Version, Mapping[str, object]], ...]
"""Defaults by version: (from this version on, what is new in it), oldest first."""


ANY = ""
"""In tables by algorithm: every algorithm that is not named."""
SAMPLING = frozenset(
    {"do_sample", "temperature", "top_k", "top_p", "min_p", "repetition_penalty", "min_new_tokens", "suppress_tokens"}
)
"""The settings that a model's generation_config.json may contain."""


@dataclass(frozen=True, slots=True)
class HandedOver:
    """The sampling settings that a trainer passes to `generate` from version `since` on; before it, only `before`.

    What it does not pass comes from the model's own generation_config. Those that are `fixed` it passes without having
    an argument for them.
    """

    since: Version = ()
    settings: frozenset[str] = SAMPLING
    before: frozenset[str] = frozenset({"do_sample", "temperature"})
    fixed: frozenset[str] = frozenset({"do_sample"})

    def at(self, version: Version | None) -> frozenset[str]:
        """What is passed in a version; in the newest one where it is not known."""
        return self.settings if version is None or version >= self.since else self.before


_EVERYTHING = HandedOver()


@dataclass(frozen=True, slots=True)
class Trait:
    """A quirk of some algorithms (empty: of all), from version `since` on; () is every version, a known one or not."""

    quirk: Quirk
    algorithms: frozenset[str] = frozenset()
    since: Version = ()

    def holds(self, algorithm: str, version: Version | None) -> bool:
        """Whether it is true of this algorithm in this version."""
        is_in = not self.since or (version is not None and version >= self.since)
        return is_in and (not self.algorithms or algorithm in self.algorithms)


@dataclass(frozen=True, slots=True)
class Producer:
    """A program that trains, and all that is particular to it.

    Its logs:
        trainers: One for each way of logging.
        call_prefixes: How tags begin that are logged at every call of something, not once a step.
        has_reward_columns: Sample tables have a column for each reward function and none for the total.
        logs_model_config: The model's config.json is logged among the arguments.

    Its settings:
        settings: Canonical setting → its arguments; of several that are given, the first counts.
        arguments: By algorithm, those of them that its trainer has; without an entry it has all.
        first_arguments: The argument to name where none is given, if not the first that there is.
        switches: Argument → the argument that must be on for it to count.
        neutral: The value with which a sampling setting does nothing, where it is not the usual one.
        own_words: Arguments so common elsewhere that only its own configurations are searched for them.
        defaults: By algorithm and version, what counts where nothing is given.
        handed_over: By algorithm, the sampling settings that do not come from the model's generation_config.
        notation: How its user writes a setting.

    Its configuration files:
        recognise_config: How likely a flat configuration at a path is its own (0 to 1).
        algorithm_marks: By algorithm, arguments that only its configurations hold.

    Its rewards and models:
        default_rewards: The rewards in effect where a configuration names none.
        learned_rewards: Names of built-in rewards that are models.
        needs_reward_model: Algorithms that take a reward model and no functions.
        bundled_model: The folder of the model in effect where a configuration names none.
        is_ours: Whether it is the bundled trainer.

    Besides:
        title: Its name in sentences.
        quirks: What it does differently, as far as rules must know.
    """

    name: str
    trainers: tuple[Trainer, ...]
    call_prefixes: tuple[str, ...] = ()
    has_reward_columns: bool = False
    logs_model_config: bool = False
    settings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    arguments: Mapping[str, frozenset[str]] = field(default_factory=dict)
    first_arguments: Mapping[str, str] = field(default_factory=dict)
    switches: Mapping[str, str] = field(default_factory=dict)
    neutral: Mapping[str, object] = field(default_factory=dict)
    own_words: frozenset[str] = frozenset()
    defaults: Mapping[str, Releases] = field(default_factory=dict)
    handed_over: Mapping[str, HandedOver] = field(default_factory=dict)
    notation: Notation = "assignment"
    recognise_config: Callable[[Config, Path], float] = lambda config, path: 0.0
    algorithm_marks: Mapping[str, frozenset[str]] = field(default_factory=dict)
    default_rewards: Callable[[Config], tuple[str, ...]] = lambda config: ()
    learned_rewards: frozenset[str] = frozenset()
    needs_reward_model: frozenset[str] = frozenset()
    bundled_model: Callable[[str, Config], Path | None] = lambda algorithm, config: None
    is_ours: bool = False
    title: str = ""
    quirks: tuple[Trait, ...] = ()

    def usual_argument(self, setting: str, algorithm: str) -> str | None:
        """What it calls a setting where it is not given; None where it has no such argument that is known."""
        first, names = self.first_arguments.get(setting), self.settings.get(setting, ())
        has = self.arguments.get(algorithm, frozenset(names))
        return next((name for name in (first, *names) if name in has), None)

    def defaults_of(self, algorithm: str, version: Version | None) -> dict[str, object]:
        """What counts in this version where nothing is given; the newest version's where it is not known."""
        found: dict[str, object] = {}
        for since, values in self.defaults.get(algorithm, ()):
            if version is None or version >= since:
                found |= values
        return found

    @property
    def has_versioned_defaults(self) -> bool:
        """Whether what counts where nothing is given depends on the version."""
        return any(len(releases) > 1 for releases in self.defaults.values())

    def quirks_of(self, algorithm: str, version: Version | None) -> frozenset[Quirk]:
        """The quirks of an algorithm in a version."""
        return frozenset(trait.quirk for trait in self.quirks if trait.holds(algorithm, version))

    def hands_over(self, algorithm: str, version: Version | None) -> frozenset[str]:
        """The sampling settings in which the model's generation_config has no say."""
        return self.handed_over.get(algorithm, _EVERYTHING).at(version)

    def has_argument(self, setting: str, algorithm: str, version: Version | None) -> bool:
        """Whether a setting is an argument of the trainer's own, and not only one of the model's."""
        rule = self.handed_over.get(algorithm, _EVERYTHING)
        return setting not in SAMPLING or setting in rule.at(version) - rule.fixed
