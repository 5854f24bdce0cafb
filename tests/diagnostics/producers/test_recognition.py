"""Tests of recognition and meaning on made-up key sets: versions, relatives and producers that no fixture shows."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from diagnostics.assemble.assembler import assemble
from diagnostics.model.recording import Recording, Source
from diagnostics.model.run import Run
from diagnostics.model.series import RawSeries
from diagnostics.model.vocabulary import METRICS, metric
from diagnostics.producers.table import TRAINERS
from diagnostics.producers.translation import glossary, translate
from diagnostics.producers.unsloth import with_whole_groups

OLD_GRPO = ("reward", "reward_std", "kl", "completion_length", "rewards/accuracy", "loss")
PPO = ("objective/rlhf_reward", "objective/scores", "objective/kl", "val/ratio", "policy/clipfrac_avg", "episode")


def recording(tags: Iterable[str], config: dict[str, Any] | None = None, **values: Any) -> Recording:
    """A log by a Hugging Face trainer that holds these tags, each with two points."""
    steps, ones = np.array([1, 2]), np.array([1.0, 1.0])
    series = {f"train/{tag}": RawSeries(f"train/{tag}", steps, ones) for tag in tags}
    path = Path("log")
    text = {"args/text_summary": json.dumps(config)} if config else {}
    return Recording(path, (Source("tensorboard", path),), "id", "log", series, text=text, **values)


def run(tags: Iterable[str], config: dict[str, Any] | None = None, **values: Any) -> Run:
    return assemble(recording(tags, config, **values), observed_at=0.0)


def test_the_first_grpo_releases_are_understood() -> None:
    found = run(OLD_GRPO)

    assert (found.producer, found.algorithm) == ("trl", "grpo")
    assert {"length_mean", "reward_func_mean/accuracy", "kl_per_token"} <= set(found.series)


def test_the_inverted_clip_ratio_of_one_release_is_not_taken_for_the_real_one() -> None:
    found = run((*OLD_GRPO, "clip_ratio"))

    assert "clip_ratio" not in found.series
    assert found.data_health.unmapped_tags == ("trl/clip_ratio",)


def test_rloo_is_told_from_grpo_by_its_settings() -> None:
    tags = ("reward", "reward_std", "completions/mean_length", "kl")

    assert run(tags, {"normalize_advantages": False}).algorithm == "rloo"
    assert run(tags, {"loss_type": "dapo"}).algorithm == "grpo"


def test_without_settings_the_doubt_between_grpo_and_rloo_is_told() -> None:
    (note,) = run(("reward", "reward_std", "completions/mean_length")).notes

    assert "RLOO" in note


def test_old_rloo_and_online_dpo_are_recognised() -> None:
    assert run(PPO, {"rloo_k": 4, "kl_coef": 0.05}).algorithm == "rloo"
    assert run(("objective/kl", "rewards/chosen", "rewards/rejected", "beta")).algorithm == "online-dpo"


def test_old_rloo_without_settings_is_known_by_its_value_loss_of_zero() -> None:
    log = recording((*PPO, "loss/value_avg"))
    log.tags["train/loss/value_avg"].values[:] = 0.0
    found = assemble(log, 0.0)

    assert found.algorithm == "rloo"
    assert "value_loss" not in found.series


@pytest.mark.parametrize(
    ("version", "steps", "ratio", "factor"),
    [
        ("1.12.0", 2, 1.0, 2.0),
        ("0.17.0", 4, 0.5, 2.0),
        ("1.12.0", 3, 0.7, 1.5),  # two passes of three places
        ("1.12.0", 1, 1.0, 1.0),  # every place is filled
        ("0.16.1", 2, 0.5, 1.0),
        (None, 2, 0.5, 2.0),
        (None, 2, 1.0, 1.0),
        ("1.12.0", None, 0.5, 2.0),
        ("1.12.0", None, 1.0, 1.0),
    ],
)
def test_dilution_is_judged_by_version_and_settings_and_without_one_by_the_data(
    version: str | None, steps: int | None, ratio: float, factor: float
) -> None:
    settings = {"num_mini_batches": 2, **({"gradient_accumulation_steps": steps} if steps else {})}
    log = recording(PPO, settings, producer_version=version)
    log.tags["train/val/ratio"].values[:] = ratio

    assert [factor * ratio] * 2 == assemble(log, 0.0).series["ratio_mean"].values.tolist()


def test_a_ratio_far_above_one_shows_no_dilution() -> None:
    log = recording((*PPO, "val/ratio_var"))
    log.tags["train/val/ratio"].values[:] = 5.0

    assert assemble(log, 0.0).series["ratio_mean"].values.tolist() == [5.0] * 2


@pytest.mark.parametrize(
    "tags",
    [
        ("critic/score/mean", "response_length/mean", "response_length/clip_ratio"),
        ("critic/score/mean", "actor/entropy", "timing_s/gen"),
        ("critic/rewards/mean", "response_length/mean"),
        ("actor/grad_norm", "actor/pg_loss", "timing_s/update_actor"),
    ],
)
def test_an_excerpt_of_a_log_of_verl_is_known_without_its_kl_and_its_clipping(tags: tuple[str, ...]) -> None:
    assert (run(tags).producer, run(tags).algorithm) == ("verl", "grpo")
    assert run((*tags, "critic/vf_loss")).algorithm == "ppo"


@pytest.mark.parametrize(("batch", "group", "trained"), [(1, 8, 8), (8, 6, 6), (2, 8, 2), (4, 2, 4), (4, 0, 4)])
def test_unsloth_trains_with_a_batch_of_whole_groups(batch: int, group: int, trained: int) -> None:
    settings = {"per_device_train_batch_size": batch, "num_generations": group, "gradient_accumulation_steps": 4}
    config = with_whole_groups(settings)
    assert config == {**settings, "per_device_train_batch_size": trained}


def test_columns_with_an_underscore_for_each_slash_are_known_as_the_producers_names() -> None:
    found = run(("critic_score_mean", "actor_ppo_kl", "response_length_mean", "mine_alone"))

    assert (found.producer, found.algorithm) == ("verl", "grpo")
    assert {"reward", "length_mean", "mine_alone"} <= set(found.series)
    assert run(("critic_score_mean", "actor_ppo_kl", "a/b")).producer == "unknown"


@pytest.mark.parametrize(
    "tags", [("critic/score/mean",), ("actor/grad_norm", "actor/pg_loss"), ("response_length/mean",)]
)
def test_a_single_name_that_others_use_too_is_no_log_of_verl(tags: tuple[str, ...]) -> None:
    assert run(tags).producer == "unknown"


def test_an_unknown_log_says_what_it_holds() -> None:
    found = run(("loss", "grad_norm", "mean_token_accuracy"))

    assert (found.producer, found.algorithm) == ("unknown", "unknown")
    assert {"loss", "grad_norm", "mean_token_accuracy"} == set(found.series)
    assert found.data_health.unmapped_tags == ("mean_token_accuracy",)
    assert found.notes[0].startswith("This is no log of PPO, GRPO, RLOO or online DPO")


@pytest.mark.parametrize("tag", ["reward_mean", "mean_reward"])
def test_a_name_that_can_mean_nothing_else_is_read_whoever_logs_it(tag: str) -> None:
    found = run((tag, "my_loss"))
    assert (found.producer, set(found.series)) == ("unknown", {"reward", "my_loss"})
    assert found.series["reward"].tag == tag


def test_two_tags_of_one_metric_are_both_kept() -> None:
    series = run((*PPO, "lr", "learning_rate")).series

    assert (series["learning_rate"].tag, series["trl/learning_rate"].tag) == ("lr", "learning_rate")


def test_a_prefixed_tag_that_would_hide_another_keeps_its_prefix() -> None:
    log = recording(("odd",))
    log.tags["odd"] = RawSeries("odd", np.array([1]), np.array([5.0]))  # type: ignore[index]

    assert {"odd", "train/odd"} == set(assemble(log, 0.0).series)


def test_every_name_in_a_table_is_in_the_vocabulary() -> None:
    assert [entry for entry in glossary() if metric(entry.metric) is None] == []


def test_every_caveat_is_about_a_tag_of_its_trainer() -> None:
    strays = [
        (trainer.name, tag)
        for trainer in TRAINERS
        for caveat in trainer.caveats
        for tag in caveat.tags
        if trainer.metric_of(tag) is None
    ]

    assert strays == []


def test_every_metric_of_the_vocabulary_has_a_writer() -> None:
    written = {found.name for entry in glossary() if (found := metric(entry.metric))}

    assert set() == {entry.name for entry in METRICS} - written


def test_our_own_run_log_is_never_mistaken() -> None:
    for tags in (PPO, OLD_GRPO, ("loss",)):
        assert translate(recording(tags, producer="rlvitals")).producer == "rlvitals"


def test_our_own_run_log_without_an_algorithm_is_judged_by_its_names() -> None:
    assert [run(tags, producer="rlvitals").algorithm for tags in (PPO, OLD_GRPO, ("loss",))] == [
        "ppo",
        "grpo",
        "unknown",
    ]
    assert run(PPO, producer="rlvitals", algorithm="grpo").algorithm == "grpo"


def test_the_event_files_of_our_ppo_are_told_from_trls_by_the_largest_ratio() -> None:
    assert translate(recording((*PPO, "val/ratio_max"))).producer == "rlvitals"
    assert run((*PPO, "val/ratio_max")).algorithm == "ppo"
    assert translate(recording(PPO)).producer == "trl"


def test_the_event_files_of_our_grpo_are_told_from_trls_by_how_surprising_its_samples_are() -> None:
    tags = ("reward", "reward_std", "completions/mean_length", "clip_ratio/region_mean", "entropy")
    assert translate(recording((*tags, "objective/entropy"))).producer == "rlvitals"
    assert run((*tags, "objective/entropy")).algorithm == "grpo"
    assert translate(recording(tags)).producer == "trl"


def test_columns_of_a_table_name_the_reward_functions_of_a_trainer_that_is_known_by_others() -> None:
    columns = ("reward", "reward_std", "completions_clipped_ratio", "rewards_right_answer_func_mean", "rewards_x_std")
    found = run((*columns, "frac_reward_zero_std"))
    expected = {"truncated_fraction", "reward_func_mean/right_answer_func", "reward_func_std/x", "zero_std_fraction"}
    assert expected <= set(found.series)
    assert "rewards_right_answer_func_mean" in run((*columns, "frac_reward_zero_std", "a/b")).series
