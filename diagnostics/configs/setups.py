"""Building a Setup: a configuration's settings in effect, by what its producer and its model make of them."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from diagnostics.model.settings import Origin, Setting, Settings
from diagnostics.model.setup import ModelFacts, Setup, Version
from diagnostics.producers.canonical_settings import SETTINGS
from diagnostics.producers.producer import SAMPLING, Producer
from diagnostics.producers.setting_lookup import arguments_for, given_settings, usual_arguments
from diagnostics.producers.table import producer_named

LIBRARY: Mapping[str, object] = {
    "do_sample": False, "temperature": 1.0, "top_k": 50, "top_p": 1.0, "repetition_penalty": 1.0, "min_p": 0.0,
    "min_new_tokens": 0, "suppress_tokens": (),
}  # fmt: skip
"""transformers' own defaults (GenerationConfig), where neither the trainer nor the model says otherwise."""
_MODEL_TYPE = "model_type"  # in every config.json of transformers
_OF_MODEL = frozenset({"dtype"})  # an argument, and in config.json as well


def make_setup(
    algorithm: str,
    producer: str,
    config: Mapping[str, Any],
    version: Version | None = None,
    model: ModelFacts | None = None,
    *,
    has_defaults: bool = True,
) -> Setup:
    """The setup that a flat configuration, in its producer's own names, makes.

    A setting is what the configuration gives, else what the model's generation_config gives where the producer leaves
    it the say, else the producer's default. Without `has_defaults` what is not given is not known: other values may
    have counted.
    """
    facts, known = model or ModelFacts(), producer_named(producer)
    stated = dict(_given_settings(known, algorithm, config, version))
    uses_engine = "use_vllm" in stated and stated["use_vllm"].is_on
    left = frozenset() if uses_engine else SAMPLING - known.hands_over(algorithm, version)
    arguments = usual_arguments(producer, algorithm)
    defaults = known.defaults_of(algorithm, version) if has_defaults else {}
    in_effect = {
        **_in_effect(defaults, arguments, "default"),
        **_in_effect(_of_model(facts, left), arguments, "generation_config"),
        **stated,
    }
    setup = Setup(
        algorithm=algorithm,
        producer=producer,
        config=config,
        settings=Settings(in_effect, arguments, known.neutral),
        version=version,
        model=facts,
        left_to_model=left,
        quirks=known.quirks_of(algorithm, version),
        assumed_newest=known.title if version is None and known.has_versioned_defaults else "",
        is_ours=known.is_ours,
        trains_an_adapter=_trains_an_adapter(config, producer, stated),
    )
    return replace(setup, learns_from_a_model=_learns_from_a_model(setup, known))


def _in_effect(values: Mapping[str, Any], arguments: Mapping[str, str], origin: Origin) -> dict[str, Setting]:
    return {name: Setting(arguments.get(name, name), value, origin) for name, value in values.items()}


def _given_settings(
    producer: Producer, algorithm: str, config: Mapping[str, Any], version: Version | None
) -> Iterator[tuple[str, Setting]]:
    """The settings that a configuration gives.

    transformers logs the model's config.json among the arguments, and up to its version 4 that one held sampling
    settings, which count for nothing.
    """
    is_mixed = producer.logs_model_config and _MODEL_TYPE in config
    for name in SETTINGS:
        is_argument = not is_mixed or producer.has_argument(name, algorithm, version)
        found = (item for item in given_settings(producer.name, name, config) if is_argument or "." in item.parameter)
        if setting := next((item for item in found if not is_mixed or item.parameter not in _OF_MODEL), None):
            yield name, setting


def _of_model(facts: ModelFacts, left: frozenset[str]) -> dict[str, Any]:
    """What the model's generation_config says of the settings left to it, else the library's default."""
    stated = facts.generation
    if stated is None:
        return {}
    keys = {name: (name, "min_length") if name == "min_new_tokens" else (name,) for name in left}
    values = {name: [stated[key] for key in keys[name] if stated.get(key) is not None] for name in left}
    return {name: next(iter(found), LIBRARY[name]) for name, found in values.items()}


def _trains_an_adapter(config: Mapping[str, Any], producer: str, stated: Mapping[str, Setting]) -> bool:
    """Whether a LoRA adapter is trained: the switch is on, or the adapter's own settings are given."""
    prefixes = tuple(f"{argument}." for argument in arguments_for(producer)["use_peft"])
    return ("use_peft" in stated and stated["use_peft"].is_on) or any(name.startswith(prefixes) for name in config)


def _learns_from_a_model(setup: Setup, producer: Producer) -> bool | None:
    """Whether a learned reward model judges the answers; None where the rewards are not known."""
    if setup.is_on("reward_model"):
        return True
    names = setup.reward_names or producer.default_rewards(setup.config)
    if names:
        return any(_is_learned(name, producer) for name in names)
    return True if setup.algorithm in producer.needs_reward_model else None


def _is_learned(name: str, producer: Producer) -> bool:
    """Whether a reward's name means a model: `reward_model:…`, a hub id, or a model that comes with the producer."""
    label = name.partition(":")[0]
    return label == "reward_model" or label in producer.learned_rewards or ("/" in name and ".py" not in name)
