"""The settings of a training under one name each, whatever its program calls them, and how to look them up."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from diagnostics.model.settings import Setting, Settings, is_on
from diagnostics.producers.nested_config import value_at
from diagnostics.producers.producer import Producer
from diagnostics.producers.table import PRODUCERS, producer_named

CHECKED: Mapping[str, str] = {
    "learning_rate": "The policy's peak learning rate.",
    "max_grad_norm": "The norm at which gradients are clipped.",
    "adam_epsilon": "Adam's epsilon.",
    "fp16": "Whether training runs in float16.",
    "bf16": "Whether training runs in bfloat16.",
    "precision": "The number format of mixed precision, by name.",
    "weights": "The number format of the weights, by name.",
    "logging_nan_inf_filter": "Whether a NaN loss is replaced in the log.",
    "logging_steps": "How many steps one logged point averages.",
    "log_completions": "Whether completions are logged.",
    "num_completions_to_log": "How many completions of a step are logged.",
    "temperature": "The temperature of sampling.",
    "do_sample": "Whether completions are sampled, not decoded greedily.",
    "top_k": "How many of the likeliest tokens are sampled from.",
    "top_p": "The probability mass that nucleus sampling keeps.",
    "min_p": "The least probability of a sampled token, relative to the likeliest.",
    "repetition_penalty": "The factor against tokens that occurred before.",
    "min_new_tokens": "How many tokens a completion has at least.",
    "suppress_tokens": "Tokens that are never sampled.",
    "grammar": "A grammar or pattern that constrains completions.",
    "max_tokens": "How many tokens a completion has at most.",
    "stop_token": "The name of the token after which a completion is cut.",
    "stop_token_id": "The id of the token after which a completion is cut.",
    "missing_eos_penalty": "What a completion without an end token loses of its score.",
    "non_eos_penalty": "Whether a completion without an end token gets a fixed score.",
    "num_generations": "Completions of one prompt, which form a group.",
    "epochs": "Passes over a batch of completions.",
    "num_mini_batches": "The parts, one update each, that a batch is divided into.",
    "prompts_per_batch": "Prompts of one batch.",
    "prompts_per_update": "Prompts of one update.",
    "answers_per_update": "Completions of one update.",
    "steps_per_generation": "Passes through the device that share one generation.",
    "gradient_accumulation_steps": "Passes through the device that make one update.",
    "per_device_train_batch_size": "Completions that one device handles at a time.",
    "generation_batch_size": "Completions of one generation.",
    "num_processes": "Training processes.",
    "auto_find_batch_size": "Whether the batch shrinks until it fits into memory.",
    "epsilon": "The range in which the ratio of new to old policy is not clipped.",
    "importance_sampling_level": "Whether ratios are of tokens or of sequences.",
    "loss_type": "How the policy loss averages over tokens.",
    "scale_rewards": "What the advantage is divided by.",
    "kl_weight": "The weight of the KL to the reference.",
    "use_kl_loss": "Whether the KL to the reference is part of the loss.",
    "use_kl_in_reward": "Whether the KL to the reference is taken off the reward.",
    "disable_dropout": "Whether dropout is off in training.",
    "reward_funcs": "The reward functions.",
    "reward_weights": "The weights of the reward functions.",
    "reward_model": "The learned reward model.",
    "dataset": "The training prompts.",
    "model": "The model that is trained.",
    "use_peft": "Whether an adapter is trained, not the whole model.",
    "value_clip_range": "The range in which a change of the value is not clipped.",
    "use_score_scaling": "Whether scores are normalised.",
    "whiten_rewards": "Whether rewards are whitened.",
    "use_vllm": "Whether vLLM writes the completions.",
    "is_correction": "Whether importance sampling corrects for the rollout engine.",
    "bypass_mode": "Whether the engine's log-probabilities stand for those of the old policy.",
    "logprobs_mode": "Whether the engine's log-probabilities are those before or after temperature and cut-offs.",
    "eval_strategy": "When the policy is evaluated on held-out prompts.",
    "save_strategy": "When checkpoints are written.",
}
"""The canonical settings that pre-flight checks judge, and what each is."""

SETTINGS: Mapping[str, str] = {
    **CHECKED,
    "advantage_estimator": "How advantages are estimated, by which some producers choose the algorithm.",
    "producer_version": "The producer's own version.",
    "adaptive_entropy": "Whether an entropy bonus adapts itself to a target.",
    "batch_size": "Completions of one step.",
    "end_tokens": "Options of generation, among them the tokens that end a completion.",
    "engine_memory": "The share of an accelerator's memory that the rollout engine reserves.",
    "environment": "What makes the environments that tools act on.",
    "eos_token_id": "The id of the tokenizer's end token.",
    "epsilon_high": "The upper clip range, where it differs from the lower one.",
    "fp32_head": "Whether the language-model head computes in float32.",
    "is_mode": "How importance sampling for the rollout engine treats large ratios.",
    "kl_horizon": "The horizon of an adaptive KL penalty.",
    "local_batch_size": "Completions that one process generates in a step.",
    "logged_passes": "Passes over a generation, each of which is logged as a step.",
    "lr_schedule": "How the learning rate changes over the run.",
    "mask_truncated": "Whether truncated completions are left out of the loss.",
    "max_steps": "The planned steps.",
    "mini_batch_size": "Completions that one device handles at a time, in trainers that state it so.",
    "num_eval_prompts": "Held-out prompts of one evaluation.",
    "pad_token_id": "The id of the padding token.",
    "process_timeout": "How long processes wait for each other.",
    "reference_model": "The reference model, where it is not the model that is trained.",
    "report_to": "The trackers that the run is logged to.",
    "reward_aggregation": "How the rewards of several functions become one.",
    "rollout_forward_batch_size": "Completions that one forward pass of a rollout handles.",
    "rollout_temperature": "The temperature of sampling, where scoring uses another.",
    "sync_reference": "Whether the reference model follows the policy.",
    "tools": "The tools that completions may call.",
}
"""Every canonical setting, and what it is."""


_NOWHERE = object()
"""What stands at a name that a configuration does not hold."""
_SWITCHES = {argument: switch for producer in PRODUCERS for argument, switch in producer.switches.items()}


def _own_first(producer: str) -> tuple[Producer, ...]:
    own = producer_named(producer)
    return (own, *(other for other in PRODUCERS if other is not own))


@cache
def arguments_for(producer: str) -> Mapping[str, tuple[str, ...]]:
    """Canonical setting → every argument to look for in a producer's configuration: its own, then everybody's.

    A log may state a setting in another producer's words, and of some producers no settings are listed.
    """
    own, ordered = producer_named(producer), _own_first(producer)
    return {
        setting: tuple(
            dict.fromkeys(
                argument
                for source in ordered
                for argument in source.settings.get(setting, ())
                if source is own or argument not in source.own_words
            )
        )
        for setting in SETTINGS
    }


ANY_PRODUCER = arguments_for("")
"""Canonical setting → every argument that stands for it in some producer's configuration."""


