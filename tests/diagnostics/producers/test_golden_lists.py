"""Tests of producers without a real log in the repository: recognised by fingerprint, values as documented."""

import json
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

from diagnostics.assemble.assembler import assemble
from diagnostics.model.recording import Recording, Source
from diagnostics.model.run import Run
from diagnostics.model.series import RawSeries
from diagnostics.model.vocabulary import metric as metric_of
from diagnostics.producers.table import PRODUCERS, TRAINERS

HELD_AGAINST_PUBLIC_LOGS = {"verl", "unsloth", "tinker", "deepspeed-chat"}
"""Producers whose names were looked up in logs of theirs that are public, but not ours to keep."""
GOLDEN = Path(__file__).parent / "golden"
"""One file for each producer: logs of its, each with its algorithm and what every tag in it means (null: no metric)."""
LISTS = {
    (path.stem, log["algorithm"]): log["tags"]
    for path in sorted(GOLDEN.glob("*.json"))
    for log in json.loads(path.read_text("utf-8"))
}
FINGERPRINTS = {who: tuple(tags) for who, tags in LISTS.items()}
WITH_LOGS_OF_THEIR_OWN = {"trl", "rlvitals"}
"""Producers whose golden lists are held against logs in the repository (`test_trl.py`, the sample runs)."""


def run(tags: Iterable[str], value: float = 0.5) -> Run:
    steps, path = np.array([1, 2]), Path("log")
    series = {tag: RawSeries(tag, steps, np.full(2, value)) for tag in tags}
    return assemble(Recording(path, (Source("wandb", path),), "id", "log", series), observed_at=0.0)


@pytest.mark.parametrize(("who", "golden"), LISTS.items(), ids=lambda value: "-".join(value)[:40])
def test_a_producers_log_is_recognised_and_named(who: tuple[str, str], golden: dict[str, str | None]) -> None:
    found = run(golden)
    named = {series.tag: name for name, series in found.series.items() if series.metric is not None}

    assert who == (found.producer, found.algorithm)
    assert golden == {tag: named.get(tag, named.get(tag.removeprefix("train/"))) for tag in golden}
    doubts = ["not checked on a log of its own" in note for note in found.notes]
    assert any(doubts) == (who[0] not in HELD_AGAINST_PUBLIC_LOGS)


def test_every_producer_has_a_golden_list() -> None:
    listed = {producer for producer, _ in LISTS} | WITH_LOGS_OF_THEIR_OWN
    assert listed == {producer.name for producer in PRODUCERS} - {"unknown"}


def test_a_producer_without_doubt_was_held_against_a_real_log() -> None:
    verified = {known.name for known in PRODUCERS if all(trainer.is_verified for trainer in known.trainers)}
    assert verified - {"unknown"} == WITH_LOGS_OF_THEIR_OWN | HELD_AGAINST_PUBLIC_LOGS


def test_every_name_stands_for_a_metric_of_the_vocabulary() -> None:
    wrong = {
        (trainer.name, tag)
        for trainer in TRAINERS
        for tag, metric in {**trainer.tags, **trainer.families}.items()
        if metric_of(metric) is None
    }

    assert wrong == set()


def test_an_entropy_that_is_logged_as_a_loss_gets_its_sign_back() -> None:
    found = run((*FINGERPRINTS["stable-baselines3", "ppo"], "train/entropy_loss"), value=-1.25)

    assert found.series["entropy_per_token"].values.tolist() == [1.25, 1.25]
    assert "sign is turned" in found.series["entropy_per_token"].caveat


def test_an_entropy_loss_that_is_the_entropy_keeps_its_sign() -> None:
    for producer in ("verl", "openrlhf"):
        tag = "actor/entropy_loss" if producer == "verl" else "train/entropy_loss"
        found = run((*FINGERPRINTS[producer, "grpo"], tag), value=1.25)
        assert found.series["entropy_per_token"].values.tolist() == [1.25, 1.25]


def test_a_root_of_the_kl_is_squared() -> None:
    assert run(FINGERPRINTS["trlx", "ppo"], value=3.0).series["kl_per_sequence"].values.tolist() == [9.0, 9.0]


def test_a_negated_kl_is_turned() -> None:
    found = run((*FINGERPRINTS["areal", "grpo"], "ppo_actor/update/approx_kl/avg"), value=-0.25)

    assert found.series["policy_kl"].values.tolist() == [0.25, 0.25]


def test_a_kl_of_zero_throughout_that_was_never_computed_is_no_kl() -> None:
    for who, tag in ((("unsloth", "grpo"), "train/kl"), (("nemo-rl", "grpo"), "train/kl_penalty")):
        tags = (*FINGERPRINTS[who], tag)
        assert "kl_per_token" not in run(tags, value=0.0).series
        assert "kl_per_token" in run(tags, value=0.5).series


