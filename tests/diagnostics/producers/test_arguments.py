"""Tests of what producers call their settings: an argument is named that the trainer really has."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from diagnostics.producers.producer import Producer
from diagnostics.producers.rlvitals import PRODUCER as OURS
from diagnostics.producers.table import PRODUCERS
from diagnostics.producers.trl import PRODUCER as TRL
from diagnostics.producers.trl.training_arguments import OF_SCRIPTS
from trainer.config.grpo import GRPOConfig
from trainer.config.ppo import PPOConfig
from trainer.config.rloo import RLOOConfig

CLASSES: dict[str, Any] = json.loads((Path(__file__).parent / "trl_arguments.json").read_text("utf-8"))
"""By algorithm, the fields of TRL's configuration class; those of transformers' under "all"."""
OF_CONSTRUCTORS = {"reward_funcs", "tools", "environment_factory"}
"""What GRPOTrainer and RLOOTrainer take beside their configuration."""
OURS_BY_ALGORITHM = {"grpo": GRPOConfig, "rloo": RLOOConfig, "ppo": PPOConfig}


def in_the_table(producer: Producer) -> set[str]:
    return {argument for arguments in producer.settings.values() for argument in arguments}


@pytest.mark.parametrize("algorithm", ["grpo", "rloo", "ppo", "online-dpo"])
def test_trls_arguments_are_fields_of_the_class_that_the_algorithm_is_configured_by(algorithm: str) -> None:
    fields = {*CLASSES[algorithm]["fields"], *CLASSES["all"]["fields"]}
    whole = {argument for argument in TRL.arguments[algorithm] if "." not in argument}
    assert whole - fields - OF_SCRIPTS - OF_CONSTRUCTORS == set()
    parts = {argument.partition(".")[0] for argument in TRL.arguments[algorithm] if "." in argument}
    assert parts <= {"generation_kwargs"} & fields


@pytest.mark.parametrize("algorithm", OURS_BY_ALGORITHM)
def test_the_bundled_trainers_arguments_are_those_of_its_table_that_its_class_has(algorithm: str) -> None:
    fields = {field.name for field in dataclasses.fields(OURS_BY_ALGORITHM[algorithm])}
    assert fields & in_the_table(OURS) == OURS.arguments[algorithm]


@pytest.mark.parametrize("producer", PRODUCERS, ids=lambda producer: producer.name)
def test_every_argument_of_an_algorithm_stands_in_the_table(producer: Producer) -> None:
    named = {argument for arguments in producer.arguments.values() for argument in arguments}
    assert named <= in_the_table(producer)


@pytest.mark.parametrize(
    ("algorithm", "setting", "argument"),
    [
        ("grpo", "max_tokens", "max_completion_length"),
        ("ppo", "max_tokens", "response_length"),
        ("ppo-legacy", "max_tokens", "max_new_tokens"),
        ("ppo", "kl_weight", "kl_coef"),
        ("grpo", "top_k", "top_k"),
        ("ppo", "top_k", None),
        ("grpo", "min_new_tokens", "generation_kwargs.min_new_tokens"),
        ("grpo", "missing_eos_penalty", None),
        ("rloo", "scale_rewards", None),
    ],
)
def test_a_setting_goes_by_the_argument_of_the_algorithm(algorithm: str, setting: str, argument: str | None) -> None:
    assert TRL.usual_argument(setting, algorithm) == argument
