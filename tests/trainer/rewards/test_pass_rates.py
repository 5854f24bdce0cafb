"""Probing an untrained policy, with a real model in a real process."""

import json
from pathlib import Path

import pytest

from diagnostics.configs.dry_run import probe_policy
from diagnostics.model.setup import Probe

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def of_addition() -> Probe:
    return probe_policy("grpo", {"task": "addition", "max_completion_length": 6})


def test_thirty_two_answers_get_four_times_the_room(of_addition: Probe) -> None:
    assert (len(of_addition.lengths), of_addition.room) == (32, 24)
    assert 0 < min(of_addition.lengths) <= max(of_addition.lengths) <= 24


def test_answers_are_longer_than_a_limit_that_is_too_short(of_addition: Probe) -> None:
    assert sum(length > 6 for length in of_addition.lengths) > 6


@pytest.fixture(scope="module")
def in_groups() -> Probe:
    config = {"task": "addition", "max_completion_length": 6}
    return probe_policy("grpo", config, prompts=6, generations=8)


def test_one_generation_gives_lengths_and_rewards_of_groups(in_groups: Probe) -> None:
    assert (len(in_groups.lengths), in_groups.room, in_groups.generations) == (48, 24, 8)
    assert [len(item.rewards) for item in in_groups.prompts] == [8] * 6
    assert len({item.prompt for item in in_groups.prompts}) == 6
    assert all(item.row["answer"] for item in in_groups.prompts)


def test_an_answer_is_scored_as_far_as_a_training_would_keep_it(in_groups: Probe) -> None:
    rewards = [reward for item in in_groups.prompts for reward in item.rewards]
    cut_off = [length > 6 for length in in_groups.lengths]
    assert set(rewards) == {0.0, 1.0}
    assert {reward for reward, is_cut in zip(rewards, cut_off, strict=True) if is_cut} == {0.0}


def test_rows_that_are_few_are_asked_once_each(tmp_path: Path) -> None:
    rows = [{"prompt": "12+34=", "answer": "46", "source": "mine"}, {"prompt": "10+10=", "answer": "20"}]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    config = {"dataset": str(tmp_path / "rows.jsonl"), "reward_funcs": ["exact_match"], "task": "addition"}
    probe = probe_policy("grpo", config, prompts=32, generations=4)
    assert [dict(item.row) for item in probe.prompts] == rows
    assert len(probe.lengths) == 8


def test_what_cannot_be_probed_is_told_in_one_sentence() -> None:
    with pytest.raises(match="model"):
        probe_policy("grpo", {"task": "addition", "model_name_or_path": "no/such/model"})
