"""The arguments that TRL passes to a reward function besides prompts, completions and columns, in our trainer."""

from pathlib import Path

import pytest

from trainer.rewards import RewardError, RewardFunc, get_reward_funcs
from trainer.rewards.call_context import CallContext, Notes, TrainerState, joined_notes
from trainer.rewards.scoring import score

ROWS = [{"prompt": "a"}, {"prompt": "b"}]
IDS = [[5, 6], [7]]
OF_TRL = """
def everything(prompts, completions, completion_ids, trainer_state, log_extra, log_metric, **kwargs):
    log_extra("tokens", completion_ids)
    log_metric("progress", trainer_state.global_step / trainer_state.max_steps)
    return [float(len(ids)) for ids in completion_ids]

def by_kwargs(prompts, completions, **kwargs):
    return [float(kwargs["trainer_state"].global_step + len(ids)) for ids in kwargs["completion_ids"]]

def too_few(completions, log_extra, **kwargs):
    log_extra("mark", ["x"])
    return [0.0] * len(completions)
"""


def functions(folder: Path, *names: str) -> list[RewardFunc]:
    (folder / "rewards.py").write_text(OF_TRL)
    return get_reward_funcs([f"{folder / 'rewards.py'}:{name}" for name in names])


def test_a_reward_function_of_trl_finds_every_argument_that_it_names(tmp_path: Path) -> None:
    scores = score(functions(tmp_path, "everything"), [], ROWS, ["x", "y"], IDS, TrainerState(3, 4))
    assert scores.total_B.tolist() == [2.0, 1.0]
    assert scores.notes.means() == {"progress": 0.75}
    assert [scores.notes.of_completion(index) for index in (0, 1)] == [{"tokens": "[5, 6]"}, {"tokens": "[7]"}]


def test_one_that_takes_all_by_name_finds_them_too(tmp_path: Path) -> None:
    scores = score(functions(tmp_path, "by_kwargs"), [], ROWS, ["x", "y"], IDS, TrainerState(10, 20))
    assert scores.total_B.tolist() == [12.0, 11.0]


def test_one_that_names_none_of_them_is_called_without() -> None:
    assert RewardFunc("plain", lambda completions: [1.0] * len(completions))(["a"], ["x"]) == [1.0]


def test_a_column_of_the_dataset_may_have_any_name(tmp_path: Path) -> None:
    rows = [{**row, "occasion": 1, "trainer_state": "mine", "completion_ids": "mine"} for row in ROWS]
    scores = score(functions(tmp_path, "by_kwargs"), [], rows, ["x", "y"], IDS, TrainerState(1, 2))
    assert scores.total_B.tolist() == [3.0, 2.0]


def test_tokens_that_nobody_wrote_are_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(RewardError, match="everything needs completion_ids, but no model wrote these completions"):
        score(functions(tmp_path, "everything"), [], ROWS, ["x", "y"])


def test_a_column_with_too_few_values_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RewardError, match=r"log_extra\('mark', …\) with 1 values for 2 completions"):
        score(functions(tmp_path, "too_few"), [], ROWS, ["x", "y"], IDS)


def test_a_metric_that_comes_several_times_is_their_mean() -> None:
    notes = Notes()
    for value in (1, 2.0, 6):
        notes.log_metric("mine", value)
    assert notes.means() == {"mine": 3.0}


def test_notes_of_several_processes_stand_in_the_order_of_their_rows() -> None:
    first, second = Notes(), Notes()
    first.log_metric("mine", 1.0)
    second.log_metric("mine", 3.0)
    second.log_extra("mark", ["x", "y"])
    together = joined_notes([first, second], rows=2)
    assert together.means() == {"mine": 2.0}
    assert together.columns == {"mark": [None, None, "x", "y"]}
    assert not joined_notes([Notes(), Notes()], rows=2)


def test_a_call_without_an_occasion_is_at_the_start_of_a_training() -> None:
    assert CallContext().trainer_state == TrainerState(global_step=0, max_steps=1)
