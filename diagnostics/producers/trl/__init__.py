"""Hugging Face's TRL: GRPOTrainer, RLOOTrainer, PPOTrainer and its relatives, and the first PPOTrainer."""

from diagnostics.model.algorithms import PPO_FAMILY
from diagnostics.model.quirks import Quirk
from diagnostics.producers.producer import Producer, Trait
from diagnostics.producers.trl import grpo, legacy_ppo, ppo, training_arguments

PRODUCER = Producer(
    "trl",
    (grpo.TRAINER, ppo.TRAINER, legacy_ppo.TRAINER),
    settings=training_arguments.ARGUMENTS,
    notation="keyword",
    arguments=training_arguments.OF_TRAINERS,
    first_arguments=training_arguments.FIRST_ARGUMENTS,
    defaults=training_arguments.DEFAULTS,
    handed_over=training_arguments.HANDED_OVER,
    recognise_config=training_arguments.recognise_config,
    algorithm_marks=training_arguments.ALGORITHM_MARKS,
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
