"""Hugging Face's TRL: GRPOTrainer, RLOOTrainer, PPOTrainer and its relatives, and the first PPOTrainer."""

from diagnostics.model.algorithms import PPO_FAMILY
from diagnostics.model.quirks import Quirk
from diagnostics.producers.producer import Producer, Trait
from diagnostics.producers.trl import grpo, legacy_ppo, ppo, settings

PRODUCER = Producer(
    "trl",
    (grpo.TRAINER, ppo.TRAINER, legacy_ppo.TRAINER),
    settings=settings.ARGUMENTS,
    first_arguments=settings.FIRST_ARGUMENTS,
    defaults=settings.DEFAULTS,
    handed_over=settings.HANDED_OVER,
    recognise_config=settings.recognise_config,
    algorithm_marks=settings.ALGORITHM_MARKS,
    logs_model_config=True,
    needs_reward_model=PPO_FAMILY,
    has_reward_columns=True,
    title="TRL",
    quirks=(
        Trait(Quirk.AVERAGES_LOGGED_STEPS),
        Trait(Quirk.STATES_WHAT_IT_LOGS),
        Trait(Quirk.REPLACES_NAN_LOSS),  # transformers' logging_nan_inf_filter
        Trait(Quirk.IGNORES_STOP_REQUESTS, frozenset({"ppo"})),
        Trait(Quirk.LOGS_BATCH_REWARD_STD, since=(0, 27)),
    ),
    call_prefixes=("profiling/",),  # its timings name no step: each tracker puts them where its own count stands
)
