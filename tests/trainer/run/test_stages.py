"""The stages that a fault divides a training into."""

import json
from pathlib import Path

import pytest

from trainer.config.fault_values import config_at_start, fault_record
from trainer.config.options import ConfigError
from trainer.config.training import TrainConfig
from trainer.data.prompts import load_prompts
from trainer.launch.arguments import read_plan
from trainer.rewards import get_reward_funcs
from trainer.run.stages import Changes, Stage, changes_of
from trainer.tasks import get_task


def configured(*words: str) -> TrainConfig:
    return read_plan(list(words)).config


def changes(*words: str) -> Changes:
    config = configured(*words)
    functions = get_reward_funcs(config.reward_funcs or get_task(config.task).reward_funcs)
    found = changes_of(Stage(config, load_prompts(config), functions))
    assert found is not None
    return found


def test_the_values_change_at_the_onset_and_not_a_step_before() -> None:
    found = changes("ppo", "--fault", "learning-rate-too-high", "--fault_step", "7")
    assert [found.at(step).config.learning_rate for step in (6, 7, 8)] == [3e-4, 1e-2, 1e-2]


def test_a_fault_from_the_start_holds_at_the_first_step_and_wins_over_words() -> None:
    found = changes("ppo", "--fault", "learning-rate-too-high", "--learning_rate", "1e-5")
    assert found.at(1).config.learning_rate == 1e-2


def test_without_a_fault_nothing_changes() -> None:
    config = configured("ppo")
    assert changes_of(Stage(config, load_prompts(config), [])) is None
    assert fault_record(config) is None


def test_reward_functions_are_replaced_only_where_the_fault_names_some() -> None:
    rewarded = changes("grpo", "--fault", "length-reward")
    other = changes("grpo", "--fault", "completion-limit-too-short")
    assert [function.name for function in rewarded.after.reward_funcs] == ["length"]
    assert other.before.reward_funcs is other.after.reward_funcs


def test_a_fault_of_the_data_alters_the_prompts_and_leaves_their_order_alone() -> None:
    found = changes("grpo", "--fault", "too-hard-data", "--fault_step", "3")
    state = found.before.prompts.state_dict()
    healthy = found.before.prompts.draw(4)
    found.after.prompts.load_state_dict(state)
    hard = found.after.prompts.draw(4)
    assert [f"1{row['prompt'].replace('+', '+1')}" for row in healthy] == [row["prompt"] for row in hard]
    assert found.before.prompts.state_dict() == found.after.prompts.state_dict()
    assert len(found.before.prompts) == len(found.after.prompts)


def test_a_fault_chooses_the_task_that_it_is_made_for_unless_one_is_named() -> None:
    assert configured("grpo", "--fault", "top-k").task == "remarks"
    assert configured("grpo", "--fault", "completion-limit-too-short", "--task", "addition").task == "addition"


def test_the_record_tells_what_was_done_and_when() -> None:
    assert fault_record(configured("ppo", "--fault", "top-k", "--fault_step", "5")) == {
        "name": "top-k",
        "onset_step": 5,
        "changes": {"top_k": 3},
    }
    assert fault_record(configured("grpo", "--fault", "too-easy-data"))["changes"] == {"prompts": "too_easy"}


def test_run_json_tells_the_values_in_force_at_the_start() -> None:
    assert config_at_start(configured("ppo", "--fault", "top-k")).top_k == 3
    assert config_at_start(configured("ppo", "--fault", "top-k", "--fault_step", "2")).top_k == 0


def test_a_relaunch_starts_from_the_faulty_values_and_a_fix_wins_over_them(tmp_path: Path) -> None:
    parent = configured("ppo", "--fault", "min-new-tokens", "--fault_step", "9")
    described = {"run_id": "parent", "algorithm": "ppo", "config": config_at_start(parent).to_dict()}
    (tmp_path / "run.json").write_text(json.dumps(described))
    child = read_plan(["--from", str(tmp_path), "--min_new_tokens", "0"]).config
    assert (child.fault, child.min_new_tokens, child.missing_eos_penalty) == (None, 0, 1.0)


def test_weights_that_do_not_fit_the_reward_functions_are_refused() -> None:
    with pytest.raises(ConfigError, match="reward_weights has 1 values for 2 reward_funcs"):
        changes("ppo", "--fault", "sign-flipped-reward", "--reward_funcs", "remark_positivity,length")


def test_a_fault_of_the_demo_prompts_refuses_a_dataset(tmp_path: Path) -> None:
    (tmp_path / "own.jsonl").write_text('{"prompt": "1+1="}\n')
    with pytest.raises(ConfigError, match="changes the demo task's prompts; leave dataset empty"):
        configured("grpo", "--fault", "too-hard-data", "--dataset", str(tmp_path / "own.jsonl"))