@cache
def usual_arguments(producer: str, algorithm: str) -> Mapping[str, str]:
    """Canonical setting → what a producer calls it, or the next one that has it, where no argument is given."""
    return {setting: _usual_argument(setting, producer, algorithm) for setting in SETTINGS}


def _usual_argument(setting: str, producer: str, algorithm: str) -> str:
    names = (source.usual_argument(setting, algorithm) for source in _own_first(producer))
    return next((name for name in names if name), setting)


def settings_of_run(producer: str, algorithm: str, config: Mapping[str, Any]) -> Settings:
    """The settings that a run's configuration states, by canonical name."""
    found = {setting: _counting(producer, setting, config) for setting in SETTINGS} if config else {}
    known = {setting: item for setting, item in found.items() if item is not None}
    return Settings(known, usual_arguments(producer, algorithm), producer_named(producer).neutral)


def given(producer: str, setting: str, config: Mapping[str, Any]) -> Iterator[Setting]:
    """The arguments for a setting that a configuration gives, those that are switched off last."""
    values = ((name, value_at(config, name, _NOWHERE)) for name in arguments_for(producer)[setting])
    found = [Setting(name, value, "config") for name, value in values if value is not _NOWHERE]
    yield from sorted(found, key=lambda item: _is_switched_off(item.parameter, config))


def _counting(producer: str, setting: str, config: Mapping[str, Any]) -> Setting | None:
    """What a run's configuration states; not what is switched off, nor what transformers copies from the model."""
    for item in given(producer, setting, config):
        if not item.parameter.startswith("_") and not _is_switched_off(item.parameter, config):
            return item
    return None


def _is_switched_off(argument: str, config: Mapping[str, Any]) -> bool:
    switch = value_at(config, _SWITCHES[argument], _NOWHERE) if argument in _SWITCHES else _NOWHERE
    return switch is not _NOWHERE and not is_on(switch)
