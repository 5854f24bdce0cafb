"""Tests of what settings reveal about a log: the algorithm, the planned steps, the version, what was diluted."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from diagnostics.api import open_run
from diagnostics.assemble.assembler import assemble
from diagnostics.assemble.merge import merge
from diagnostics.model.recording import Recording, Source
from diagnostics.model.series import RawSeries
from diagnostics.producers.nested_config import planned_steps, value_at
from diagnostics.producers.translation import translate
from diagnostics.readers.discovery import open_readers

FIXTURES = Path(__file__).parents[2] / "fixtures" / "trl"
VERL = ("critic/score/mean", "actor/ppo_kl")
OPENRLHF = ("train/actor_lr", "train/policy_loss", "train/reward")


def recording(tags: tuple[str, ...], **others: Any) -> Recording:
    path = Path("log")
    series = {tag: RawSeries(tag, np.array([1, 2]), np.array([0.5, 0.5])) for tag in tags}
    return Recording(path=path, sources=(Source("wandb", path),), run_id="a", name="a", tags=series, **others)


@pytest.mark.parametrize(
    "config",
    [
        {"algorithm": {"adv_estimator": "rloo"}, "trainer": {"total_training_steps": 300}},
        {"algorithm.adv_estimator": "rloo", "trainer.total_training_steps": 300},
        {"algorithm/adv_estimator": "rloo", "trainer/total_training_steps": 300},
    ],
)
def test_nested_settings_are_found_whatever_a_tracker_made_of_them(config: dict[str, Any]) -> None:
    run = assemble(recording(VERL, config=config), observed_at=0.0)

    assert (run.producer, run.algorithm, run.status.total) == ("verl", "rloo", 300)


def test_settings_that_the_old_ppo_trainer_hands_to_wandb_are_found_under_its_heading() -> None:
    config = {"trl_ppo_trainer_config": {"learning_rate": 3e-4, "init_kl_coef": 0.1}, "mine": 7}
    run = assemble(recording(("ppo/mean_non_score_reward",), config=config), observed_at=0.0)

    assert (run.settings.known["learning_rate"].value, run.settings.known["kl_weight"].value) == (3e-4, 0.1)
    assert run.config["mine"] == 7


@pytest.mark.parametrize("config", [{"trl_ppo_trainer_config": "lost"}, {"learning_rate": 3e-4}])
def test_settings_of_the_old_ppo_trainer_without_a_heading_stay_as_they_are(config: dict[str, Any]) -> None:
    found = translate(recording(("ppo/mean_non_score_reward",), config=config))

    assert found.log.config == config


def test_gae_is_ppo_even_before_a_value_loss_is_logged() -> None:
    found = translate(recording(VERL, config={"algorithm": {"adv_estimator": "gae"}}))

    assert found.traits.algorithm == "ppo"


def test_an_estimator_of_its_own_is_judged_as_its_relative_and_told() -> None:
    found = translate(recording(VERL, config={"algorithm": {"adv_estimator": "remax"}}))

    assert found.traits.algorithm == "grpo"
    assert found.traits.notes == ("algorithm.adv_estimator is remax: judged as GRPO, whose metrics it logs",)


@pytest.mark.parametrize(
    "config", [{"algo": {"advantage": {"estimator": "group_norm"}}}, {"advantage_estimator": "dr_grpo"}]
)
def test_openrlhfs_estimators_are_known_under_both_of_its_names(config: dict[str, Any]) -> None:
    assert translate(recording(OPENRLHF, config=config)).traits.algorithm == "grpo"


def test_a_setting_that_is_not_there_is_none() -> None:
    assert value_at({"trainer": 3}, "trainer.total_training_steps") is None
    assert planned_steps({"trainer": {"total_training_steps": None}}, "trainer.total_training_steps") is None


def test_the_version_stands_in_wandbs_list_of_packages() -> None:
    run = open_run(next(FIXTURES.glob("ppo112_nmb1/wandbdir/wandb/*")))

    assert (run.producer, run.producer_version) == ("trl", "1.12.0")


@pytest.mark.parametrize(("name", "entropy_factor"), [("ppo112_nmb2", 2.0), ("ppo112_nmb1", 1.0)])
def test_without_settings_dilution_shows_in_the_variance_of_the_ratio(name: str, entropy_factor: float) -> None:
    whole = merge([reader.refresh() for reader in open_readers(next((FIXTURES / name).glob("out/runs/*")))])
    bare = replace(whole, text={}, config={})

    run = assemble(bare, observed_at=0.0)

    raw = whole.tags["train/policy/entropy_avg"].values
    assert np.allclose(run.series["entropy_per_token"].values, entropy_factor * raw)
    assert run.series["ratio_mean"].values[0] == pytest.approx(1.0, abs=0.02)


def test_a_ratio_that_truly_is_a_half_is_left_alone() -> None:
    tags = ("objective/rlhf_reward", "val/ratio", "val/ratio_var", "policy/entropy_avg")
    found = recording(tags)
    steady = RawSeries("val/ratio_var", np.array([1, 2]), np.array([0.001, 0.001]))

    run = assemble(replace(found, tags={**found.tags, "val/ratio_var": steady}), observed_at=0.0)

    assert run.series["ratio_mean"].values.tolist() == [0.5, 0.5]