def test_slimes_normalised_rewards_are_not_its_reward() -> None:
    found = run((*FINGERPRINTS["slime", "grpo"], "rollout/rewards"))

    assert found.series["reward"].tag == "rollout/raw_reward"
    assert "rollout/rewards" in found.data_health.unmapped_tags


def test_the_groups_without_a_signal_are_those_that_tinker_does_not_call_mixed() -> None:
    found = run(FINGERPRINTS["tinker", "grpo"], value=0.75)

    assert found.series["zero_std_fraction"].values.tolist() == [0.25, 0.25]
    assert "Derived" in found.series["zero_std_fraction"].caveat


@pytest.mark.parametrize(("turns", "is_length"), [(1.0, True), (2.5, False)])
def test_tokens_per_turn_are_the_length_of_a_completion_where_an_episode_has_one_turn(
    turns: float, is_length: bool
) -> None:
    tags = ("env/all/reward/total", "env/all/turns_per_episode", "env/all/ac_tokens_per_turn")
    found = run(tags, value=turns).series

    assert ("length_mean" in found) == is_length
    assert ("env/all/ac_tokens_per_turn" in found) != is_length


def test_a_learning_rate_that_verl_logs_times_ten_thousand_is_in_its_own_unit() -> None:
    found = run((*FINGERPRINTS["verl", "ppo"], "actor/lr(1e-4)", "critic/lr(1e-4)"), value=0.01)

    assert found.series["learning_rate"].values == pytest.approx([1e-6, 1e-6])
    assert found.series["value_learning_rate"].values == pytest.approx([1e-6, 1e-6])


def test_a_share_of_errors_in_the_format_is_turned_into_one_of_right_ones() -> None:
    tags = (*FINGERPRINTS["verl", "grpo"], "reward/all_correct_ratio", "reward/format_error_ratio")
    found = run(tags, value=0.25).series

    assert found["reward_func_mean/correct"].values.tolist() == [0.25, 0.25]
    assert found["reward_func_mean/format"].values.tolist() == [0.75, 0.75]


def test_names_of_a_table_in_a_notebook_are_the_trainers_own() -> None:
    tags = (
        "reward",
        "reward_std",
        "completions / mean_length",
        "rewards / exact / mean",
        "rewards / exact / std",
        "kl",
    )
    found = run((*tags, "Training Loss", "Validation Loss"))

    assert (found.producer, found.algorithm, found.data_health.unmapped_tags) == ("unsloth", "grpo", ())
    assert {"loss", "eval/loss", "length_mean", "reward_func_mean/exact", "reward_func_std/exact"} <= set(found.series)


def test_a_canonical_name_means_itself_as_people_print_it() -> None:
    found = run(("Reward", "Learning Rate", "Avg Len"))

    assert found.producer == "unknown"
    assert {name: series.tag for name, series in found.series.items()} == {
        "reward": "Reward",
        "learning_rate": "Learning Rate",
        "Avg Len": "Avg Len",
    }


def test_of_two_tags_with_one_name_both_stay() -> None:
    found = run(("reward", "reward_std", "completion_length", "Training Loss", "loss", "a / b", "train/a / b"))

    assert {"loss", "Training Loss", "a/b"} <= set(found.series)
    assert len(found.series) == 7


def test_verls_dual_clip_is_not_the_clipping_of_the_low_side() -> None:
    found = run((*FINGERPRINTS["verl", "grpo"], "actor/pg_clipfrac_lower"))

    assert "clip_ratio_low_mean" not in found.series
    assert found.series["dual_clip_fraction"].tag == "actor/pg_clipfrac_lower"


@pytest.mark.parametrize(("algorithm", "name"), [("grpo", "eval/reward"), ("ppo", "eval/score")])
@pytest.mark.parametrize(
    "tag", ["val-core/openai/gsm8k/reward/mean@1", "val-aux/math/reward/mean@8", "val/test_score/openai/gsm8k"]
)
def test_the_reward_on_the_data_that_verl_validates_on_is_that_of_an_evaluation(
    algorithm: str, name: str, tag: str
) -> None:
    found = run((*FINGERPRINTS["verl", algorithm], tag))

    assert found.series[name].tag == tag


def test_of_several_datasets_that_verl_validates_on_none_is_the_evaluation() -> None:
    tags = ("val-core/gsm8k/reward/mean@1", "val-core/math/reward/mean@1", "val-core/math/reward/best@8/mean")
    found = run((*FINGERPRINTS["verl", "grpo"], *tags))

    assert "eval/reward" not in found.series
    assert set(tags) <= set(found.data_health.unmapped_tags)
